/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * step_clock.c: loaded before the C library, it steps the monotonic clock of rank 1 by STEP_MS milliseconds once it
 * has been read STEP_AFTER times: what happens to a host whose clock is set while a launch runs there.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/syscall.h>
#include <unistd.h>

static long setting(const char *name)
{
    const char *text = getenv(name);
    return text != NULL ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    static long readings, step_ms, after;
    if (syscall(SYS_clock_gettime, clock, time) != 0)
        return -1;
    if (clock != CLOCK_MONOTONIC)
        return 0;
    if (readings++ == 0) {
        const char *rank = getenv("OMPI_COMM_WORLD_RANK");
        step_ms = rank != NULL && strcmp(rank, "1") == 0 ? setting("STEP_MS") : 0;
        after = setting("STEP_AFTER");
    }
    if (readings > after) {
        const int64_t now = time->tv_sec * INT64_C(1000000000) + time->tv_nsec + step_ms * INT64_C(1000000);
        *time = (struct timespec){.tv_sec = now / 1000000000, .tv_nsec = now % 1000000000};
    }
    return 0;
}
