/* SPDX-License-Identifier: BSD-3-Clause */
/* clock_check.c: checks the clocks during a measurement (see clock_check.h). */
#include "measure/clock_check.h"

/* The interval between checks as a multiple of their duration; a check this many times as long as the shortest was
 * interrupted. */
enum { CLOCK_CHECK_SHARE = 50, CLOCK_CHECK_INTERRUPTED = 10 };

bool clock_check_is_due(const struct measure *m)
{
    const struct clock_checks *const clock_checks = &m->clock_checks;
    const int64_t since_ns = clock_now(&m->session->clock) - clock_checks->ended_ns;
    const bool recent =
        clock_checks->received.passes > 0 && since_ns >= 0 && since_ns < CLOCK_CHECK_SHARE * clock_checks->took_ns;
    return !recent && !session_time_is_exact(m->session);
}

int clock_check_perform(struct measure *m, struct fault *fault)
{
    const struct session *const session = m->session;
    const int64_t begin_ns = clock_now(&session->clock);
    if (causality_exchange_all(&session->team, &session->clock, &m->clock_checks.received, fault))
        return (int)fault->code;
    struct clock_checks *const clock_checks = &m->clock_checks;
    clock_checks->ended_ns = clock_now(&session->clock);
    const int64_t took_ns = clock_checks->ended_ns - begin_ns;
    clock_checks->min_ns =
        clock_checks->received.passes == 1 || took_ns < clock_checks->min_ns ? took_ns : clock_checks->min_ns;
    const int64_t max_ns = CLOCK_CHECK_INTERRUPTED * clock_checks->min_ns;
    clock_checks->took_ns = took_ns < max_ns ? took_ns : max_ns;
    return 0;
}

int clock_check_conclude(struct measure *m, struct causality *causality, struct fault *fault)
{
    const struct session *const session = m->session;
    if (session_time_is_exact(session))
        return 0;
    return causality_check(&session->team, &session->clock, &m->clock_checks.received, causality, fault);
}
