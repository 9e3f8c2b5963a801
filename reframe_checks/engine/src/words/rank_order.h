/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rank_order.h: which process has which rank in the communicator that is measured.
 *
 * Roots, neighbours and trees of a collective go by rank: another order puts them on other cores and hosts.
 */
#ifndef ISOCHRON_RANK_ORDER_H
#define ISOCHRON_RANK_ORDER_H

#include "base/fault.h"
#include "words/grammar.h"

#include <stdint.h>

/* In the order of RANK_ORDER_FORMS. */
enum rank_order_kind { RANK_ORDER_IDENTITY, RANK_ORDER_REVERSE, RANK_ORDER_RANDOM, RANK_ORDER_LIST };

extern const struct grammar_form RANK_ORDER_FORMS[];

struct rank_order {
    enum rank_order_kind kind;
    uint64_t seed;
    const char *file;
};

/* Reads identity|reverse|random:SEED|list:FILE; the file is not opened. */
int rank_order_parse(const char *word, struct rank_order *order, struct fault *fault);

/*
 * process[i] becomes the process (rank in MPI_COMM_WORLD) that has rank i. A file lists the processes in decimal, apart
 * by blanks or line ends, each once. A usage fault where it does not.
 */
int rank_order_fill(const struct rank_order *order, int64_t *process, int size, struct fault *fault);

/* A usage fault where rank_order_fill would have one; without a size, where the file cannot be read. */
int rank_order_check(const struct rank_order *order, int size, struct fault *fault);

#endif
