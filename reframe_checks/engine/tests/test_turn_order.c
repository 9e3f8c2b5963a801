/* SPDX-License-Identifier: BSD-3-Clause */
/* test_turn_order.c: the order of the turns: counterbalanced, and the same for everybody who knows the plan. */
#include "harness.h"
#include "turns/turn_order.h"

#include <string.h>

static struct turn_plan plan_of(int residents, uint64_t seed)
{
    return (struct turn_plan){.seed = seed, .residents = residents, .last = -1, .rounds = 2 * residents, .cases = 3};
}

/* How often each resident has each position, and follows each other one, in the rounds over all rows. */
struct balance {
    int positions[TURN_MAX_RESIDENTS][TURN_MAX_RESIDENTS];
    int follows[TURN_MAX_RESIDENTS][TURN_MAX_RESIDENTS];
};

static void count_rounds(const struct turn_plan *plan, struct balance *balance)
{
    memset(balance, 0, sizeof *balance);
    for (int64_t round = 0; round < turn_rows(plan); round++) {
        int previous = -1;
        for (int position = 0; position < plan->residents; position++) {
            const int resident = turn_of(plan, (uint32_t)((round + 1) * plan->residents + position)).resident;
            balance->positions[resident][position]++;
            if (previous >= 0)
                balance->follows[resident][previous]++;
            previous = resident;
        }
    }
}

static bool is_balanced(const struct turn_plan *plan, const struct balance *balance)
{
    const int times = turn_rows(plan) / plan->residents;
    for (int i = 0; i < plan->residents; i++)
        for (int j = 0; j < plan->residents; j++)
            if (balance->positions[i][j] != times || balance->follows[i][j] != (i == j ? 0 : times))
                return false;
    return true;
}

static void test_balance(struct harness *harness)
{
    static const char *const NAMES[] = {"2 residents", "3 residents", "4 residents",
                                        "5 residents", "6 residents", "7 residents"};
    for (int residents = 2; residents <= 7; residents++) {
        harness_case(harness, NAMES[residents - 2]);
        for (uint64_t seed = 0; seed < 10; seed++) {
            const struct turn_plan plan = plan_of(residents, seed);
            struct balance balance;
            count_rounds(&plan, &balance);
            harness_is(harness, is_balanced(&plan, &balance));
        }
    }
}

static bool same_turn(const struct turn *a, const struct turn *b)
{
    return a->kind == b->kind && a->resident == b->resident && a->round == b->round && a->position == b->position;
}

static void test_seed(struct harness *harness)
{
    const struct turn_plan plan = plan_of(4, 7), again = plan_of(4, 7), other = plan_of(4, 8);
    int different = 0;
    harness_case(harness, "the order depends on the seed alone");
    for (uint32_t number = 0; number < turn_count(&plan); number++) {
        const struct turn a = turn_of(&plan, number), b = turn_of(&again, number), c = turn_of(&other, number);
        harness_is(harness, same_turn(&a, &b));
        different += !same_turn(&a, &c);
    }
    harness_is(harness, different > (int)turn_count(&plan) / 4);
}

static void test_fixed_order(struct harness *harness)
{
    /* Residents of other programs compute the same order, so it must not change. */
    static const int ROUNDS[4][3] = {{1, 0, 2}, {0, 2, 1}, {0, 1, 2}, {2, 0, 1}};
    const struct turn_plan plan = {.seed = 1, .residents = 3, .last = -1, .rounds = 4, .cases = 2};
    harness_case(harness, "the order of seed 1");
    for (uint32_t round = 0; round < 4; round++)
        for (uint32_t position = 0; position < 3; position++)
            harness_is(harness, turn_of(&plan, (round + 1) * 3 + position).resident == ROUNDS[round][position]);
}

static void test_numbers(struct harness *harness)
{
    struct turn_plan plan = plan_of(5, 3);
    harness_case(harness, "the numbers of a resident's turns are ascending and its own");
    plan.last = 2;
    for (int resident = 0; resident < plan.residents; resident++) {
        uint32_t previous = turn_prologue(&plan, resident);
        harness_is(harness, turn_of(&plan, previous).kind == TURN_PROLOGUE);
        for (int64_t round = 0; round < plan.rounds; round++) {
            const uint32_t number = turn_in_round(&plan, resident, round);
            const struct turn turn = turn_of(&plan, number);
            harness_is(harness, number > previous && turn.kind == TURN_ROUND && turn.resident == resident &&
                                    turn.round == round);
            previous = number;
        }
        harness_is(harness, turn_of(&plan, turn_epilogue(&plan, resident)).resident == resident);
        harness_is(harness, turn_epilogue(&plan, resident) > previous);
    }
    harness_is(harness, turn_epilogue(&plan, 2) == turn_count(&plan) - 1);
}

int main(void)
{
    struct harness harness = {0};
    test_balance(&harness);
    test_seed(&harness);
    test_fixed_order(&harness);
    test_numbers(&harness);
    return harness_end(&harness, "test_turn_order");
}
