/* SPDX-License-Identifier: BSD-3-Clause */
/* look.c: looks at the clocks while a row is measured (see look.h). */
#include "measure/look.h"

/* A look each so many times its own length; what is so many times as long as the shortest was interrupted. */
enum { LOOK_SHARE = 50, LOOK_INTERRUPTED = 10 };

bool look_is_due(const struct measure *m)
{
    const struct clock_looks *const looks = &m->looks;
    const int64_t since_ns = clock_now(&m->session->clock) - looks->ended_ns;
    const bool recent = looks->heard.passes > 0 && since_ns >= 0 && since_ns < LOOK_SHARE * looks->took_ns;
    return !recent && !session_time_is_exact(m->session);
}

int look_now(struct measure *m, struct fault *fault)
{
    const struct session *const session = m->session;
    const int64_t begin_ns = clock_now(&session->clock);
    if (causality_listen(&session->team, &session->clock, &m->looks.heard, fault))
        return (int)fault->code;
    struct clock_looks *const looks = &m->looks;
    looks->ended_ns = clock_now(&session->clock);
    const int64_t took_ns = looks->ended_ns - begin_ns;
    looks->least_ns = looks->heard.passes == 1 || took_ns < looks->least_ns ? took_ns : looks->least_ns;
    const int64_t most_ns = LOOK_INTERRUPTED * looks->least_ns;
    looks->took_ns = took_ns < most_ns ? took_ns : most_ns;
    return 0;
}

int look_judge(struct measure *m, struct causality *causality, struct fault *fault)
{
    const struct session *const session = m->session;
    if (session_time_is_exact(session))
        return 0;
    return causality_check(&session->team, &session->clock, &m->looks.heard, causality, fault);
}
