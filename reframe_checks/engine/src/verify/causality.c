/* SPDX-License-Identifier: BSD-3-Clause */
/* causality.c: finds messages that arrive before they are sent (see causality.h). */
#include "verify/causality.h"

#include "machine/team.h"
#include "statistics/statistics.h"

#include <math.h>
#include <stdbool.h>

enum { CAUSALITY_PASSES = 4 };

/* Partners at distances 1, 1, 2, 2, 4, 4 ..., to the right and to the left. */
static int causality_partner(const struct team *team, int i)
{
    const int distance = 1 << i / 2;
    return (team->rank + (i % 2 == 0 ? distance : team->size - distance)) % team->size;
}

static int causality_partners(const struct team *team)
{
    int count = 0;
    while (1 << count / 2 < team->size)
        count += 2;
    return count;
}

/*
 * Send to partner i, and receive from the process that has this one as its partner i. All processes do so at the same
 * time, so the sends are synchronous (see team.h).
 */
static int causality_exchange(const struct team *team, int i, int64_t value, int64_t *received, struct fault *fault)
{
    MPI_Request request = MPI_REQUEST_NULL;
    const int from = causality_partner(team, i ^ 1), to = causality_partner(team, i);
    if (team_mpi(fault, MPI_Irecv(received, 1, MPI_INT64_T, from, TEAM_TAG_COMPARISON, team->comm, &request),
                 "MPI_Irecv") ||
        team_send_synchronous(team, &value, 1, MPI_INT64_T, to, TEAM_TAG_COMPARISON, fault))
        return (int)fault->code;
    return team_mpi(fault, MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
}

int causality_exchange_all(const struct team *team, const struct clock *clock, struct causality_received *received,
                           struct fault *fault)
{
    for (int i = 0; i < causality_partners(team); i++) {
        int64_t sent_ns = 0;
        if (causality_exchange(team, i, clock_now(clock), &sent_ns, fault))
            return (int)fault->code;
        const int64_t early_ns = sent_ns - clock_now(clock) - clock->resolution_ns;
        if (received->passes == 0 || early_ns > received->early_ns[i ^ 1])
            received->early_ns[i ^ 1] = early_ns;
    }
    received->passes++;
    return 0;
}

/*
 * Evaluate the messages of this process. It is ahead of a partner by half the difference of the two directions; the
 * median over the partners is its own error if few clocks are false.
 */
static int causality_local(const struct team *team, const int64_t *early_ns, struct causality *local,
                           struct fault *fault)
{
    double ahead_ns[CAUSALITY_PARTNERS];
    const int partners = causality_partners(team);
    for (int i = 0; i < partners; i++) {
        int64_t reported_ns = 0; /* the early arrival of this process's messages at partner i ^ 1 */
        if (causality_exchange(team, i, early_ns[i], &reported_ns, fault))
            return (int)fault->code;
        const int64_t received_ns = early_ns[i ^ 1];
        ahead_ns[i] = 0.5 * (double)(reported_ns - received_ns);
        local->violations += received_ns > 0;
        local->worst_ns = received_ns > local->worst_ns ? received_ns : local->worst_ns;
    }
    local->error_ns = partners == 0 ? 0 : llrint(fabs(statistics_median(ahead_ns, (size_t)partners)));
    return 0;
}

void causality_note(int64_t early_ns, struct causality_received *received)
{
    received->announcements += early_ns > 0;
    received->announced_ns = early_ns > received->announced_ns ? early_ns : received->announced_ns;
}

/*
 * Combine all processes. The largest error wins, among equals the highest rank: one maximum decides both. A process
 * that received early announcements has at least that error; if most processes did, rank 0 is ahead.
 */
static int causality_combine(const struct team *team, const struct causality *local,
                             const struct causality_received *received, struct causality *all, struct fault *fault)
{
    int64_t sums[2] = {local->violations + received->announcements, received->announcements > 0};
    if (team_sum(team, sums, 2, fault))
        return (int)fault->code;
    const bool root_ahead = team->size > 2 && 2 * sums[1] >= team->size;
    const bool behind = !root_ahead && received->announced_ns > local->error_ns;
    const int64_t error_ns = behind ? received->announced_ns : local->error_ns;
    const int64_t worst_ns = received->announced_ns > local->worst_ns ? received->announced_ns : local->worst_ns;
    int64_t max[2] = {error_ns * team->size + team->rank, worst_ns};
    if (team_maximum(team, max, 2, MPI_INT64_T, fault))
        return (int)fault->code;
    *all = (struct causality){.rank = -1};
    if (sums[0] > 0)
        *all = (struct causality){sums[0], max[1], max[0] / team->size, max[0] % team->size};
    if (root_ahead && all->error_ns < all->worst_ns)
        *all = (struct causality){sums[0], max[1], max[1], 0};
    return 0;
}

int causality_check(const struct team *team, const struct clock *clock, struct causality_received *received,
                    struct causality *causality, struct fault *fault)
{
    struct causality local = {0};
    for (int pass = 0; pass < CAUSALITY_PASSES; pass++)
        if (causality_exchange_all(team, clock, received, fault))
            return (int)fault->code;
    if (causality_local(team, received->early_ns, &local, fault))
        return (int)fault->code;
    return causality_combine(team, &local, received, causality, fault);
}
