/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random.h: pseudorandom numbers that depend on the seed alone, not on the machine.
 *
 * SplitMix64: G. Steele, D. Lea, C. Flood: Fast splittable pseudorandom number generators, OOPSLA 2014.
 */
#ifndef ISOCHRON_RANDOM_H
#define ISOCHRON_RANDOM_H

#include <stdint.h>

/* Return the next number of the sequence and advance *state. */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Return the next number from 0 to limit - 1; limit > 0 is small, so that the remainder is practically uniform. */
static inline uint64_t random_below(uint64_t *state, uint64_t limit)
{
    return random_next(state) % limit;
}

#endif
