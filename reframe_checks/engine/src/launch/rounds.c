/* SPDX-License-Identifier: BSD-3-Clause */
/* rounds.c: a turn in each round (see rounds.h). */
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

/* Log a case that has been measured just now; of the wait before it, what is not zero. */
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
        [TURN_LOG_WARMUP] = list->previous == NULL ? 0 : list->measurements[i].warmup_reps,
    };
    turn_log_add(log, entry);
}

/* In the turn that this launch has: a pass over all cases in a row, a limit of a turn for each. */
static int rounds_measure_cases(struct session *session, struct measurement_list *list, struct turn_log *log,
                                struct measure_pass pass, int position, struct resident_wait wait, struct fault *fault)
{
    for (size_t i = 0; i < list->case_count; i++) {
        if (measurement_list_measure(session, list, i, pass, fault))
            return (int)fault->code;
        rounds_log(log, list, pass, i, position, &wait);
        resident_extend_turn(session->resident);
        wait = (struct resident_wait){.began_ns = segment_now(CLOCK_MONOTONIC)};
    }
    return 0;
}

static int rounds_take_turn(struct session *session, struct measurement_list *list, int64_t round,
                            struct overhead *overhead, struct rounds *rounds, struct fault *fault)
{
    const struct resident_options *const options = &session->resident->options;
    const uint32_t turn = turn_in_round(&options->plan, options->index, round);
    const int position = turn_of(&options->plan, turn).position;
    const int64_t passes = session->options->turn_passes;
    struct resident_wait wait = {0};
    if (rounds_begin_turn(session, turn, &wait, fault))
        return (int)fault->code;
    for (int64_t number = round * passes; number < (round + 1) * passes; number++) {
        const struct measure_pass pass = {number, number + 1 == session->plan.passes};
        if (overhead_measure(session, pass, overhead, fault) ||
            rounds_measure_cases(session, list, &rounds->log, pass, position, wait, fault))
            return (int)fault->code;
        wait = (struct resident_wait){.began_ns = segment_now(CLOCK_MONOTONIC)};
    }
    return rounds_end_turn(session, fault);
}

/* In the last epilogue turn, when the other residents have ended: measure further passes. */
static int rounds_measure_solo(struct session *session, struct rounds *rounds, struct fault *fault)
{
    const struct resident_options *const options = &session->resident->options;
    const int64_t passes = session->options->solo_passes;
    if (passes == 0 || !turn_ends_last(&options->plan, options->index))
        return 0;
    if (measurement_list_open(session, passes, &rounds->solo, fault) ||
        turn_log_open(&rounds->solo_log, (size_t)passes * rounds->solo.case_count, fault))
        return (int)fault->code;
    rounds->company = resident_await_alone(session->resident);
    for (int64_t number = 0; number < passes; number++) {
        const struct measure_pass pass = {number, number + 1 == passes};
        const struct resident_wait now = {.began_ns = segment_now(CLOCK_MONOTONIC)};
        resident_extend_turn(session->resident);
        if (rounds_measure_cases(session, &rounds->solo, &rounds->solo_log, pass, 0, now, fault))
            return (int)fault->code;
    }
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
    if (turn_log_open(&rounds->log, (size_t)passes * list->case_count, fault) || rounds_end_turn(session, fault))
        return (int)fault->code;
    for (int64_t round = 0; round < options->plan.rounds; round++)
        if (rounds_take_turn(session, list, round, overhead, rounds, fault))
            return (int)fault->code;
    return rounds_begin_turn(session, turn_epilogue(&options->plan, options->index), &wait, fault) ||
           rounds_measure_solo(session, rounds, fault) || rounds_gather_log(session, &rounds->log, fault);
}

void rounds_free(struct rounds *rounds)
{
    turn_log_close(&rounds->log);
    turn_log_close(&rounds->solo_log);
    measurement_list_free(&rounds->solo);
}
