/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.c: one batch of a measurement (see measure.h). */
#include "measure/measure.h"

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
    };
    return batch_run(&m->batch, &session->team, scheme, &context, &m->plan, fault);
}
