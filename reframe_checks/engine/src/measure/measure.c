/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.c: batches of a measurement, and what they come to (see measure.h). */
#include "measure/measure.h"

#include "machine/team_agree.h"

int measure_batch(struct measure *m, const struct operation *operation, int64_t runs, int64_t slot_ns,
                  struct fault *fault)
{
    const struct session *const session = m->session;
    const struct scheme *const scheme = session->scheme;
    m->plan = (struct batch_plan){
        .runs = scheme->loops && runs > 0 ? 1 : runs,
        .slot_ns = scheme->slots ? slot_ns : 0,
        .operations = scheme->loops ? runs : 1,
        .look = m->looks.due,
        .weather = m->weather_due,
    };
    if (batch_announce(&session->team, &session->clock, m->lead_ns, &m->plan, fault))
        return (int)fault->code;
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
        if (batch_is_valid(summary) && summary->time_ns > outcome.longest_ns)
            outcome.longest_ns = summary->time_ns;
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
