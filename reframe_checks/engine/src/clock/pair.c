/* SPDX-License-Identifier: BSD-3-Clause */
/* pair.c: compares the clocks of two processes by messages (see pair.h; Kurnosov, MPIPerf, 2012). */
#include "clock/pair.h"

#include "machine/team_talk.h"

struct pair_effort pair_thorough(int64_t patience)
{
    return (struct pair_effort){.patience = patience, .limit = 10 * patience};
}

struct pair_effort pair_brief(void)
{
    return (struct pair_effort){.patience = 10, .limit = 40};
}

/* What the client sends: please answer, or that was all. What the reference sends first: it has time now. */
static const int64_t PAIR_ASK = 1;
static const int64_t PAIR_DONE = 0;
static const int64_t PAIR_READY = 2;

static int pair_send(const struct team *team, int64_t word, int peer, struct fault *fault)
{
    return team_send(team, &word, 1, MPI_INT64_T, peer, TEAM_TAG_PAIR, fault);
}

static int pair_receive(const struct team *team, int64_t *word, int peer, struct fault *fault)
{
    return team_receive(team, word, 1, MPI_INT64_T, peer, TEAM_TAG_PAIR, fault);
}

int pair_ask(const struct team *team, const struct clock *clock, const struct estimator *estimator,
             struct pair_effort effort, int reference, struct estimate *estimate, struct fault *fault)
{
    int64_t word = 0;
    *estimate = estimator_begin();
    if (pair_receive(team, &word, reference, fault))
        return (int)fault->code;
    const int64_t begin_ns = clock_now(clock);
    int64_t end_ns = begin_ns;
    int64_t idle = 0;
    while (idle < effort.patience && estimate->exchanges < effort.limit) {
        struct exchange exchange = {.sent = clock_now(clock)};
        if (pair_send(team, PAIR_ASK, reference, fault) || pair_receive(team, &exchange.remote, reference, fault))
            return (int)fault->code;
        end_ns = exchange.received = clock_now(clock);
        idle = estimator->add(estimate, &exchange) ? 0 : idle + 1;
    }
    estimate->middle_ns = begin_ns + (end_ns - begin_ns) / 2;
    estimate->bound_ns += clock->resolution_ns + (int64_t)(clock->max_drift * (double)(end_ns - begin_ns));
    return pair_send(team, PAIR_DONE, reference, fault);
}

int pair_answer(const struct team *team, const struct clock *clock, int client, struct fault *fault)
{
    if (pair_send(team, PAIR_READY, client, fault))
        return (int)fault->code;
    for (;;) {
        int64_t word = PAIR_DONE;
        if (pair_receive(team, &word, client, fault))
            return (int)fault->code;
        if (word == PAIR_DONE)
            return 0;
        if (pair_send(team, clock_now(clock), client, fault))
            return (int)fault->code;
    }
}
