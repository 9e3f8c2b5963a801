/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * estimator.h: the offset between two clocks from exchanged messages. One file and one table line an estimator.
 *
 * In an exchange the client sends at its time sent, the reference answers at its time remote, and the client receives
 * the answer at its time received. The offset is reference minus client. As no message arrives before it is sent,
 *     remote - received <= offset <= remote - sent
 * holds for each exchange while the two clocks run alike, so bound_ns is a hard bound for every estimator.
 */
#ifndef ISOCHRON_ESTIMATOR_H
#define ISOCHRON_ESTIMATOR_H

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
    int64_t low_ns;   /* the tightest hard limits so far */
    int64_t high_ns;
    int64_t best_ns;   /* what the estimator minimises */
    int64_t middle_ns; /* time of the client half-way through the exchanges; set by pair.h */
    int64_t exchanges;
};

struct estimator {
    /* Takes one more exchange; true when the estimate has improved. */
    bool (*add)(struct estimate *estimate, const struct exchange *exchange);
};

/* An estimate that knows nothing yet. */
struct estimate estimator_begin(void);

/* Tightens the hard limits by one exchange; for estimators. */
void estimator_tighten(struct estimate *estimate, const struct exchange *exchange);

#endif
