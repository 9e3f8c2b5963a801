/* SPDX-License-Identifier: BSD-3-Clause */
/* processor.c: a short computation and a short copy (see processor.h). */
#include "instruments/processor.h"

#include "instruments/moment.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSOR_COPIED = 64 * 1024, PROCESSOR_LINE = 64, PROCESSOR_STEPS = 2000 };

#ifdef __x86_64__
#include <emmintrin.h>

static void processor_pass_by(char *to, const char *from)
{
    for (int i = 0; i < PROCESSOR_COPIED; i += (int)sizeof(__m128i))
        _mm_stream_si128((__m128i *)(void *)(to + i), _mm_load_si128((const __m128i *)(const void *)(from + i)));
    _mm_sfence();
}

static void processor_evict(const char *memory)
{
    for (int i = 0; i < PROCESSOR_COPIED; i += PROCESSOR_LINE)
        _mm_clflush(memory + i);
    _mm_mfence();
}

void *processor_open_copies(void)
{
    void *memory = NULL;
    if (posix_memalign(&memory, PROCESSOR_LINE, 2 * PROCESSOR_COPIED) != 0)
        return NULL;
    memset(memory, 1, 2 * PROCESSOR_COPIED);
    processor_evict(memory);
    return memory;
}

double processor_copy(void *memory)
{
    char *const from = memory;
    if (from == NULL)
        return NAN;
    const int64_t begin_ns = moment_now();
    processor_pass_by(from + PROCESSOR_COPIED, from);
    const int64_t took_ns = moment_now() - begin_ns;
    processor_evict(from);
    return took_ns > 0 ? (double)PROCESSOR_COPIED / (double)took_ns : NAN;
}
#else
void *processor_open_copies(void)
{
    return NULL;
}

double processor_copy(void *memory)
{
    (void)memory;
    return NAN;
}
#endif

void processor_close_copies(void *memory)
{
    free(memory);
}

double processor_compute(void)
{
    volatile double sink = 1.0;
    double x = sink;
    const int64_t begin_ns = moment_now();
    for (int i = 0; i < PROCESSOR_STEPS; i++)
        x += 1e-6;
    sink = x;
    return (double)(moment_now() - begin_ns);
}
