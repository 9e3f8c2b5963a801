/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer_tsc.c: the time stamp counter of x86-64, refused unless it runs at one rate whatever the processor does.
 *
 * The rate is measured by one process of each node against CLOCK_MONOTONIC_RAW and given to the others there, so that
 * clocks of one node do not drift apart by the error of the measurement.
 */
#include "timer/timer_tsc.h"

#include "machine/clock_source.h"
#include "machine/team.h"

#include <string.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>

static uint64_t timer_tsc_ticks(void)
{
    unsigned processor;
    return __rdtscp(&processor);
}

/* CPUID 0x80000007, EDX bit 8: invariant TSC. */
static bool timer_tsc_is_invariant(void)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
}
#else
static uint64_t timer_tsc_ticks(void)
{
    return 0;
}

static bool timer_tsc_is_invariant(void)
{
    return false;
}
#endif

int64_t timer_tsc_now(const struct timer *timer)
{
    return (int64_t)((double)(timer_tsc_ticks() - timer->origin_tick) * timer->ns_per_tick);
}

const char *timer_tsc_refusal(bool simulated)
{
    if (simulated)
        return "a simulated machine has no time stamp counter of its own";
    if (!timer_tsc_is_invariant())
        return "the processor has no invariant time stamp counter";
    /* The kernel compares clocks all the time; where it left the TSC for another, so should we. */
    char source[64];
    clock_source_read(source, sizeof source);
    if (strcmp(source, "tsc") != 0 && strcmp(source, "kvm-clock") != 0 &&
        strncmp(source, "hyperv_clocksource_tsc", 22) != 0)
        return "the kernel does not trust the time stamp counter (its clock source is another)";
    return NULL;
}

/* A reading of both clocks at once: the tightest of a few. */
static void timer_tsc_read_pair(int64_t *ns, uint64_t *ticks)
{
    uint64_t tightest = UINT64_MAX;
    for (int i = 0; i < 20; i++) {
        struct timespec now;
        const uint64_t before = timer_tsc_ticks();
        clock_gettime(CLOCK_MONOTONIC_RAW, &now);
        const uint64_t width = timer_tsc_ticks() - before;
        if (width < tightest) {
            tightest = width;
            *ticks = before + width / 2;
            *ns = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
        }
    }
}

static double timer_tsc_rate(void)
{
    int64_t first_ns = 0, last_ns = 0;
    uint64_t first_tick = 0, last_tick = 0;
    timer_tsc_read_pair(&first_ns, &first_tick);
    do {
        timer_tsc_read_pair(&last_ns, &last_tick);
    } while (last_ns - first_ns < 50000000);
    return (double)(last_ns - first_ns) / (double)(last_tick - first_tick);
}

int timer_tsc_start(struct timer *timer, MPI_Comm comm, struct fault *fault)
{
    MPI_Comm node = MPI_COMM_NULL;
    int rank = 0;
    if (team_mpi(fault, MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
                 "MPI_Comm_split_type"))
        return (int)fault->code;
    MPI_Comm_rank(node, &rank);
    if (rank == 0)
        timer->ns_per_tick = timer_tsc_rate();
    const int code = team_mpi(fault, MPI_Bcast(&timer->ns_per_tick, 1, MPI_DOUBLE, 0, node), "MPI_Bcast");
    MPI_Comm_free(&node);
    timer->origin_tick = timer_tsc_ticks();
    timer->origin_ns = (int64_t)((double)timer->origin_tick * timer->ns_per_tick);
    return code;
}
