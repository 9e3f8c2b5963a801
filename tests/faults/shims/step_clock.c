/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * step_clock.c: loaded before the C library, it steps the monotonic clock of rank 1 by STEP_MS milliseconds, AFTER_MS
 * after the engine has checked its timer (it reads the kernel's raw clock then, and only then): what happens to a host
 * whose clock is set while a launch runs there. A reading costs hardly more than without it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int64_t SECOND_NS = 1000000000, MS_NS = 1000000;

static int64_t setting_ns(const char *name)
{
    const char *text = getenv(name);
    return text != NULL ? atoll(text) * MS_NS : 0;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    static int (*real)(clockid_t, struct timespec *);
    static int64_t step_ns, after_ns, checked_ns;
    static int checks;
    if (real == NULL) {
        const char *rank = getenv("OMPI_COMM_WORLD_RANK");
        step_ns = rank != NULL && strcmp(rank, "1") == 0 ? setting_ns("STEP_MS") : 0;
        after_ns = setting_ns("AFTER_MS");
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    }
    const int code = real(clock, time);
    int64_t now = time->tv_sec * SECOND_NS + time->tv_nsec;
    if (clock == CLOCK_MONOTONIC_RAW)
        checks = 1;
    if (clock != CLOCK_MONOTONIC)
        return code;
    if (checks) {
        checked_ns = now;
        checks = 0;
    }
    if (checked_ns != 0 && now - checked_ns > after_ns) {
        now += step_ns;
        *time = (struct timespec){.tv_sec = now / SECOND_NS, .tv_nsec = now % SECOND_NS};
    }
    return code;
}
