/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * estimator.h: estimators of the offset between two clocks from exchanged messages.
 *
 * In an exchange the client sends at its time sent, the reference answers at its time remote, and the client receives
 * the answer at its time received. The offset is reference minus client. No message arrives before it is sent, so
 *     remote - received <= offset <= remote - sent
 * holds for each exchange as long as the two clocks run at one rate: bound_ns is a hard bound for every estimator.
 */
#ifndef ISOCHRON_ESTIMATOR_H
#define ISOCHRON_ESTIMATOR_H

#include "option_values/choices.h"

#include <stdbool.h>
#include <stdint.h>

struct exchange {
    int64_t sent;
    int64_t remote;
    int64_t received;
};

/* The state of an estimation, and its result. */
struct estimate {
    int64_t offset_ns;
    int64_t bound_ns; /* half width: the true offset is within offset_ns +- bound_ns */
    int64_t low_ns;   /* the tightest hard limits of all exchanges */
    int64_t high_ns;
    int64_t best_ns;   /* the minimum of the estimator's criterion */
    int64_t middle_ns; /* the client's time half-way through the exchanges; set by comparison.h */
    int64_t exchanges;
};

struct estimator {
    /* Add an exchange; return true if the estimate has improved. */
    bool (*add)(struct estimate *estimate, const struct exchange *exchange);
};

/* Return an estimate without exchanges. */
struct estimate estimator_begin(void);

const struct estimator *estimator_of(enum estimator_choice choice);

/* Return the estimator of that name; NULL if there is none. */
const struct estimator *estimator_find(const char *name);

#endif
