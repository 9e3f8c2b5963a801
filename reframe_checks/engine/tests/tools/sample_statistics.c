/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sample_statistics.c: the engine's statistics for samples on standard input, for the coverage test.
 *
 *   sample_statistics COUNT TRIM CONFIDENCE < numbers
 *
 * Every COUNT numbers are a sample; a line "mean se ci_low ci_high median median_low median_high" answers each.
 */
#include "base/text.h"
#include "statistics/statistics.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int64_t count = 0;
    double trim = 0.0, confidence = 0.0;
    if (argc != 4 || !text_integer(argv[1], &count) || !text_real(argv[2], &trim) || !text_real(argv[3], &confidence) ||
        count < 1) {
        fputs("usage: sample_statistics COUNT TRIM CONFIDENCE\n", stderr);
        return 2;
    }
    double *const values = calloc((size_t)count, sizeof *values);
    if (values == NULL)
        return 5;
    for (int64_t filled = 0; scanf("%lf", &values[filled]) == 1;) {
        if (++filled < count)
            continue;
        const struct statistics s = statistics_of(values, (size_t)count, trim, confidence);
        printf("%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", s.mean, s.se, s.ci_low, s.ci_high, s.median, s.median_low,
               s.median_high);
        filled = 0;
    }
    free(values);
    return 0;
}
