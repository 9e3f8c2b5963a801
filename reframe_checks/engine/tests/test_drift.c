/* SPDX-License-Identifier: BSD-3-Clause */
/* test_drift.c: a line through offsets with a known drift, and the keys of the synthetic clocks. */
#include "base/random.h"
#include "estimate/drift_fit.h"
#include "harness.h"
#include "option_values/synthetic_clock_spec.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 50 };

static const int64_t BEGIN_NS = INT64_C(1700000000000000000);
static const int64_t OFFSET_NS = -987654321012345;

/* Points 10 ms apart on a line that has this slope, with an error of up to noise ns. */
static void test_points(struct drift_point points[POINTS], double slope, int64_t noise, uint64_t seed)
{
    for (int i = 0; i < POINTS; i++) {
        const int64_t later_ns = INT64_C(10000000) * i;
        const int64_t error = noise == 0 ? 0 : (int64_t)random_below(&seed, (uint64_t)(2 * noise + 1)) - noise;
        points[i] =
            (struct drift_point){BEGIN_NS + later_ns, OFFSET_NS + llrint(slope * (double)later_ns) + error, 1000};
    }
}

static double test_true_offset(double slope, int64_t time_ns)
{
    return slope * (double)(time_ns - BEGIN_NS);
}

static void test_exact(struct harness *h)
{
    struct drift_point points[POINTS];
    harness_case(h, "a line without noise is fitted exactly, far from zero, with the error of the readings");
    test_points(points, 42e-6, 0, 1);
    const struct drift_fit fit = drift_fit_line(points, POINTS, 10);
    harness_is(h, fabs(fit.slope - 42e-6) < 1e-11);
    harness_is(h, fabs((double)(fit.offset_ns - OFFSET_NS) - test_true_offset(42e-6, fit.x0_ns)) <= 1.0);
    harness_is(h, fit.x0_ns == BEGIN_NS + INT64_C(245000000));
    harness_is(h, fit.bound_ns == 1000);
    harness_is(h, fit.slope_se > 0.0 && fit.offset_se_ns > 0.5);
}

static void test_standard_errors(struct harness *h)
{
    enum { TRIALS = 2000 };
    int slope_within = 0, offset_within = 0;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        struct drift_point points[POINTS];
        test_points(points, -30e-6, 500, seed);
        const struct drift_fit fit = drift_fit_line(points, POINTS, 1);
        const double offset = (double)(fit.offset_ns - OFFSET_NS) - test_true_offset(-30e-6, fit.x0_ns);
        slope_within += fabs(fit.slope + 30e-6) <= 2.0 * fit.slope_se;
        offset_within += fabs(offset) <= 2.0 * fit.offset_se_ns + 0.5;
    }
    harness_case(h, "two standard errors hold the true slope and the true offset in 95 % of 2000 samples");
    harness_is(h, slope_within > 0.935 * TRIALS && slope_within < 0.97 * TRIALS);
    harness_is(h, offset_within > 0.935 * TRIALS && offset_within < 0.97 * TRIALS);
}

static void test_weights(struct harness *h)
{
    struct drift_point points[POINTS];
    harness_case(h, "an interrupted comparison, with a large bound, has little influence");
    test_points(points, 10e-6, 20, 3);
    points[POINTS - 1].offset_ns += 400000;
    points[POINTS - 1].bound_ns = 500000;
    const struct drift_fit fit = drift_fit_line(points, POINTS, 1);
    harness_is(h, fabs(fit.slope - 10e-6) < 1e-7);
    harness_is(h, fit.bound_ns < 1200);
}

static bool test_parses(const char *text, struct synthetic_clock_spec *spec)
{
    struct fault fault = {0};
    return synthetic_clock_parse(text, spec, &fault) == 0;
}

static void test_spec(struct harness *h)
{
    struct synthetic_clock_spec spec;
    harness_case(h, "--test-clock: keys and numbers; absent ones are 0");
    harness_is(h, test_parses("seed=7,offset-s=1,drift-ppm=50,false-rank=3,false-offset-us=-100", &spec));
    harness_is(h, spec.present && spec.seed == 7.0 && spec.offset_s == 1.0 && spec.drift_ppm == 50.0);
    harness_is(h, spec.false_rank == 3.0 && spec.false_offset_us == -100.0 && spec.noise_ns == 0.0);
    harness_case(h, "--test-clock: other texts are refused");
    static const char *const wrong[] = {
        "",        "seed",  "seed=",        "=1",     "seed=x",         "seed=-1",
        "seeds=1", "see=1", "false-rank=0", "node=2", "seed=1,,node=1", "seed=1;node=1"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        harness_is(h, !test_parses(wrong[i], &spec));
}

int main(void)
{
    struct harness h = {0};
    test_exact(&h);
    test_standard_errors(&h);
    test_weights(&h);
    test_spec(&h);
    return harness_end(&h, "test_drift");
}
