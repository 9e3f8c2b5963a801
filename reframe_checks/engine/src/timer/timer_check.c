/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer_check.c: tests the quality of a timer (see timer_check.h).
 *
 * The cost is the median over blocks of successive readings. If successive readings are sometimes equal, the timer is
 * coarser than its cost, and its resolution is the smallest difference; otherwise it is the greatest common divisor of
 * the differences. The rate is compared with that of CLOCK_MONOTONIC_RAW, which is not disciplined: a kernel that
 * mishandles its clock source invalidates complete campaigns (M. Kurnosov, MPIPerf, 2012).
 */
#include "timer/timer_check.h"

#include "machine/team.h"
#include "statistics/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <time.h>

/* A simulated clock has no noise, and each reading costs an event of the simulation. */
enum {
    TIMER_CHECK_BLOCKS = 15,
    TIMER_CHECK_READINGS = 1000,
    TIMER_CHECK_SIMULATED = 10,
    TIMER_CHECK_EXACT = 1,
    TIMER_CHECK_PAIRS = 20,
    TIMER_CHECK_RATE_NS = 30000000
};

/* A kernel slews a clock by at most 500 ppm. */
static const double TIMER_RATE_LIMIT_PPM = 1000.0;

static int64_t timer_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static struct timer_quality timer_try(const struct timer *timer, int readings)
{
    struct timer_quality quality = {.monotonic = true, .invariant = -1};
    double cost[TIMER_CHECK_BLOCKS];
    int64_t divisor = 0;
    int64_t smallest = INT64_MAX;
    bool repeated = false;
    for (int block = 0; block < TIMER_CHECK_BLOCKS; block++) {
        const int64_t first = timer_now(timer);
        int64_t before = first;
        for (int i = 0; i < readings; i++) {
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
        cost[block] = (double)(before - first) / readings;
    }
    quality.cost_ns = statistics_median(cost, TIMER_CHECK_BLOCKS);
    quality.resolution_ns = divisor == 0 ? 0.0 : (double)(repeated ? smallest : divisor);
    return quality;
}

/* Read the timer and the raw clock at the same time: the tightest of 20 attempts. */
static struct timer_pair timer_read_pair(const struct timer *timer)
{
    struct timer_pair pair = {0};
    int64_t tightest = INT64_MAX;
    for (int i = 0; i < TIMER_CHECK_PAIRS; i++) {
        struct timespec raw;
        const int64_t before = timer_now(timer);
        clock_gettime(CLOCK_MONOTONIC_RAW, &raw);
        const int64_t width = timer_now(timer) - before;
        if (width < tightest) {
            tightest = width;
            pair.ns = before + width / 2;
            pair.raw_ns = raw.tv_sec * INT64_C(1000000000) + raw.tv_nsec;
        }
    }
    return pair;
}

struct timer_pair timer_first_pair(const struct timer_kind *kind, bool simulated)
{
    const struct timer unopened = {.kind = kind};
    return kind->before_mpi && !simulated ? timer_read_pair(&unopened) : (struct timer_pair){0};
}

static double timer_rate_ppm(const struct timer *timer, struct timer_pair first)
{
    if (first.raw_ns == 0)
        first = timer_read_pair(timer);
    else
        first.ns -= timer->origin_ns; /* it was read when the origin was 0 */
    struct timer_pair last;
    do {
        last = timer_read_pair(timer);
    } while (last.raw_ns - first.raw_ns < TIMER_CHECK_RATE_NS);
    const double raw_ns = (double)(last.raw_ns - first.raw_ns);
    return ((double)(last.ns - first.ns) - raw_ns) / raw_ns * 1e6;
}

int timer_check(const struct timer *timer, struct timer_pair first, const struct team *team,
                struct timer_quality *quality, struct fault *fault)
{
    const int readings = timer_is_exact(timer) ? TIMER_CHECK_EXACT
                         : timer->simulated    ? TIMER_CHECK_SIMULATED
                                               : TIMER_CHECK_READINGS;
    const struct timer_quality local = timer_try(timer, readings);
    const double rate_ppm = timer->simulated ? 0.0 : timer_rate_ppm(timer, first);
    /* The worst of each figure as a maximum; 1 means "not monotonic". A refused timer is never tested. */
    double worst[5] = {local.resolution_ns, local.cost_ns, local.monotonic ? 0.0 : 1.0, rate_ppm, -rate_ppm};
    if (team_maximum(team, worst, 5, MPI_DOUBLE, fault))
        return (int)fault->code;
    *quality = (struct timer_quality){.resolution_ns = worst[0],
                                      .cost_ns = worst[1],
                                      .monotonic = worst[2] == 0.0,
                                      .rate_ppm = worst[3] > worst[4] ? worst[3] : -worst[4],
                                      .invariant = timer->kind->refusal == NULL ? -1 : 1};
    return 0;
}

const char *timer_defect(const struct timer_quality *quality)
{
    if (!quality->monotonic)
        return "it runs backwards";
    if (quality->resolution_ns <= 0.0)
        return "it stands still";
    if (fabs(quality->rate_ppm) > TIMER_RATE_LIMIT_PPM)
        return "it runs at another rate than the raw clock of the kernel";
    return NULL;
}
