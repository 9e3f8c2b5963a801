/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rate_clock.c: put before the C library, it lets the monotonic clock run RATE_PPM millionths too fast: what a kernel
 * does that mishandles its clock source. The raw clock stays as it is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static const int64_t SECOND_NS = 1000000000, MILLION = 1000000;

int clock_gettime(clockid_t clock, struct timespec *time)
{
    static int (*real)(clockid_t, struct timespec *);
    static int64_t rate_ppm, first_ns;
    if (real == NULL) {
        const char *text = getenv("RATE_PPM");
        rate_ppm = text != NULL ? atoll(text) : 0;
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    }
    const int code = real(clock, time);
    if (clock != CLOCK_MONOTONIC)
        return code;
    int64_t now = time->tv_sec * SECOND_NS + time->tv_nsec;
    if (first_ns == 0)
        first_ns = now;
    now += (now - first_ns) / MILLION * rate_ppm + (now - first_ns) % MILLION * rate_ppm / MILLION;
    *time = (struct timespec){.tv_sec = now / SECOND_NS, .tv_nsec = now % SECOND_NS};
    return code;
}
