/* SPDX-License-Identifier: BSD-3-Clause */
/* session_clock.c: the clocks of a launch: opened, synchronised, verified, and synchronised again (see session.h). */
#include "session/session_clock.h"

#include "machine/team_agree.h"
#include "timer/timer_check.h"

#include <stdlib.h>

/* Synchronising again may cost this share of the time. */
static const double SESSION_SYNC_SHARE = 0.1;

static int session_open_timer(struct session *session, struct fault *fault)
{
    struct clock *const clock = &session->clock;
    const struct synthetic_clock_spec *const spec = &session->options->test_clock;
    if (timer_open(&clock->timer, session->timer, session->simulated, &session->team, fault))
        return team_agree(&session->team, fault);
    if (!spec->given)
        return 0;
    if (!session->simulated && session->environment.hosts > 1 && spec->one_clock == 0.0)
        return fault_set(fault, FAULT_ENVIRONMENT, "--test-clock is for one host or a simulator");
    return synthetic_clock_start(spec, &session->team, &session->test_clock, &clock->timer, fault);
}

int session_open_clock(struct session *session, struct fault *fault)
{
    struct clock *const clock = &session->clock;
    struct timer_quality *const quality = &session->calibration.timer;
    if (session_open_timer(session, fault))
        return (int)fault->code;
    clock->sleeps = session->options->wait == WAIT_SLEEP;
    if (timer_check(&clock->timer, session->first_pair, &session->team, quality, fault))
        return (int)fault->code;
    const char *const doubt = timer_doubt(quality);
    if (doubt != NULL)
        return fault_set(fault, FAULT_ENVIRONMENT, "--timer %s: %s; take another timer",
                         TIMER_WORDS[session->options->timer], doubt);
    clock->resolution_ns = (int64_t)quality->resolution_ns;
    clock->max_drift = session_has_one_clock(session) ? 0.0 : 1e-6 * session->options->max_drift_ppm;
    return 0;
}

int session_synchronise(struct session *session, struct fault *fault)
{
    const struct team *const team = &session->team;
    const struct options *const options = session->options;
    const struct sync_plan plan = {
        .estimator = session->estimator,
        .patience = options->sync_patience,
        .points = session->synchroniser->learns_drift ? options->sync_points : 1,
        .span_ns = (int64_t)(1e9 * options->sync_span),
    };
    struct clock *const clock = &session->clock;
    struct epoch *const epochs = realloc(session->epochs, (session->epoch_count + 1) * sizeof *epochs);
    if (epochs == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for %zu synchronisations", session->epoch_count + 1);
    session->epochs = epochs;
    struct epoch *const epoch = &epochs[session->epoch_count++];
    *epoch = (struct epoch){0};

    clock->model = (struct clock_model){0};
    const int64_t begin_ns = clock_now(clock);
    if (team_meet(team, fault) ||
        sync_nodes_run(team, clock, session->synchroniser, &plan, options->sync_nodes, &epoch->own, &epoch->by_node,
                       fault) ||
        team_meet(team, fault))
        return (int)fault->code;
    epoch->duration_ns = clock_now(clock) - begin_ns;
    clock->model = epoch->own.model;
    epoch->begin_ns = clock_now(clock);
    if (epoch_look(team, clock, &options->test_clock, &epoch->own, &epoch->before, fault))
        return (int)fault->code;
    return epoch_gather(team, epoch, fault);
}

int session_spoil_clock(struct session *session, struct fault *fault)
{
    const struct synthetic_clock_spec *const spec = &session->options->test_clock;
    struct clock *const clock = &session->clock;
    if (!spec->given)
        return 0;
    if (synthetic_clock_spoil(spec, &session->team, &session->test_clock, &clock->timer, fault))
        return (int)fault->code;
    clock_wait(clock, clock_now(clock) + (int64_t)(1e9 * spec->pause_s));
    return team_meet(&session->team, fault);
}

int session_verify(struct session *session, struct fault *fault)
{
    struct epoch *const epoch = &session->epochs[session->epoch_count - 1];
    return epoch_look(&session->team, &session->clock, &session->options->test_clock, &epoch->own, &epoch->after,
                      fault);
}

int session_refresh(struct session *session, int64_t slot_ns, struct fault *fault)
{
    const struct epoch *const epoch = session_epoch(session);
    const int64_t spent_ns = clock_now(&session->clock) - epoch->begin_ns;
    /* Slot and time spent are those of rank 0, the growth is the worst of all. */
    const bool root = session->team.rank == 0;
    int64_t words[3] = {root ? slot_ns : 0, root && (double)epoch->duration_ns < SESSION_SYNC_SHARE * (double)spent_ns,
                        synchronisation_growth(&epoch->own, timer_now(&session->clock.timer))};
    if (session->options->resync_share <= 0.0)
        return 0;
    if (team_maximum(&session->team, words, 3, MPI_INT64_T, fault))
        return (int)fault->code;
    if (words[0] == 0 || words[1] == 0 || (double)words[2] <= session->options->resync_share * (double)words[0])
        return 0;
    return session_verify(session, fault) || session_synchronise(session, fault);
}
