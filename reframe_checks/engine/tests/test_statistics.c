/* SPDX-License-Identifier: BSD-3-Clause */
/* test_statistics.c: quantiles, trimmed mean, winsorised error and median interval against scipy. */
#include "harness.h"
#include "reference.h"
#include "statistics/statistics.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void test_student(struct harness *h)
{
    harness_case(h, "Student quantiles agree with scipy for 19 degrees of freedom and 5 confidences");
    for (size_t i = 0; i < COUNT(STUDENT); i++)
        harness_is_near(h, distribution_student_two_sided(STUDENT[i].confidence, STUDENT[i].dof), STUDENT[i].quantile,
                        1e-9);
    harness_case(h, "no degrees of freedom, no quantile");
    harness_is(h, isnan(distribution_student_two_sided(0.95, 0)));
}

static void test_median_rank(struct harness *h)
{
    harness_case(h, "ranks of the median interval agree with scipy");
    for (size_t i = 0; i < COUNT(MEDIAN_RANK); i++)
        harness_is(h, distribution_median_rank(MEDIAN_RANK[i].count, MEDIAN_RANK[i].confidence) == MEDIAN_RANK[i].rank);
}

static void test_samples(struct harness *h)
{
    harness_case(h, "trimmed mean, winsorised error, interval and median agree with scipy");
    for (size_t i = 0; i < COUNT(SAMPLES); i++) {
        double values[30];
        memcpy(values, SAMPLES[i].values, sizeof values);
        const struct statistics s =
            statistics_of(&(struct sample){.values = values, .count = SAMPLES[i].count}, 0.25, 0.95);
        harness_is_near(h, s.mean, SAMPLES[i].mean, 1e-12);
        harness_is_near(h, s.se, SAMPLES[i].se * s.dependence.widening, 1e-12);
        harness_is_near(h, s.median, SAMPLES[i].median, 1e-12);
    }
}

static void test_small_samples(struct harness *h)
{
    double values[8] = {7.0, 3.0, 5.0, 1.0, 9.0, 11.0, 2.0, 4.0};
    harness_case(h, "no value: everything is NaN");
    struct statistics s = statistics_of(&(struct sample){.values = values, .count = 0}, 0.25, 0.95);
    harness_is(h, isnan(s.mean) && isnan(s.median) && isnan(s.min) && isnan(s.ci_low) && s.used == 0);

    harness_case(h, "one value: a mean but no interval");
    s = statistics_of(&(struct sample){.values = values, .count = 1}, 0.25, 0.95);
    harness_is(h, s.mean == 7.0 && s.median == 7.0 && isnan(s.se) && isnan(s.median_low));

    harness_case(h, "without trimming the error is that of the plain mean");
    s = statistics_of(&(struct sample){.values = values, .count = 3}, 0.0, 0.95);
    harness_is_near(h, s.mean, 5.0, 1e-15);
    harness_is_near(h, s.se, 2.0 / sqrt(3.0), 1e-12);

    harness_case(h, "the median interval is made of order statistics");
    s = statistics_of(&(struct sample){.values = values, .count = 8}, 0.25, 0.95);
    harness_is(h, s.median_low == 1.0 && s.median_high == 11.0 && s.median == 4.5);

    harness_case(h, "the relative error is half the interval over the mean");
    harness_is_near(h, statistics_relative_error(&s), (s.ci_high - s.mean) / s.mean, 1e-12);

    harness_case(h, "as many long values are ignored as are trimmed, else as many as are above the median's interval");
    harness_is(h, statistics_ignored(&s, 0.95) == 2);
    double untrimmed[8] = {7.0, 3.0, 5.0, 1.0, 9.0, 11.0, 2.0, 4.0};
    s = statistics_of(&(struct sample){.values = untrimmed, .count = 8}, 0.0, 0.95);
    harness_is(h, statistics_ignored(&s, 0.95) == 0);
    double sixteen[16] = {0};
    s = statistics_of(&(struct sample){.values = sixteen, .count = 16}, 0.0, 0.95);
    harness_is(h, statistics_ignored(&s, 0.95) == 3);

    harness_case(h, "equal values: an interval of no width");
    double equal[10] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
    s = statistics_of(&(struct sample){.values = equal, .count = 10}, 0.25, 0.95);
    harness_is(h, s.mean == 4.0 && s.se == 0.0 && statistics_relative_error(&s) == 0.0);
}

/* A normal series with autocorrelation rho: Box and Muller with a congruential generator.
 */
static void make_series(double *values, size_t count, double rho, uint64_t *state)
{
    double level = 0.0;
    for (size_t i = 0; i < count + 100; i++) {
        double uniform[2];
        for (int k = 0; k < 2; k++) {
            *state = *state * 6364136223846793005u + 1442695040888963407u;
            uniform[k] = ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
        }
        const double normal = sqrt(-2.0 * log(uniform[0])) * cos(6.283185307179586 * uniform[1]);
        level = rho * level + sqrt(1.0 - rho * rho) * normal;
        if (i >= 100)
            values[i - 100] = 50.0 + level;
    }
}

static void test_dependence(struct harness *h)
{
    enum { DRAWS = 4000, MAX_COUNT = 100 };
    static const double RHO[] = {0.0, 0.3, 0.6, 0.8};
    static const size_t COUNTS[] = {30, MAX_COUNT};
    uint64_t state = 1;
    double values[MAX_COUNT];
    harness_case(h, "both intervals cover the centre of series whose neighbours have something in common");
    for (size_t c = 0; c < COUNT(COUNTS); c++)
        for (size_t r = 0; r < COUNT(RHO); r++) {
            int mean = 0, median = 0;
            for (int draw = 0; draw < DRAWS; draw++) {
                make_series(values, COUNTS[c], RHO[r], &state);
                const struct statistics s =
                    statistics_of(&(struct sample){.values = values, .count = COUNTS[c]}, 0.25, 0.95);
                mean += s.ci_low <= 50.0 && 50.0 <= s.ci_high;
                median += s.median_low <= 50.0 && 50.0 <= s.median_high;
            }
            harness_is(h, mean >= 0.93 * DRAWS && mean <= 0.975 * DRAWS);
            harness_is(h, median >= 0.90 * DRAWS);
        }
    harness_case(
        h, "the autocorrelation is that of neighbours, and an alternating series is not worth more than its length");
    double steps[16];
    for (size_t i = 0; i < COUNT(steps); i++)
        steps[i] = i < 8 ? 1.0 : 2.0;
    harness_is_near(h, dependence_of(steps, COUNT(steps), 1.0, 2.0).autocorrelation, 13.0 / 16.0, 1e-12);
    for (size_t i = 0; i < COUNT(steps); i++)
        steps[i] = i % 2 == 0 ? 1.0 : 2.0;
    harness_is(h, dependence_of(steps, COUNT(steps), 1.0, 2.0).effective == 16.0);
    harness_case(h, "equal values have no autocorrelation");
    harness_is(h, isnan(dependence_of((double[8]){0}, 8, 0.0, 0.0).autocorrelation));
}

static void test_pass_intervals(struct harness *h)
{
    /* Of each pass the runs are its number and that plus 2; the mean of winsorised values is the number plus 1. */
    double values[12], by_reps[12];
    size_t pass_values[7] = {2, 2, 2, 0, 2, 2, 2};
    for (size_t i = 0; i < COUNT(values); i++)
        values[i] = by_reps[i] = 100.0 + 10.0 * (double)(i / 2) + 2.0 * (double)(i % 2);
    struct sample sample = {.values = values, .count = 8, .pass_values = pass_values, .passes = 5};
    harness_case(h, "four passes with values are too few: the values are the unit, as they are without passes");
    const struct statistics few = statistics_of(&sample, 0.0, 0.95);
    const struct statistics none = statistics_of(&(struct sample){.values = by_reps, .count = 8}, 0.0, 0.95);
    harness_is(h, !few.from_passes && few.ci_low == none.ci_low && few.median_high == none.median_high);

    harness_case(h, "from five on Student's interval is of the means and the medians of the passes");
    sample.passes = 6;
    sample.count = 10;
    struct statistics s = statistics_of(&sample, 0.0, 0.95);
    const double error = sqrt(1000.0 / (5.0 * 4.0)), factor = distribution_student_two_sided(0.95, 4);
    harness_is(h, s.from_passes && s.mean == 121.0 && s.median == 121.0);
    harness_is_near(h, s.se, error, 1e-12);
    harness_is_near(h, s.ci_high, 121.0 + factor * error, 1e-12);
    harness_is_near(h, s.median_low, 121.0 - factor * error, 1e-12);

    harness_case(h, "trimming leaves fewer passes, and winsorised values have no further effect");
    sample.passes = 7;
    sample.count = 12;
    values[11] = values[10] = 1e6;
    s = statistics_of(&sample, 0.25, 0.95);
    /* Winsorised to 112 and 140: passes' means of 112, 112, 121, 131, 140 and 140 around 126, three of six left. */
    harness_is(h, s.used == 6 && s.mean == 126.0);
    harness_is_near(h, s.se, sqrt(2.0 * 2.0 * (196.0 + 196.0 + 25.0 + 25.0 + 196.0 + 196.0) * 3.0 / 2.0) / 6.0, 1e-12);

    harness_case(h, "if no pass remains after trimming, the values are the unit");
    double more[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    sample.values = more;
    harness_is(h, !statistics_of(&sample, 0.45, 0.95).from_passes);

    harness_case(h, "the median of all values is in its interval even if most values are from one pass");
    double uneven[9] = {1, 1, 1, 1, 1, 5, 5, 5, 5.5};
    size_t mostly[5] = {5, 1, 1, 1, 1};
    s = statistics_of(&(struct sample){uneven, 9, mostly, 5}, 0.25, 0.95);
    harness_is(h, s.from_passes && s.median_low <= s.median && s.median <= s.median_high);
}

int main(void)
{
    struct harness h = {0};
    test_student(&h);
    test_median_rank(&h);
    test_samples(&h);
    test_small_samples(&h);
    test_dependence(&h);
    test_pass_intervals(&h);
    return harness_end(&h, "test_statistics");
}
