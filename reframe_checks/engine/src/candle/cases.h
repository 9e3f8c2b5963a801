/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cases.h: what the candle does for each operation of the engine, and the cases of a launch in the engine's order.
 *
 * A nonblocking (i...) and a persistent form (..._init) has the kernel of its collective: all move data in one way. The
 * forms of threads have that of one thread.
 */
#ifndef ISOCHRON_CASES_H
#define ISOCHRON_CASES_H

#include "base/fault.h"
#include "candle/kernels.h"
#include "option_values/sizes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* An operation of the engine. */
struct candle_operation {
    char name[48];
    enum kernel kernel;
    int64_t fixed_bytes; /* below 0: from --sizes; else it is measured once, at 0 bytes as the engine names it */
    int messages;        /* how often the kernel is performed */
    bool then_barrier;   /* a barrier follows */
};

struct candle_case {
    struct candle_operation operation;
    int64_t bytes; /* as in records */
};

struct candle_cases {
    struct candle_case *items;
    size_t count;
};

/*
 * List operations x sizes, operations in the order of the engine's --list, each with a datatype (OPERATION@DATATYPE)
 * after itself, at sizes that are multiples of it. A usage fault for an unknown operation, or if there is no size.
 * After a fault there is nothing to free.
 */
int cases_list(const char *operations, const struct sizes *sizes, struct candle_cases *cases, struct fault *fault);

void cases_free(struct candle_cases *cases);

/* Return the bytes of the kernel's blocks or vector. */
size_t cases_bytes(const struct candle_case *item);

/* Print the names of all operations with those of their kernels. */
void cases_print_operations(FILE *stream);

#endif
