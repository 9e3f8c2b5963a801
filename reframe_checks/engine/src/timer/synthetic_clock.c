/* SPDX-License-Identifier: BSD-3-Clause */
/* synthetic_clock.c: synthetic clocks over the common one (see synthetic_clock.h). */
#include "timer/synthetic_clock.h"

#include "base/random.h"
#include "machine/team.h"

#include <math.h>
#include <time.h>

static const double MILLIONTH = 1e-6;

/* Uniform between 0 and 1, exclusive. */
static double synthetic_clock_uniform(uint64_t *state)
{
    return ((double)(random_next(state) >> 12) + 0.5) / 4503599627370496.0;
}

/* Return the reading of the clock when the common one reads common_ns. */
static int64_t synthetic_clock_reading(const struct synthetic_clock *synthetic, int64_t common_ns)
{
    double shift = synthetic->offset_ns + synthetic->drift * (double)common_ns;
    if (synthetic->false_since_ns != 0 && common_ns >= synthetic->false_since_ns &&
        common_ns < synthetic->false_until_ns)
        shift += synthetic->false_offset_ns + synthetic->false_drift * (double)(common_ns - synthetic->false_since_ns);
    return common_ns + llrint(shift);
}

/* Wait until a reading that began at begin_ns is over; simulated time passes only while a process sleeps. */
static void synthetic_clock_delay(const struct synthetic_clock *synthetic, const struct timer *timer, int64_t begin_ns)
{
    const struct timespec pause = {.tv_nsec = (long)synthetic->reading_ns};
    if (timer->simulated)
        nanosleep(&pause, NULL);
    while (!timer->simulated && synthetic->common->now(timer) < begin_ns + synthetic->reading_ns) {
    }
}

static int64_t synthetic_clock_now(const struct timer *timer)
{
    struct synthetic_clock *const synthetic = timer->test;
    const int64_t common_ns = synthetic->common->now(timer);
    const int64_t now = synthetic_clock_reading(synthetic, common_ns);
    if (synthetic->noise_ns > 0.0) {
        const double delay_ns = -synthetic->noise_ns * log(synthetic_clock_uniform(&synthetic->random));
        const struct timespec pause = {.tv_nsec = (long)fmin(delay_ns, 999999999.0)};
        nanosleep(&pause, NULL);
    }
    if (synthetic->reading_ns > 0)
        synthetic_clock_delay(synthetic, timer, common_ns);
    return now;
}

/* Set offset and drift for the clock of this number. */
static void synthetic_clock_shape(const struct synthetic_clock_spec *spec, int number,
                                  struct synthetic_clock *synthetic)
{
    uint64_t state = (uint64_t)spec->seed * 1000003u + (uint64_t)number;
    synthetic->offset_ns = spec->offset_s * 1e9 * (2.0 * synthetic_clock_uniform(&state) - 1.0);
    synthetic->drift = spec->drift_ppm * MILLIONTH * (2.0 * synthetic_clock_uniform(&state) - 1.0);
}

/* Set *number to the lowest rank of this node. */
static int synthetic_clock_node(MPI_Comm comm, int rank, int *number, struct fault *fault)
{
    MPI_Comm node = MPI_COMM_NULL;
    if (team_mpi(fault, MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node),
                 "MPI_Comm_split_type"))
        return (int)fault->code;
    *number = rank;
    const int code = team_mpi(fault, MPI_Bcast(number, 1, MPI_INT, 0, node), "MPI_Bcast");
    MPI_Comm_free(&node);
    return code;
}

int synthetic_clock_start(const struct synthetic_clock_spec *spec, const struct team *team,
                          struct synthetic_clock *synthetic, struct timer *timer, struct fault *fault)
{
    struct timer common = *timer;
    int number = team->rank;
    /* One origin for all: that of rank 0. */
    if ((spec->node > 0.0 && synthetic_clock_node(team->comm, team->rank, &number, fault)) ||
        team_broadcast(team, &common, (int)sizeof common, MPI_BYTE, fault))
        return (int)fault->code;
    *synthetic = (struct synthetic_clock){
        .kind = *timer->kind,
        .common = timer->kind,
        .noise_ns = spec->noise_ns,
        .reading_ns = (int64_t)spec->reading_ns,
        .random = (uint64_t)spec->seed * 7919u + (uint64_t)team->rank * 104729u + 1u,
    };
    synthetic_clock_shape(spec, number, synthetic);
    synthetic->kind.now = synthetic_clock_now;
    timer->origin_ns = common.origin_ns;
    timer->origin_s = common.origin_s;
    timer->origin_tick = common.origin_tick;
    timer->kind = &synthetic->kind;
    timer->test = synthetic;
    return 0;
}

int synthetic_clock_falsify(const struct synthetic_clock_spec *spec, const struct team *team,
                            struct synthetic_clock *synthetic, const struct timer *timer, struct fault *fault)
{
    int64_t now_ns = synthetic->common->now(timer);
    if (team_broadcast(team, &now_ns, 1, MPI_INT64_T, fault))
        return (int)fault->code;
    if (spec->false_rank > 0.0 && team->rank == (int)spec->false_rank) {
        synthetic->false_offset_ns = 1000.0 * spec->false_offset_us;
        synthetic->false_drift = MILLIONTH * spec->false_drift_ppm;
        synthetic->false_since_ns = now_ns + llrint(1e9 * spec->false_after_s);
        synthetic->false_until_ns =
            spec->false_for_s > 0.0 ? synthetic->false_since_ns + llrint(1e9 * spec->false_for_s) : INT64_MAX;
    }
    return 0;
}

void synthetic_clock_truth(const struct synthetic_clock_spec *spec, const struct synthetic_clock *synthetic,
                           const struct timer *timer, int64_t *local_ns, int64_t *root_ns)
{
    struct synthetic_clock root = {0};
    const int64_t common_ns = synthetic->common->now(timer);
    synthetic_clock_shape(spec, 0, &root);
    *local_ns = synthetic_clock_reading(synthetic, common_ns);
    *root_ns = synthetic_clock_reading(&root, common_ns);
}
