/* SPDX-License-Identifier: BSD-3-Clause */
/* measure_batch.c: one batch of a measurement, and its outcome (see measure_batch.h). */
#include "measure/measure_batch.h"

#include "machine/team.h"

#include <math.h>

/* Let an operation follow the data in the buffers, or complete its results. */
static int measure_follow(struct measure *m, int (*step)(struct call *call), struct fault *fault)
{
    return step == NULL || m->call.idle ? 0 : team_mpi(fault, step(&m->call), m->call.operation->name);
}

int measure_use_buffers(struct measure *m, size_t set, struct fault *fault)
{
    buffers_use(&m->buffers, set, &m->call);
    if (team_mpi(fault, call_setup(&m->call), m->call.operation->name))
        return (int)fault->code;
    return measure_follow(m, m->call.operation->before, fault);
}

int measure_batch(struct measure *m, const struct operation *operation, int64_t reps, int64_t slot_ns,
                  struct fault *fault)
{
    const struct session *const session = m->session;
    const struct scheme *const scheme = session->scheme;
    m->plan = (struct batch_plan){
        .reps = scheme->loops && reps > 0 ? 1 : reps,
        .slot_ns = scheme->slots ? slot_ns : 0,
        .operations = scheme->loops ? reps : m->operations,
        .clock_check = m->clock_checks.due,
        .probes = m->probes_due,
        .done = m->done,
    };
    if (batch_announce(&session->team, &session->clock, m->lead_ns, &m->plan, fault))
        return (int)fault->code;
    m->done = m->plan.done != 0;
    if (!session_time_is_exact(session))
        causality_note(m->plan.early_ns, &m->clock_checks.received);
    if (m->plan.reps == 0)
        return 0;
    if (m->plan.reps < 0 || m->plan.reps > m->batch.capacity)
        return fault_set(fault, FAULT_SYSTEM, "%lld repetitions announced, with memory for %lld",
                         (long long)m->plan.reps, (long long)m->batch.capacity);
    const struct batch_context context = {
        .team = &session->team,
        .clock = &session->clock,
        .operation = operation,
        .call = &m->call,
        .buffers = &m->buffers,
        .tolerance_ns = session->calibration.tolerance_ns,
        .arrival_ns = session->arrival_ns,
        .lead_ns = m->lead_ns,
        .ends_ns = session->options->per_rank && scheme->loops && reps <= m->batch.capacity ? m->batch.ends_ns : NULL,
    };
    return batch_perform(&m->batch, &session->team, scheme, &context, &m->plan, fault);
}

void measure_close(struct measure *m)
{
    trace_free(&m->trace);
}

bool measure_is_long(const struct measure *m, int64_t begin_ns)
{
    const struct options *const options = m->session->options;
    return (double)(clock_now(&m->session->clock) - begin_ns) >
           1e9 * fmin(options->turn_time, 0.2 * options->turn_limit);
}

struct slot_outcome measure_outcome(const struct measure *m)
{
    struct slot_outcome outcome = {.reps = m->plan.reps};
    for (int64_t l = 0; l < m->plan.reps; l++) {
        const struct rep_summary *const summary = &m->batch.summaries[l];
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

int measure_checked_batch(struct measure *m, const struct operation *operation, int64_t reps, int64_t slot_ns,
                          struct fault *fault)
{
    if (m->checks)
        check_fill(&m->call);
    if (m->checks && measure_follow(m, m->call.operation->before, fault))
        return (int)fault->code;
    if ((m->checks || slot_ns == 0) && team_meet(&m->session->team, fault))
        return (int)fault->code;
    if (measure_batch(m, operation, reps, slot_ns, fault) || !m->checks || m->plan.reps == 0 ||
        (m->plan.reps * m->plan.operations > 1 && !m->call.repeats))
        return (int)fault->code;
    if (measure_follow(m, m->call.operation->after, fault))
        return (int)fault->code;
    if (m->session->options->corrupt_rank == session_measured_rank(m->session))
        check_corrupt(&m->call);
    check_verify(&m->call, &m->check);
    return 0;
}
