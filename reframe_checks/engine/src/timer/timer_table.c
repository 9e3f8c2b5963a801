/* SPDX-License-Identifier: BSD-3-Clause */
/* timer_table.c: the table of timers, and those that the system and MPI offer. */
#include "timer/timer_table.h"

#include "timer/timer_tsc.h"

#include <math.h>
#include <sys/time.h>
#include <time.h>

static const int64_t SECOND_NS = 1000000000;

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

/* For timers whose raw reading is what they give while the origin is 0. */
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
