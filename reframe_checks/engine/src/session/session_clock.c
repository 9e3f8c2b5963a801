/* SPDX-License-Identifier: BSD-3-Clause */
/* session_clock.c: the clocks of a launch: opened, synchronised, verified, calibrated, and synchronised again (see
 * session_clock.h). */
#include "session/session_clock.h"

#include "batch/batch.h"
#include "machine/team.h"
#include "statistics/statistics.h"
#include "timer/timer_check.h"

#include <stdlib.h>

/* Synchronising again may take this share of the time. */
static const double SESSION_SYNC_SHARE = 0.1;

static int session_open_timer(struct session *session, struct fault *fault)
{
    struct clock *const clock = &session->clock;
    const struct synthetic_clock_spec *const spec = &session->options->test_clock;
    if (timer_open(&clock->timer, session->timer, session->simulated, &session->team, fault))
        return team_agree(&session->team, fault);
    if (!spec->present)
        return 0;
    if (!session->simulated && session->environment.hosts > 1 && spec->one_clock == 0.0)
        return fault_set(fault, FAULT_ENVIRONMENT, "--test-clock: only valid on one host or a simulator");
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
    const char *const defect = timer_defect(quality);
    if (defect != NULL)
        return fault_set(fault, FAULT_ENVIRONMENT, "--timer %s: %s; take another timer",
                         TIMER_NAMES[session->options->timer], defect);
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
        .points = session->synchroniser->models_drift ? options->sync_points : 1,
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
        sync_nodes_synchronise(team, clock, session->synchroniser, &plan, options->sync_nodes, &epoch->sync,
                               &epoch->by_node, fault) ||
        team_meet(team, fault))
        return (int)fault->code;
    epoch->duration_ns = clock_now(clock) - begin_ns;
    clock->model = epoch->sync.model;
    epoch->begin_ns = clock_now(clock);
    if (epoch_verify(team, clock, &options->test_clock, &epoch->sync, &epoch->before, fault))
        return (int)fault->code;
    return epoch_gather(team, epoch, fault);
}

int session_falsify_clock(struct session *session, struct fault *fault)
{
    const struct synthetic_clock_spec *const spec = &session->options->test_clock;
    struct clock *const clock = &session->clock;
    if (!spec->present)
        return 0;
    if (synthetic_clock_falsify(spec, &session->team, &session->test_clock, &clock->timer, fault))
        return (int)fault->code;
    clock_wait(clock, clock_now(clock) + (int64_t)(1e9 * spec->pause_s));
    return team_meet(&session->team, fault);
}

int session_verify(struct session *session, struct fault *fault)
{
    struct epoch *const epoch = &session->epochs[session->epoch_count - 1];
    return epoch_verify(&session->team, &session->clock, &session->options->test_clock, &epoch->sync, &epoch->after,
                        fault);
}

int session_refresh(struct session *session, int64_t slot_ns, struct fault *fault)
{
    const struct epoch *const epoch = session_epoch(session);
    const int64_t age_ns = clock_now(&session->clock) - epoch->begin_ns;
    /* Slot and age of the epoch are those of rank 0, the growth is the worst of all processes. */
    const bool root = session->team.rank == 0;
    int64_t values[3] = {root ? slot_ns : 0, root && (double)epoch->duration_ns < SESSION_SYNC_SHARE * (double)age_ns,
                         synchronisation_growth(&epoch->sync, timer_now(&session->clock.timer))};
    if (session->options->resync_share <= 0.0)
        return 0;
    if (team_maximum(&session->team, values, 3, MPI_INT64_T, fault))
        return (int)fault->code;
    if (values[0] == 0 || values[1] == 0 || (double)values[2] <= session->options->resync_share * (double)values[0])
        return 0;
    return session_verify(session, fault) || session_synchronise(session, fault);
}

/* Margin of the lead; broadcasts that are timed; timer steps after which a start is late. */
enum { CALIBRATION_PAUSE_NS = 1000, CALIBRATION_BROADCASTS = 9, CALIBRATION_LATE_STEPS = 4 };

/*
 * Twice the median of 9: an upper estimate that is robust against an interruption. As in a measurement, each
 * announcement follows a reduction, which rank 0 may leave before others.
 */
static int session_measure_lead(const struct team *team, const struct clock *clock, int64_t *lead_ns,
                                struct fault *fault)
{
    double durations[CALIBRATION_BROADCASTS];
    const int broadcasts = timer_is_exact(&clock->timer) ? 1 : CALIBRATION_BROADCASTS;
    if (team_meet(team, fault))
        return (int)fault->code;
    for (int i = 0; i < broadcasts; i++) {
        struct batch_plan plan = {0};
        if (batch_announce(team, clock, 0, &plan, fault))
            return (int)fault->code;
        int64_t last_ns = clock_now(clock);
        if (team_maximum(team, &last_ns, 1, MPI_INT64_T, fault))
            return (int)fault->code;
        durations[i] = (double)(last_ns - plan.start_ns);
    }
    *lead_ns = (int64_t)(2.0 * statistics_median(durations, (size_t)broadcasts));
    return 0;
}

int session_calibrate(struct session *session, struct fault *fault)
{
    struct calibration *const calibration = &session->calibration;
    if (session_measure_lead(&session->team, &session->clock, &calibration->lead_ns, fault))
        return (int)fault->code;
    calibration->tolerance_ns =
        (int64_t)(CALIBRATION_LATE_STEPS * (calibration->timer.resolution_ns + calibration->timer.cost_ns));
    /* Always longer than reading the plan and the clock takes. */
    calibration->lead_ns += CALIBRATION_PAUSE_NS + 4 * calibration->tolerance_ns;
    return 0;
}
