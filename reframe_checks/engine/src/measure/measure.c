/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.c: batches of a measurement, what they come to, and those before the counted runs (see measure.h). */
#include "measure/measure.h"

#include "machine/team_agree.h"

#include <math.h>
#include <stdlib.h>

int measure_batch(struct measure *m, const struct operation *operation, int64_t runs, int64_t slot_ns,
                  struct fault *fault)
{
    const struct session *const session = m->session;
    const struct scheme *const scheme = session->scheme;
    m->plan = (struct batch_plan){
        .runs = scheme->loops && runs > 0 ? 1 : runs,
        .slot_ns = scheme->slots ? slot_ns : 0,
        .operations = scheme->loops ? runs : m->operations,
        .look = m->looks.due,
        .weather = m->weather_due,
        .done = m->done,
    };
    if (batch_announce(&session->team, &session->clock, m->lead_ns, &m->plan, fault))
        return (int)fault->code;
    m->done = m->plan.done != 0;
    if (!session_time_is_exact(session))
        causality_hear(m->plan.early_ns, &m->looks.heard);
    if (m->plan.runs == 0)
        return 0;
    if (m->plan.runs < 0 || m->plan.runs > m->batch.capacity)
        return fault_set(fault, FAULT_SYSTEM, "%lld runs were announced, and there is room for %lld",
                         (long long)m->plan.runs, (long long)m->batch.capacity);
    const struct scheme_context context = {
        .team = &session->team,
        .clock = &session->clock,
        .operation = operation,
        .call = &m->call,
        .buffers = &m->buffers,
        .tolerance_ns = session->calibration.tolerance_ns,
        .arrival_ns = session->arrival_ns,
        .lead_ns = m->lead_ns,
        .ends_ns = session->options->per_rank && scheme->loops && runs <= m->batch.capacity ? m->batch.ends_ns : NULL,
    };
    return batch_run(&m->batch, &session->team, scheme, &context, &m->plan, fault);
}

void measure_close(struct measure *m)
{
    trace_free(&m->trace);
}

struct slot_outcome measure_outcome(const struct measure *m)
{
    struct slot_outcome outcome = {.runs = m->plan.runs};
    for (int64_t l = 0; l < m->plan.runs; l++) {
        const struct run_summary *const summary = &m->batch.summaries[l];
        const int64_t span_ns = summary->end_ns - m->plan.start_ns;
        outcome.valid += batch_is_valid(summary);
        outcome.in_time += !summary->late;
        outcome.overruns += batch_is_long(summary);
        outcome.span_ns = span_ns > outcome.span_ns ? span_ns : outcome.span_ns;
        if (batch_is_valid(summary) && m->plan.operations * summary->time_ns > outcome.longest_ns)
            outcome.longest_ns = m->plan.operations * summary->time_ns;
    }
    return outcome;
}

int measure_use(struct measure *m, size_t set, struct fault *fault)
{
    buffers_use(&m->buffers, set, &m->call);
    return team_mpi(fault, call_setup(&m->call), m->call.operation->name);
}

int measure_known_batch(struct measure *m, const struct operation *operation, int64_t runs, int64_t slot_ns,
                        struct fault *fault)
{
    if (m->known)
        check_fill(&m->call);
    if ((m->known || slot_ns == 0) && team_meet(&m->session->team, fault))
        return (int)fault->code;
    if (measure_batch(m, operation, runs, slot_ns, fault) || !m->known || m->plan.runs == 0 ||
        (m->plan.runs * m->plan.operations > 1 && !m->call.repeats))
        return (int)fault->code;
    if (m->session->options->corrupt_rank == m->call.rank)
        check_corrupt(&m->call);
    check_verify(&m->call, &m->check);
    return 0;
}

/* How many sets of cold buffers the runs to come can use: on all processes the same. */
static int measure_cold_sets(struct measure *m, struct measurement *result, int64_t *sets, struct fault *fault)
{
    const struct buffers *const buffers = &m->buffers;
    const size_t stride = buffers->send.stride + buffers->recv.stride;
    const struct stop_limits limits = {.max_reps = m->session->options->max_reps};
    int64_t most[3] = {(int64_t)buffers->sets, (int64_t)(buffers->sets * stride), buffers->first_touch_ns};
    if (team_maximum(&m->session->team, most, 3, MPI_INT64_T, fault))
        return (int)fault->code;
    result->cold = (struct measurement_cold){most[0], most[1], most[2], NAN};
    const int64_t runs = m->session->stop->runs_left(&limits, 0) + m->session->options->warmup_reps;
    const int64_t uses = runs * m->session->options->operations_per_rep;
    *sets = uses < most[0] ? uses : most[0];
    return 0;
}

/* Cold buffers: one run on each set, so that registering them is over, then the cache is filled with other things. */
static int measure_first_uses(struct measure *m, const struct operation *operation, struct measurement *result,
                              struct fault *fault)
{
    int64_t sets = 0;
    if (!m->buffers.cold)
        return 0;
    if (measure_cold_sets(m, result, &sets, fault))
        return (int)fault->code;
    double *const times = calloc((size_t)sets, sizeof *times);
    if (times == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for %lld runs", (long long)sets);
    for (int64_t done = 0; done < sets && fault->code == FAULT_NONE;) {
        const int64_t left = sets - done;
        if (measure_batch(m, operation, left < m->batch.capacity ? left : m->batch.capacity, 0, fault))
            break;
        for (int64_t l = 0; l < m->plan.runs; l++)
            times[done++] = (double)m->batch.summaries[l].time_ns;
    }
    result->cold.first_use_ns = statistics_median(times, (size_t)sets);
    free(times);
    buffers_chill(&m->buffers, (size_t)sets);
    buffers_use(&m->buffers, 0, &m->call);
    return (int)fault->code;
}

static int measure_first_calls(struct measure *m, const struct operation *operation, struct measurement *result,
                               struct fault *fault)
{
    if (measure_use(m, 0, fault) || measure_known_batch(m, operation, 1, 0, fault))
        return (int)fault->code;
    result->first_call_ns = m->batch.summaries[0].time_ns;

    if (measure_use(m, 1, fault) || measure_known_batch(m, operation, 1, 0, fault))
        return (int)fault->code;
    result->second_call_ns = m->batch.summaries[0].time_ns;
    return 0;
}

int measure_warm_up(struct measure *m, const struct operation *operation, struct measurement *result,
                    struct fault *fault)
{
    m->operations = 1;
    if ((m->pass.number == 0 && measure_first_calls(m, operation, result, fault)) || measure_use(m, 0, fault) ||
        measure_first_uses(m, operation, result, fault))
        return (int)fault->code;
    m->operations = m->session->options->operations_per_rep;
    if (measure_known_batch(m, operation, m->session->options->warmup_reps, 0, fault))
        return (int)fault->code;
    struct slot_outcome outcome = measure_outcome(m);
    outcome.longest_ns = result->second_call_ns * m->operations;
    if (m->pass.number == 0)
        m->slot_ns = slot_first_width(&m->slot_rule, &outcome);
    return 0;
}
