/* SPDX-License-Identifier: BSD-3-Clause */
/* drift_fit.c: weighted least squares of offsets over time (see drift_fit.h). */
#include "estimate/drift_fit.h"

#include <math.h>

/* Weighted sums over the points, relative to the first one: a double cannot hold absolute nanoseconds. */
struct drift_sums {
    double weight, time, offset, bound;
};

static double drift_weight(const struct drift_point *point, int64_t step_ns)
{
    const double width = (double)(point->bound_ns > step_ns ? point->bound_ns : step_ns) + 1.0;
    return 1.0 / (width * width);
}

static struct drift_sums drift_add_up(const struct drift_point *points, size_t count, int64_t step_ns)
{
    struct drift_sums sums = {0};
    for (size_t i = 0; i < count; i++) {
        const double weight = drift_weight(&points[i], step_ns);
        sums.weight += weight;
        sums.time += weight * (double)(points[i].time_ns - points[0].time_ns);
        sums.offset += weight * (double)(points[i].offset_ns - points[0].offset_ns);
        sums.bound += weight * (double)points[i].bound_ns;
    }
    return sums;
}

struct drift_fit drift_fit_line(const struct drift_point *points, size_t count, int64_t step_ns)
{
    const struct drift_sums sums = drift_add_up(points, count, step_ns);
    const double mean_time = sums.time / sums.weight;
    const double mean_offset = sums.offset / sums.weight;
    double squares = 0.0, products = 0.0, residuals = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double weight = drift_weight(&points[i], step_ns);
        const double time = (double)(points[i].time_ns - points[0].time_ns) - mean_time;
        const double offset = (double)(points[i].offset_ns - points[0].offset_ns) - mean_offset;
        squares += weight * time * time;
        products += weight * time * offset;
    }
    const double slope = products / squares;
    for (size_t i = 0; i < count; i++) {
        const double time = (double)(points[i].time_ns - points[0].time_ns) - mean_time;
        const double offset = (double)(points[i].offset_ns - points[0].offset_ns) - mean_offset;
        const double residual = fmax(fabs(offset - slope * time), 0.5 * (double)step_ns);
        residuals += drift_weight(&points[i], step_ns) * residual * residual;
    }
    const double variance = residuals / ((double)count - 2.0);
    return (struct drift_fit){
        .x0_ns = points[0].time_ns + llrint(mean_time),
        .offset_ns = points[0].offset_ns + llrint(mean_offset),
        .bound_ns = (int64_t)ceil(sums.bound / sums.weight),
        .offset_se_ns = sqrt(variance / sums.weight),
        .slope = slope,
        .slope_se = sqrt(variance / squares),
    };
}
