/* SPDX-License-Identifier: BSD-3-Clause */
/* comparison.c: compares the clocks of two processes by messages (see comparison.h; M. Kurnosov, MPIPerf, 2012). */
#include "clock/comparison.h"

#include "machine/team.h"

struct comparison_effort comparison_thorough(int64_t patience)
{
    return (struct comparison_effort){.patience = patience, .limit = 10 * patience};
}

struct comparison_effort comparison_brief(void)
{
    return (struct comparison_effort){.patience = 10, .limit = 40};
}

/* Signals: the client requests an answer, or ends the comparison; the reference is ready, which it sends first. */
static const int64_t COMPARISON_REQUEST = 1;
static const int64_t COMPARISON_DONE = 0;
static const int64_t COMPARISON_READY = 2;

static int comparison_send(const struct team *team, int64_t signal, int peer, struct fault *fault)
{
    return team_send(team, &signal, 1, MPI_INT64_T, peer, TEAM_TAG_COMPARISON, fault);
}

static int comparison_receive(const struct team *team, int64_t *signal, int peer, struct fault *fault)
{
    return team_receive(team, signal, 1, MPI_INT64_T, peer, TEAM_TAG_COMPARISON, fault);
}

int comparison_as_client(const struct team *team, const struct clock *clock, const struct estimator *estimator,
                         struct comparison_effort effort, int reference, struct estimate *estimate, struct fault *fault)
{
    int64_t signal = 0;
    *estimate = estimator_begin();
    if (comparison_receive(team, &signal, reference, fault))
        return (int)fault->code;
    const int64_t begin_ns = clock_now(clock);
    int64_t end_ns = begin_ns;
    int64_t unimproved = 0;
    while (unimproved < effort.patience && estimate->exchanges < effort.limit) {
        struct exchange exchange = {.sent = clock_now(clock)};
        if (comparison_send(team, COMPARISON_REQUEST, reference, fault) ||
            comparison_receive(team, &exchange.remote, reference, fault))
            return (int)fault->code;
        end_ns = exchange.received = clock_now(clock);
        unimproved = estimator->add(estimate, &exchange) ? 0 : unimproved + 1;
    }
    estimate->middle_ns = begin_ns + (end_ns - begin_ns) / 2;
    estimate->bound_ns += clock->resolution_ns + (int64_t)(clock->max_drift * (double)(end_ns - begin_ns));
    return comparison_send(team, COMPARISON_DONE, reference, fault);
}

int comparison_as_reference(const struct team *team, const struct clock *clock, int client, struct fault *fault)
{
    if (comparison_send(team, COMPARISON_READY, client, fault))
        return (int)fault->code;
    for (;;) {
        int64_t signal = COMPARISON_DONE;
        if (comparison_receive(team, &signal, client, fault))
            return (int)fault->code;
        if (signal == COMPARISON_DONE)
            return 0;
        if (comparison_send(team, clock_now(clock), client, fault))
            return (int)fault->code;
    }
}
