/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * drift_fit.h: a straight line through the observed offsets of two clocks, with standard errors.
 *
 * Weighted least squares; the weight of an offset follows from its hard bound, so that a comparison that the system
 * interrupted has little influence. The line is given at the weighted mean of the times, where offset and slope are
 * independent. Residuals below half the resolution of the readings count as half the resolution.
 */
#ifndef ISOCHRON_DRIFT_FIT_H
#define ISOCHRON_DRIFT_FIT_H

#include <stddef.h>
#include <stdint.h>

/* One comparison of two clocks. */
struct drift_point {
    int64_t time_ns; /* on the client's timer */
    int64_t offset_ns;
    int64_t bound_ns; /* hard half width of the offset */
};

struct drift_fit {
    int64_t x0_ns;
    int64_t offset_ns; /* at x0 */
    int64_t bound_ns;  /* hard half width of it: the weighted mean of the bounds; valid for a constant drift */
    double offset_se_ns;
    double slope;
    double slope_se;
};

/* Fit at least 3 points at different times; step_ns is the resolution of the readings. */
struct drift_fit drift_fit_line(const struct drift_point *points, size_t count, int64_t step_ns);

#endif
