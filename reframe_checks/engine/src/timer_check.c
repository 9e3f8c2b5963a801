/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer_check.c: tries a timer before it is trusted.
 *
 * Cost is the median over blocks of successive readings. Where successive readings are sometimes equal the timer is
 * coarser than its cost, and its step is the smallest difference; else it is the greatest common divisor of the
 * differences.
 */
#include "timer.h"

#include "statistics.h"
#include "team.h"

#include <stdbool.h>

enum { TIMER_CHECK_BLOCKS = 15, TIMER_CHECK_READINGS = 1000 };

static int64_t timer_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static struct timer_quality timer_try(const struct timer *timer)
{
    struct timer_quality quality = {.monotonic = true, .invariant = -1};
    double cost[TIMER_CHECK_BLOCKS];
    int64_t divisor = 0;
    int64_t smallest = INT64_MAX;
    bool repeated = false;
    for (int block = 0; block < TIMER_CHECK_BLOCKS; block++) {
        const int64_t first = timer_now(timer);
        int64_t before = first;
        for (int i = 0; i < TIMER_CHECK_READINGS; i++) {
            const int64_t now = timer_now(timer);
            const int64_t step = now - before;
            before = now;
            if (step < 0)
                quality.monotonic = false;
            else if (step == 0)
                repeated = true;
            else {
                divisor = timer_common_divisor(divisor, step);
                smallest = step < smallest ? step : smallest;
            }
        }
        cost[block] = (double)(before - first) / TIMER_CHECK_READINGS;
    }
    quality.cost_ns = statistics_median(cost, TIMER_CHECK_BLOCKS);
    quality.resolution_ns = divisor == 0 ? 0.0 : (double)(repeated ? smallest : divisor);
    return quality;
}

int timer_check(const struct timer *timer, MPI_Comm comm, struct timer_quality *quality, struct fault *fault)
{
    const struct timer_quality own = timer_try(timer);
    /* The worst of each figure: a maximum, where 1 stands for "not monotonic". A refused timer is never tried. */
    const double mine[3] = {own.resolution_ns, own.cost_ns, own.monotonic ? 0.0 : 1.0};
    double worst[3] = {0.0, 0.0, 0.0};
    if (team_mpi(fault, MPI_Allreduce(mine, worst, 3, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce"))
        return (int)fault->code;
    *quality = (struct timer_quality){.resolution_ns = worst[0], .cost_ns = worst[1], .monotonic = worst[2] == 0.0,
                                      .invariant = timer->kind->refusal == NULL ? -1 : 1};
    return 0;
}
