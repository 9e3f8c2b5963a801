/* SPDX-License-Identifier: BSD-3-Clause */
/* session.c: synchronises and calibrates a launch (see session.h). */
#include "session.h"

#include <string.h>

/* A wrongly wired launcher starts singletons, or all processes on one host: that must not be measured. */
static int session_expect(const struct session *session, struct fault *fault)
{
    const struct options *const options = session->options;
    if (options->expect_ranks > 0 && options->expect_ranks != session->team.size)
        return fault_set(fault, FAULT_ENVIRONMENT, "%d processes run, --expect-ranks wants %lld; check the launcher",
                         session->team.size, (long long)options->expect_ranks);
    if (options->expect_hosts > 0 && options->expect_hosts != session->environment.hosts)
        return fault_set(fault, FAULT_ENVIRONMENT,
                         "processes run on %d hosts, --expect-hosts wants %lld; check the launcher",
                         session->environment.hosts, (long long)options->expect_hosts);
    return 0;
}

static int session_open_clock(struct session *session, struct fault *fault)
{
    struct clock *const clock = &session->clock;
    struct timer_quality *const quality = &session->calibration.timer;
    const MPI_Comm comm = session->team.comm;
    if (timer_open(&clock->timer, session->timer, session->simulated, comm, fault))
        return team_agree(&session->team, fault);
    clock->sleeps = strcmp(session->options->wait, "sleep") == 0;
    if (timer_check(&clock->timer, comm, quality, fault))
        return (int)fault->code;
    if (!quality->monotonic)
        return fault_set(fault, FAULT_ENVIRONMENT, "--timer %s runs backwards here; take another timer",
                         session->timer->name);
    if (quality->resolution_ns <= 0.0)
        return fault_set(fault, FAULT_ENVIRONMENT, "--timer %s stands still here; take another timer",
                         session->timer->name);
    clock->resolution_ns = (int64_t)quality->resolution_ns;
    return 0;
}

static int session_synchronise(struct session *session, struct fault *fault)
{
    const struct team *const team = &session->team;
    struct clock *const clock = &session->clock;
    const int64_t begin_ns = clock_now(clock);
    if (team_barrier(team, fault) ||
        session->synchroniser->run(team, clock, session->estimator, &session->synchronisation, fault) ||
        team_barrier(team, fault))
        return (int)fault->code;
    session->synchronisation_ns = clock_now(clock) - begin_ns;
    clock->offset_ns = session->synchronisation.offset_ns;
    return verification_run(team, clock, &session->before, fault);
}

int session_locate(struct session *session, struct fault *fault)
{
    session->simulated = environment_is_simulated();
    if (environment_gather(&session->team, &session->environment, fault))
        return (int)fault->code;
    return session_expect(session, fault);
}

int session_prepare(struct session *session, struct fault *fault)
{
    if (session_open_clock(session, fault) || session_synchronise(session, fault))
        return (int)fault->code;
    return calibration_run(&session->team, &session->clock, &session->calibration, fault);
}

void session_close(struct session *session)
{
    operation_list_free(&session->operations);
    environment_free(&session->environment);
    team_close(&session->team);
}
