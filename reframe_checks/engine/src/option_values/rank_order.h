/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rank_order.h: the order of the processes in the measured communicator.
 *
 * Roots, neighbours and trees of a collective depend on ranks: another order puts them on other cores and hosts.
 */
#ifndef ISOCHRON_RANK_ORDER_H
#define ISOCHRON_RANK_ORDER_H

#include "base/fault.h"
#include "option_values/grammar.h"

#include <stdint.h>

/* In the order of RANK_ORDER_FORMS. */
enum rank_order_kind { RANK_ORDER_IDENTITY, RANK_ORDER_REVERSE, RANK_ORDER_RANDOM, RANK_ORDER_LIST };

extern const struct grammar_form RANK_ORDER_FORMS[];

struct rank_order {
    enum rank_order_kind kind;
    uint64_t seed;
    const char *file;
};

/* Parse identity|reverse|random:SEED|list:FILE; the file is not opened. */
int rank_order_parse(const char *text, struct rank_order *order, struct fault *fault);

/*
 * Set process[i] to the process (rank in MPI_COMM_WORLD) that has rank i. A file lists every process once, in decimal,
 * separated by blanks or line ends; otherwise a usage fault.
 */
int rank_order_fill(const struct rank_order *order, int64_t *process, int size, struct fault *fault);

/* A usage fault if rank_order_fill would have one; with a size of 0, if the file cannot be read. */
int rank_order_check(const struct rank_order *order, int size, struct fault *fault);

#endif
