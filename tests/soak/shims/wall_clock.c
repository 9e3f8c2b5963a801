/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wall_clock.c: put before the C library, it sets the time of day by WALL_STEP_S seconds once the monotonic clock has
 * passed WALL_AT_S: what every process of a machine sees when its clock is set. The times of files stay as they are, as
 * on a file server.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long long setting(const char *name)
{
    const char *text = getenv(name);
    return text != NULL ? atoll(text) : 0;
}

static int real_gettime(clockid_t clock, struct timespec *time)
{
    static int (*real)(clockid_t, struct timespec *);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    return real(clock, time);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    const int code = real_gettime(clock, time);
    if (code != 0 || clock != CLOCK_REALTIME)
        return code;
    struct timespec up;
    real_gettime(CLOCK_MONOTONIC, &up);
    if (up.tv_sec >= setting("WALL_AT_S"))
        time->tv_sec += setting("WALL_STEP_S");
    return code;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec time;
    (void)zone;
    const int code = clock_gettime(CLOCK_REALTIME, &time);
    *now = (struct timeval){.tv_sec = time.tv_sec, .tv_usec = time.tv_nsec / 1000};
    return code;
}

time_t time(time_t *store)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (store != NULL)
        *store = now.tv_sec;
    return now.tv_sec;
}
