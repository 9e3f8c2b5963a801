/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clock.h: the time of a call in ticks: of the processor (TSC) where it says that they come at one rate, else in ns of
 * CLOCK_MONOTONIC. A reading of the TSC takes about 10 ns, one of the kernel's clock two to four times as long.
 */
#ifndef PROFILE_CLOCK_H
#define PROFILE_CLOCK_H

#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

static inline uint64_t clock_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Whether the TSC ticks at one rate in every state of the processor (AMD64 manual 3, CPUID 8000_0007h, EDX bit 8). */
static inline int clock_is_invariant(void)
{
#if defined(__x86_64__)
    unsigned int a, b, c, d;
    return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d >> 8 & 1u);
#else
    return 0;
#endif
}

static inline uint64_t clock_ticks(int invariant)
{
#if defined(__x86_64__)
    if (invariant) {
        return __builtin_ia32_rdtsc();
    }
#endif
    (void)invariant;
    return clock_ns();
}

#endif
