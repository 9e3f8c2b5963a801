/* SPDX-License-Identifier: BSD-3-Clause */
/* startup.c: times the start of a launch, and combines the times of all processes (see startup.h). */
#include "measure/startup.h"

#include "machine/environment.h"
#include "statistics/statistics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int64_t STARTUP_SECOND_NS = 1000000000;
enum { STARTUP_TAG = 8, STARTUP_FIELD = 22 /* proc(5): starttime, in ticks since the boot */ };

static int64_t startup_read(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * STARTUP_SECOND_NS + now.tv_nsec;
}

static int64_t startup_now(void)
{
    return startup_read(CLOCK_MONOTONIC);
}

/* Return the age of this process in ns; -1 if the system does not tell it. The name in field 2 may contain blanks. */
static int64_t startup_age(void)
{
    char line[1024] = "";
    FILE *const file = fopen("/proc/self/stat", "r");
    if (file == NULL)
        return -1;
    const size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    char *place = strrchr(line, ')');
    for (int field = 2; place != NULL && field < STARTUP_FIELD; field++)
        place = strchr(place + 1, ' ');
    const long ticks = sysconf(_SC_CLK_TCK);
    if (place == NULL || ticks <= 0)
        return -1;
    const int64_t age = startup_read(CLOCK_BOOTTIME) - strtoll(place, NULL, 10) * (STARTUP_SECOND_NS / ticks);
    return age < 0 ? -1 : age;
}

void startup_begin(struct startup *startup)
{
    *startup = (struct startup){.simulated = environment_is_simulated()};
    if (startup->simulated)
        return;
    const int64_t age = startup_age();
    startup->loaded = age >= 0;
    startup->end_ns[STARTUP_LOAD] = startup_now();
    startup->begin_ns[STARTUP_LOAD] = startup->end_ns[STARTUP_LOAD] - (age < 0 ? 0 : age);
}

void startup_init(struct startup *startup, bool multiple)
{
    int level = MPI_THREAD_SINGLE;
    startup->begin_ns[STARTUP_INIT] = startup->simulated ? 0 : startup_now();
    if (multiple)
        MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    else
        MPI_Init(NULL, NULL);
    startup->end_ns[STARTUP_INIT] = startup->simulated ? 0 : startup_now();
}

int64_t startup_finalize(const struct startup *startup)
{
    if (!startup->simulated)
        MPI_Barrier(MPI_COMM_WORLD);
    const int64_t begin_ns = startup->simulated ? 0 : startup_now();
    MPI_Finalize();
    return startup->simulated ? 0 : startup_now() - begin_ns;
}

int startup_exchange(struct startup *startup, const struct team *team, struct fault *fault)
{
    if (startup->simulated)
        return 0;
    char sent = 1, received = 0;
    const int next = (team->rank + 1) % team->size, previous = (team->rank + team->size - 1) % team->size;
    startup->begin_ns[STARTUP_MESSAGE] = startup_now();
    const int result = MPI_Sendrecv(&sent, 1, MPI_BYTE, next, STARTUP_TAG, &received, 1, MPI_BYTE, previous,
                                    STARTUP_TAG, team->comm, MPI_STATUS_IGNORE);
    startup->end_ns[STARTUP_MESSAGE] = startup->begin_ns[STARTUP_BARRIER] = startup_now();
    if (team_mpi(fault, result, "MPI_Sendrecv") || team_mpi(fault, MPI_Barrier(team->comm), "MPI_Barrier"))
        return (int)fault->code;
    startup->end_ns[STARTUP_BARRIER] = startup_now();
    startup->exchanged = true;
    return 0;
}

/* What each process sends to rank 0: begins and ends in global time, and whether its age is known. */
enum { STARTUP_KNOWN = 2 * STARTUP_STEPS, STARTUP_VALUES };

static void startup_fill(const struct startup *startup, int64_t ago_ns, int64_t *values)
{
    for (int step = 0; step < STARTUP_STEPS; step++) {
        values[2 * step] = startup->begin_ns[step] + ago_ns;
        values[2 * step + 1] = startup->end_ns[step] + ago_ns;
    }
    values[STARTUP_KNOWN] = startup->loaded;
}

/* Combine a step; durations has room for one of each process. */
static struct startup_spread startup_spread(const int64_t *values, int processes, enum startup_step step,
                                            double *durations)
{
    int64_t first_begin = INT64_MAX, last_begin = INT64_MIN, last_end = INT64_MIN;
    for (int process = 0; process < processes; process++) {
        const int64_t *const value = values + (size_t)process * STARTUP_VALUES + 2 * step;
        durations[process] = (double)(value[1] - value[0]);
        first_begin = value[0] < first_begin ? value[0] : first_begin;
        last_begin = value[0] > last_begin ? value[0] : last_begin;
        last_end = value[1] > last_end ? value[1] : last_end;
    }
    const double median = statistics_median(durations, (size_t)processes); /* sorts */
    const bool from_first = step == STARTUP_LOAD || step == STARTUP_INIT;
    return (struct startup_spread){(int64_t)durations[0], (int64_t)durations[processes - 1], median,
                                   last_end - (from_first ? first_begin : last_begin), first_begin};
}

int startup_gather(const struct session *session, struct fault *fault)
{
    struct startup *const startup = session->startup;
    const struct team *const team = &session->team;
    int64_t local[STARTUP_VALUES];
    if (!startup->exchanged)
        return 0;
    const size_t count = team->rank == 0 ? (size_t)team->size : 1;
    int64_t *const all = calloc(count * STARTUP_VALUES, sizeof *all);
    double *const durations = calloc(count, sizeof *durations);
    /* The two clocks are read in sequence, so that begins and ends are wrong by less than a microsecond. */
    const int64_t ago_ns = clock_now(&session->clock) - startup_now();
    startup_fill(startup, ago_ns, local);
    if (all == NULL || durations == NULL)
        fault_set(fault, FAULT_SYSTEM, "out of memory for the start of %d ranks", team->size);
    else if (team_gather(team, local, all, STARTUP_VALUES, MPI_INT64_T, fault) == 0 && team->rank == 0) {
        startup->complete = startup->all_loaded = true;
        for (size_t process = 0; process < count; process++)
            startup->all_loaded = startup->all_loaded && all[process * STARTUP_VALUES + STARTUP_KNOWN] != 0;
        for (enum startup_step step = STARTUP_LOAD; step < STARTUP_STEPS; step++)
            startup->spreads[step] = startup_spread(all, team->size, step, durations);
        startup->began_ns =
            startup->spreads[STARTUP_LOAD].first_ns - ago_ns + startup_read(CLOCK_REALTIME) - startup_now();
    }
    free(all);
    free(durations);
    return (int)fault->code;
}
