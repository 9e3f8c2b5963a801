/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer.c: the timers of x86-64, the system and MPI, and opening one on all processes (see timer.h).
 *
 * The time stamp counter is refused unless it has a constant rate. The rate is measured against CLOCK_MONOTONIC_RAW by
 * one process of each node and passed to the others there: otherwise clocks of one node would drift apart by the error
 * of the measurement.
 */
#include "timer/timer.h"

#include "machine/environment.h"
#include "machine/team.h"

#include <math.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static const int64_t SECOND_NS = 1000000000;

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

static int64_t timer_tsc_now(const struct timer *timer)
{
    return (int64_t)((double)(timer_tsc_ticks() - timer->origin_tick) * timer->ns_per_tick);
}

static const char *timer_tsc_refusal(bool simulated)
{
    if (simulated)
        return "a simulated machine has no time stamp counter";
    if (!timer_tsc_is_invariant())
        return "the processor has no invariant time stamp counter";
    /* The kernel compares clocks continuously; if it abandoned the TSC, so does the engine. */
    char source[64];
    clock_source_read(source, sizeof source);
    if (strcmp(source, "tsc") != 0 && strcmp(source, "kvm-clock") != 0 &&
        strncmp(source, "hyperv_clocksource_tsc", 22) != 0)
        return "the kernel does not trust the time stamp counter (it uses another clock source)";
    return NULL;
}

/* Read both clocks at the same time: the tightest of 20 attempts. */
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

static int timer_tsc_start(struct timer *timer, MPI_Comm comm, struct fault *fault)
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

static int64_t timer_mpi_wtime_now(const struct timer *timer)
{
    return llrint((MPI_Wtime() - timer->origin_s) * 1e9);
}

static int timer_mpi_wtime_start(struct timer *timer, MPI_Comm comm, struct fault *fault)
{
    (void)comm;
    (void)fault;
    timer->origin_s = MPI_Wtime();
    timer->origin_ns = llrint(timer->origin_s * 1e9);
    return 0;
}

static int64_t timer_clock_gettime_now(const struct timer *timer)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * SECOND_NS + now.tv_nsec - timer->origin_ns;
}

static int64_t timer_gettimeofday_now(const struct timer *timer)
{
    struct timeval now;
    gettimeofday(&now, NULL);
    return now.tv_sec * SECOND_NS + now.tv_usec * 1000 - timer->origin_ns;
}

/* For timers that give their raw reading while the origin is 0. */
static int timer_start_at_reading(struct timer *timer, MPI_Comm comm, struct fault *fault)
{
    (void)comm;
    (void)fault;
    timer->origin_ns = timer_now(timer);
    return 0;
}

static const struct timer_kind TIMERS[] = {
    [TIMER_MPI_WTIME] = {TIMER_MPI_WTIME, timer_mpi_wtime_now, timer_mpi_wtime_start, NULL, false},
    [TIMER_CLOCK_GETTIME] = {TIMER_CLOCK_GETTIME, timer_clock_gettime_now, timer_start_at_reading, NULL, true},
    [TIMER_GETTIMEOFDAY] = {TIMER_GETTIMEOFDAY, timer_gettimeofday_now, timer_start_at_reading, NULL, true},
    [TIMER_TSC] = {TIMER_TSC, timer_tsc_now, timer_tsc_start, timer_tsc_refusal, false},
};

const struct timer_kind *timer_of(enum timer_choice choice)
{
    return &TIMERS[choice];
}

int timer_open(struct timer *timer, const struct timer_kind *kind, bool simulated, const struct team *team,
               struct fault *fault)
{
    *timer = (struct timer){.kind = kind, .simulated = simulated};
    const char *const refusal = kind->refusal == NULL ? NULL : kind->refusal(simulated);
    if (refusal != NULL)
        fault_set(fault, FAULT_ENVIRONMENT, "--timer %s: %s; take another timer", TIMER_NAMES[kind->choice], refusal);
    /* A process whose timer is refused must not leave the others waiting in a collective start. */
    int worst = (int)fault->code;
    if (team_maximum(team, &worst, 1, MPI_INT, fault))
        return (int)fault->code;
    return worst != 0 ? worst : kind->start(timer, team->comm, fault);
}
