/* SPDX-License-Identifier: BSD-3-Clause */
/* timer_table.c: the table of timers, and those that the system and MPI offer. */
#include "timer/timer_table.h"

#include "timer/timer_tsc.h"

#include <math.h>
#include <string.h>
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
    {"mpi-wtime", timer_mpi_wtime_now, timer_mpi_wtime_start, NULL, false},
    {"clock-gettime", timer_clock_gettime_now, timer_start_at_reading, NULL, true},
    {"gettimeofday", timer_gettimeofday_now, timer_start_at_reading, NULL, true},
    {"tsc", timer_tsc_now, timer_tsc_start, timer_tsc_refusal, false},
    {NULL, NULL, NULL, NULL, false},
};

const struct timer_kind *timer_table(void)
{
    return TIMERS;
}

const struct timer_kind *timer_find(const char *name)
{
    for (const struct timer_kind *kind = TIMERS; kind->name != NULL; kind++)
        if (strcmp(kind->name, name) == 0)
            return kind;
    return NULL;
}
