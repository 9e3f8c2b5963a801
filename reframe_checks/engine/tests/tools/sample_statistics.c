/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sample_statistics.c: the engine's statistics for samples on standard input, for the coverage test.
 *
 *   sample_statistics COUNT[,COUNT...] TRIM CONFIDENCE < numbers
 *
 * A sample has passes of COUNT values each. A line
 * "mean se ci_low ci_high median median_low median_high from_passes" answers each sample.
 */
#include "base/text.h"
#include "statistics/statistics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PASSES = 1000 };

/* Parse the passes from text, which is changed; false if they are invalid. */
static bool read_passes(char *text, struct sample *sample)
{
    for (char *argument = strtok(text, ","); argument != NULL; argument = strtok(NULL, ",")) {
        int64_t count = 0;
        if (sample->passes == MAX_PASSES || !text_integer(argument, &count) || count < 1)
            return false;
        sample->pass_values[sample->passes++] = (size_t)count;
        sample->count += (size_t)count;
    }
    return sample->passes > 0;
}

int main(int argc, char **argv)
{
    size_t pass_values[MAX_PASSES];
    struct sample sample = {.pass_values = pass_values};
    double trim = 0.0, confidence = 0.0;
    if (argc != 4 || !read_passes(argv[1], &sample) || !text_real(argv[2], &trim) || !text_real(argv[3], &confidence)) {
        fputs("usage: sample_statistics COUNT[,COUNT...] TRIM CONFIDENCE\n", stderr);
        return 2;
    }
    sample.values = calloc(sample.count, sizeof *sample.values);
    if (sample.values == NULL)
        return 5;
    for (size_t filled = 0; scanf("%lf", &sample.values[filled]) == 1;) {
        if (++filled < sample.count)
            continue;
        const struct statistics s = statistics_of(&sample, trim, confidence);
        printf("%.17g %.17g %.17g %.17g %.17g %.17g %.17g %d\n", s.mean, s.se, s.ci_low, s.ci_high, s.median,
               s.median_low, s.median_high, s.from_passes);
        filled = 0;
    }
    free(sample.values);
    return 0;
}
