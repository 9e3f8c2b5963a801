/* SPDX-License-Identifier: BSD-3-Clause */
/* turn_order.c: the counterbalanced order of the turns (see turn_order.h). */
#include "turns/turn_order.h"

#include "base/random.h"

int turn_rows(const struct turn_plan *plan)
{
    return plan->residents % 2 == 0 ? plan->residents : 2 * plan->residents;
}

uint32_t turn_count(const struct turn_plan *plan)
{
    return (uint32_t)plan->residents * (uint32_t)(plan->rounds + 2);
}

/* Entry of the first row: 0, 1, n-1, 2, n-2, ...: the differences of neighbours are all different. */
static int turn_first_row(int position, int residents)
{
    return position % 2 == 1 ? (position + 1) / 2 : (residents - position / 2) % residents;
}

/* Return the resident before relabelling; the second half of the rows of an odd number is the mirror of the first. */
static int turn_cell(int row, int position, int residents)
{
    const bool mirrored = row >= residents;
    const int from_begin = mirrored ? residents - 1 - position : position;
    return (turn_first_row(from_begin, residents) + row) % residents;
}

/* Fisher and Yates's shuffle. */
static void turn_labels(const struct turn_plan *plan, int labels[TURN_MAX_RESIDENTS])
{
    uint64_t state = plan->seed;
    for (int i = 0; i < plan->residents; i++) {
        const int j = (int)random_below(&state, (uint64_t)i + 1);
        labels[i] = labels[j];
        labels[j] = i;
    }
}

/* Return the row of a round: one further in each, from a random one. */
static int turn_row(const struct turn_plan *plan, int64_t round)
{
    uint64_t state = plan->seed ^ UINT64_C(1) << 32;
    const uint64_t rows = (uint64_t)turn_rows(plan);
    return (int)((random_below(&state, rows) + (uint64_t)round) % rows);
}

/* Return the resident of an epilogue turn: the last one is excepted from the order. */
static int turn_epilogue_resident(const struct turn_plan *plan, int position)
{
    if (plan->last < 0 || position < plan->last)
        return position;
    return position == plan->residents - 1 ? plan->last : position + 1;
}

struct turn turn_of(const struct turn_plan *plan, uint32_t number)
{
    const uint32_t residents = (uint32_t)plan->residents;
    const int64_t group = (int64_t)(number / residents) - 1;
    const int position = (int)(number % residents);
    if (group < 0)
        return (struct turn){.kind = TURN_PROLOGUE, .resident = position, .position = position};
    if (group >= plan->rounds)
        return (struct turn){
            .kind = TURN_EPILOGUE, .resident = turn_epilogue_resident(plan, position), .position = position};
    struct turn turn = {.kind = TURN_ROUND, .round = group, .position = position};
    int labels[TURN_MAX_RESIDENTS] = {0};
    turn_labels(plan, labels);
    turn.resident = labels[turn_cell(turn_row(plan, turn.round), position, plan->residents)];
    return turn;
}

/* Return the turn of the resident among those that begin with that one, of which every resident has one. */
static uint32_t turn_among(const struct turn_plan *plan, int64_t group, int resident)
{
    uint32_t number = (uint32_t)group * (uint32_t)plan->residents;
    while (turn_of(plan, number).resident != resident)
        number++;
    return number;
}

uint32_t turn_in_round(const struct turn_plan *plan, int resident, int64_t round)
{
    return turn_among(plan, 1 + round, resident);
}

uint32_t turn_prologue(const struct turn_plan *plan, int resident)
{
    return turn_among(plan, 0, resident);
}

uint32_t turn_epilogue(const struct turn_plan *plan, int resident)
{
    return turn_among(plan, 1 + plan->rounds, resident);
}

bool turn_ends_last(const struct turn_plan *plan, int resident)
{
    return turn_epilogue_resident(plan, plan->residents - 1) == resident;
}
