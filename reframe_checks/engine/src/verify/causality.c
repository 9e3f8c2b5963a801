/* SPDX-License-Identifier: BSD-3-Clause */
/* causality.c: looks for messages that arrive before they are sent (see causality.h). */
#include "verify/causality.h"

#include "machine/team_agree.h"
#include "machine/team_talk.h"
#include "statistics/median.h"

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
 * Partner i is sent to; who has this process as partner i is heard. All do so at once, so the sends are synchronous
 * (see team.h).
 */
static int causality_exchange(const struct team *team, int i, int64_t word, int64_t *heard, struct fault *fault)
{
    MPI_Request hears = MPI_REQUEST_NULL;
    const int from = causality_partner(team, i ^ 1), to = causality_partner(team, i);
    if (team_mpi(fault, MPI_Irecv(heard, 1, MPI_INT64_T, from, TEAM_TAG_PAIR, team->comm, &hears), "MPI_Irecv") ||
        team_send_in_time(team, &word, 1, MPI_INT64_T, to, TEAM_TAG_PAIR, fault))
        return (int)fault->code;
    return team_mpi(fault, MPI_Wait(&hears, MPI_STATUS_IGNORE), "MPI_Wait");
}

int causality_listen(const struct team *team, const struct clock *clock, struct causality_heard *heard,
                     struct fault *fault)
{
    for (int i = 0; i < causality_partners(team); i++) {
        int64_t sent_ns = 0;
        if (causality_exchange(team, i, clock_now(clock), &sent_ns, fault))
            return (int)fault->code;
        const int64_t early_ns = sent_ns - clock_now(clock) - clock->resolution_ns;
        if (heard->passes == 0 || early_ns > heard->early_ns[i ^ 1])
            heard->early_ns[i ^ 1] = early_ns;
    }
    heard->passes++;
    return 0;
}

/*
 * What this process has seen. How far its clock is ahead of a partner's is half the difference of the two ways; the
 * median over the partners is its own error as long as few clocks are false.
 */
static int causality_judge(const struct team *team, const int64_t *early_ns, struct causality *own, struct fault *fault)
{
    double ahead_ns[CAUSALITY_PARTNERS];
    const int partners = causality_partners(team);
    for (int i = 0; i < partners; i++) {
        int64_t told_ns = 0; /* how early the messages of this process arrived at partner i ^ 1 */
        if (causality_exchange(team, i, early_ns[i], &told_ns, fault))
            return (int)fault->code;
        const int64_t heard_ns = early_ns[i ^ 1];
        ahead_ns[i] = 0.5 * (double)(told_ns - heard_ns);
        own->violations += heard_ns > 0;
        own->worst_ns = heard_ns > own->worst_ns ? heard_ns : own->worst_ns;
    }
    own->error_ns = partners == 0 ? 0 : llrint(fabs(statistics_median(ahead_ns, (size_t)partners)));
    return 0;
}

void causality_hear(int64_t early_ns, struct causality_heard *heard)
{
    heard->announcements += early_ns > 0;
    heard->announced_ns = early_ns > heard->announced_ns ? early_ns : heard->announced_ns;
}

/*
 * From what each process has seen to what all have. The largest error wins, and of equals the highest rank: one maximum
 * decides both. Who is behind announcements is off by that at least; where most are, it is rank 0 that is ahead.
 */
static int causality_combine(const struct team *team, const struct causality *own, const struct causality_heard *heard,
                             struct causality *all, struct fault *fault)
{
    int64_t sums[2] = {own->violations + heard->announcements, heard->announcements > 0};
    if (team_sum(team, sums, 2, fault))
        return (int)fault->code;
    const bool root_ahead = team->size > 2 && 2 * sums[1] >= team->size;
    const bool behind = !root_ahead && heard->announced_ns > own->error_ns;
    const int64_t error_ns = behind ? heard->announced_ns : own->error_ns;
    const int64_t worst_ns = heard->announced_ns > own->worst_ns ? heard->announced_ns : own->worst_ns;
    int64_t most[2] = {error_ns * team->size + team->rank, worst_ns};
    if (team_maximum(team, most, 2, MPI_INT64_T, fault))
        return (int)fault->code;
    *all = (struct causality){.rank = -1};
    if (sums[0] > 0)
        *all = (struct causality){sums[0], most[1], most[0] / team->size, most[0] % team->size};
    if (root_ahead && all->error_ns < all->worst_ns)
        *all = (struct causality){sums[0], most[1], most[1], 0};
    return 0;
}

int causality_check(const struct team *team, const struct clock *clock, struct causality_heard *heard,
                    struct causality *causality, struct fault *fault)
{
    struct causality own = {0};
    for (int pass = 0; pass < CAUSALITY_PASSES; pass++)
        if (causality_listen(team, clock, heard, fault))
            return (int)fault->code;
    if (causality_judge(team, heard->early_ns, &own, fault))
        return (int)fault->code;
    return causality_combine(team, &own, heard, causality, fault);
}
