/* SPDX-License-Identifier: BSD-3-Clause */
/* rounds.c: round after round, turn after turn (see rounds.h). */
#include "launch/rounds.h"

#include "machine/team.h"
#include "session/session.h"

#include <time.h>

/* The lowest rank of a node raises the counter there. */
static bool rounds_raises(const struct session *session)
{
    int rank = 0;
    MPI_Comm_rank(session->environment.host, &rank);
    return rank == 0;
}

/* Collective: hand over when all processes have ended the turn. */
static int rounds_end_turn(struct session *session, struct fault *fault)
{
    return team_meet(&session->team, fault) || resident_hand_over(session->resident, rounds_raises(session), fault);
}

/* Collective: wait for that turn on every node. */
static int rounds_begin_turn(struct session *session, uint32_t turn, struct resident_wait *wait, struct fault *fault)
{
    return resident_await(session->resident, turn, wait, fault) || team_meet(&session->team, fault);
}

/* Log a turn that has been measured and ends now. */
static void rounds_log(struct turn_log *log, const struct measurement_list *list, struct measure_pass pass, size_t i,
                       int position, const struct resident_wait *wait)
{
    const int64_t entry[TURN_LOG_COLUMNS] = {
        [TURN_LOG_PASS] = pass.number,
        [TURN_LOG_CASE] = (int64_t)i,
        [TURN_LOG_POSITION] = position,
        [TURN_LOG_T] = wait->began_ns,
        [TURN_LOG_LENGTH] = segment_now(CLOCK_MONOTONIC) - wait->began_ns,
        [TURN_LOG_WAITED] = wait->waited_ns,
        [TURN_LOG_SLEPT_CPU] = wait->slept_cpu_ns,
        [TURN_LOG_HANDOVER] = wait->handover_ns,
        [TURN_LOG_WARMUP] = list->previous == NULL ? 0 : list->previous->warmup_reps,
    };
    turn_log_add(log, entry);
}

static int rounds_open_apart(const struct session *session, struct rounds_apart *apart, struct fault *fault)
{
    const int64_t passes = session->options->solo_passes;
    return measurement_list_open(session, passes, &apart->list, fault) ||
           turn_log_open(&apart->log, (size_t)passes * apart->list.case_count, fault);
}

/* In the turn that this launch has: one pass over all cases, a limit of a turn for each. */
static int rounds_measure_apart(struct session *session, struct rounds_apart *apart, int64_t number,
                                struct fault *fault)
{
    const struct measure_pass pass = {number, number + 1 == session->options->solo_passes};
    for (size_t i = 0; i < apart->list.case_count; i++) {
        const struct resident_wait now = {.began_ns = segment_now(CLOCK_MONOTONIC)};
        resident_extend_turn(session->resident);
        if (measurement_list_measure(session, &apart->list, i, pass, fault))
            return (int)fault->code;
        rounds_log(&apart->log, &apart->list, pass, i, 0, &now);
    }
    resident_extend_turn(session->resident);
    return 0;
}

/* In the last turn of a round: the passes in a row that are due, spread over the rounds. */
static int rounds_measure_consecutive(struct session *session, struct rounds *rounds, int64_t round,
                                      struct fault *fault)
{
    const int64_t passes = session->options->solo_passes, count = session->plan.passes;
    for (int64_t number = round * passes / count; number < (round + 1) * passes / count; number++)
        if (rounds_measure_apart(session, &rounds->consecutive, number, fault))
            return (int)fault->code;
    return 0;
}

static int rounds_take_turn(struct session *session, struct measurement_list *list, size_t i, struct measure_pass pass,
                            struct overhead *overhead, struct rounds *rounds, struct fault *fault)
{
    const struct resident_options *const options = &session->resident->options;
    const uint32_t turn = turn_in_slice(&options->plan, options->index, pass.number, (int64_t)i);
    struct resident_wait wait = {0};
    if (rounds_begin_turn(session, turn, &wait, fault) ||
        (i == 0 && overhead_measure(session, pass, overhead, fault)) ||
        measurement_list_measure(session, list, i, pass, fault))
        return (int)fault->code;
    rounds_log(&rounds->log, list, pass, i, turn_of(&options->plan, turn).position, &wait);
    if (i + 1 == list->case_count && rounds_measure_consecutive(session, rounds, pass.number, fault))
        return (int)fault->code;
    return rounds_end_turn(session, fault);
}

/* In the last epilogue turn, when the other residents have ended: measure further passes. */
static int rounds_measure_solo(struct session *session, struct rounds *rounds, struct fault *fault)
{
    const struct resident_options *const options = &session->resident->options;
    const int64_t passes = session->options->solo_passes;
    if (passes == 0 || !turn_ends_last(&options->plan, options->index))
        return 0;
    if (rounds_open_apart(session, &rounds->solo, fault))
        return (int)fault->code;
    rounds->company = resident_await_alone(session->resident);
    for (int64_t number = 0; number < passes; number++)
        if (rounds_measure_apart(session, &rounds->solo, number, fault))
            return (int)fault->code;
    return 0;
}

/* Collective: the largest of all processes for processor time and handing over; rank 0 has the log. */
static int rounds_gather_log(const struct session *session, const struct turn_log *log, struct fault *fault)
{
    const int count = (int)log->count;
    return team_maximum(&session->team, log->columns[TURN_LOG_SLEPT_CPU], count, MPI_INT64_T, fault) ||
           team_maximum(&session->team, log->columns[TURN_LOG_HANDOVER], count, MPI_INT64_T, fault);
}

int rounds_measure(struct session *session, struct measurement_list *list, struct overhead *overhead,
                   struct rounds *rounds, struct fault *fault)
{
    const int64_t passes = session->plan.passes;
    const struct resident_options *const options = &session->resident->options;
    struct resident_wait wait = {0};
    if (turn_log_open(&rounds->log, (size_t)passes * list->case_count, fault) ||
        (session->options->solo_passes > 0 && rounds_open_apart(session, &rounds->consecutive, fault)) ||
        rounds_end_turn(session, fault))
        return (int)fault->code;
    for (int64_t number = 0; number < passes; number++)
        for (size_t i = 0; i < list->case_count; i++)
            if (rounds_take_turn(session, list, i, (struct measure_pass){number, number + 1 == passes}, overhead,
                                 rounds, fault))
                return (int)fault->code;
    return rounds_begin_turn(session, turn_epilogue(&options->plan, options->index), &wait, fault) ||
           rounds_measure_solo(session, rounds, fault) || rounds_gather_log(session, &rounds->log, fault);
}

static void rounds_free_apart(struct rounds_apart *apart)
{
    turn_log_close(&apart->log);
    measurement_list_free(&apart->list);
}

void rounds_free(struct rounds *rounds)
{
    turn_log_close(&rounds->log);
    rounds_free_apart(&rounds->consecutive);
    rounds_free_apart(&rounds->solo);
}
