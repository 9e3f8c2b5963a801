/* SPDX-License-Identifier: BSD-3-Clause */
/* pattern.c: known data for --check (see pattern.h). */
#include "pattern.h"

#include <string.h>

enum { PATTERN_PERIOD = 6 }; /* of the elements to be reduced: both patterns repeat */

static unsigned char pattern_byte(int source, int destination, int64_t i)
{
    return (unsigned char)(31 * source + 17 * destination + 7 * (i % 251) + i / 251 + 1);
}

static void pattern_write_block(const struct call *call, void *buffer, int destination)
{
    unsigned char *const byte = buffer;
    for (int64_t i = 0; i < call->bytes; i++)
        byte[i] = pattern_byte(call->rank, destination, i);
}

void pattern_fill_block(struct call *call)
{
    pattern_write_block(call, call->send, 0);
}

void pattern_fill_blocks(struct call *call)
{
    for (int destination = 0; destination < call->size; destination++)
        pattern_write_block(call, (char *)call->send + destination * call->bytes, destination);
}

bool pattern_is_block(const struct call *call, const void *buffer, int source, int destination)
{
    const unsigned char *const byte = buffer;
    for (int64_t i = 0; i < call->bytes; i++)
        if (byte[i] != pattern_byte(source, destination, i))
            return false;
    return true;
}

bool pattern_is_from_all(const struct call *call, int destination)
{
    for (int source = 0; source < call->size; source++)
        if (!pattern_is_block(call, (const char *)call->recv + source * call->bytes, source, destination))
            return false;
    return true;
}

static int64_t pattern_number(const struct call *call, int rank, int64_t i)
{
    if (call->reduction == MPI_PROD)
        return (rank + i) % 2 == 0 ? 1 : -1;
    return (rank + i) % 3 + 1;
}

/* One element of the call's type. */
static void pattern_encode(const struct call *call, void *element, int64_t number)
{
    const float single = (float)number;
    const double twofold = (double)number;
    const int integer = (int)number;
    const signed char character = (signed char)number;
    const void *source = &character;
    if (call->type == MPI_FLOAT)
        source = &single;
    else if (call->type == MPI_DOUBLE)
        source = &twofold;
    else if (call->type == MPI_INT)
        source = &integer;
    memcpy(element, source, (size_t)call->type_size);
}

void pattern_fill_numbers(struct call *call, int blocks)
{
    const int64_t count = (int64_t)call->count * blocks;
    for (int64_t i = 0; i < count; i++)
        pattern_encode(call, (char *)call->send + i * call->type_size, pattern_number(call, call->rank, i));
}

static int64_t pattern_combine(const struct call *call, int64_t a, int64_t b)
{
    if (call->reduction == MPI_MAX)
        return a > b ? a : b;
    if (call->reduction == MPI_MIN)
        return a < b ? a : b;
    return call->reduction == MPI_PROD ? a * b : a + b;
}

bool pattern_is_reduced(const struct call *call, int64_t first, int ranks)
{
    char wanted[PATTERN_PERIOD][sizeof(double)];
    for (int64_t i = 0; i < PATTERN_PERIOD; i++) {
        int64_t number = pattern_number(call, 0, first + i);
        for (int rank = 1; rank < ranks; rank++)
            number = pattern_combine(call, number, pattern_number(call, rank, first + i));
        pattern_encode(call, wanted[i], number);
    }
    for (int64_t i = 0; i < call->count; i++)
        if (memcmp((const char *)call->recv + i * call->type_size, wanted[i % PATTERN_PERIOD],
                   (size_t)call->type_size) != 0)
            return false;
    return true;
}
