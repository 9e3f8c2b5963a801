/* SPDX-License-Identifier: BSD-3-Clause */
/* statistics.c: from the values of a sample to its location and intervals (see statistics.h). */
#include "statistics/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int statistics_compare(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

static void statistics_sort(double *values, size_t count)
{
    if (count > 0)
        qsort(values, count, sizeof *values, statistics_compare);
}

/* Return the median of sorted values; NaN without values. */
static double statistics_middle(const double *sorted, size_t count)
{
    if (count == 0)
        return NAN;
    return count % 2 == 1 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

double statistics_median(double *values, size_t count)
{
    statistics_sort(values, count);
    return statistics_middle(values, count);
}

static const double HALF_PI = 1.57079632679489661923;

/*
 * P(|t| <= tan(theta) * sqrt(dof)), the finite series for integer degrees of freedom:
 * Abramowitz & Stegun, Handbook of Mathematical Functions, 1964, 26.7.3 and 26.7.4.
 */
static double distribution_student_within(double theta, size_t dof)
{
    const double sine = sin(theta);
    const double cosine = cos(theta);
    if (dof == 1)
        return theta / HALF_PI;
    double term = dof % 2 == 0 ? 1.0 : cosine;
    double sum = term;
    for (size_t k = dof % 2 == 0 ? 2 : 3; k + 1 < dof; k += 2) {
        term *= cosine * cosine * (double)(k - 1) / (double)k;
        sum += term;
    }
    return dof % 2 == 0 ? sine * sum : (theta + sine * sum) / HALF_PI;
}

double distribution_student_two_sided(double confidence, size_t dof)
{
    if (dof < 1)
        return NAN;
    double low = 0.0;
    double high = HALF_PI;
    for (int i = 0; i < 200 && low < high; i++) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high)
            break;
        if (distribution_student_within(middle, dof) < confidence)
            low = middle;
        else
            high = middle;
    }
    return tan(0.5 * (low + high)) * sqrt((double)dof);
}

size_t distribution_median_rank(size_t n, double confidence)
{
    const double tail = 0.5 * (1.0 - confidence);
    double below = 0.0; /* P(X < rank), X binomial (n, 1/2) */
    for (size_t rank = 0; rank <= n / 2; rank++) {
        const double size = (double)n;
        const double k = (double)rank;
        below += exp(lgamma(size + 1) - lgamma(k + 1) - lgamma(size - k + 1) - size * log(2.0));
        if (below > tail * (1.0 + 1e-9))
            return rank;
    }
    return n / 2;
}

/* The sum after values outside low to high are replaced by the nearer limit. */
static double statistics_winsorised_sum(const double *values, size_t count, double low, double high)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += fmin(fmax(values[i], low), high);
    return sum;
}

/* The order of fewer values carries no information. */
enum { DEPENDENCE_MIN_COUNT = 8 };

/* Upper limit of the corrected autocorrelation: beyond it a series of any practical length is worth almost nothing. */
static const double DEPENDENCE_MAX = 0.97;

static double dependence_observed(const double *values, size_t count, double low, double high)
{
    const double mean = statistics_winsorised_sum(values, count, low, high) / (double)count;
    double products = 0.0, squares = 0.0, previous = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double distance = fmin(fmax(values[i], low), high) - mean;
        products += i > 0 ? previous * distance : 0.0;
        squares += distance * distance;
        previous = distance;
    }
    return squares > 0.0 ? products / squares : NAN;
}

struct dependence dependence_of(const double *values, size_t count, double low, double high)
{
    struct dependence result = {.autocorrelation = NAN, .effective = (double)count, .widening = 1.0};
    if (count < DEPENDENCE_MIN_COUNT)
        return result;
    result.autocorrelation = dependence_observed(values, count, low, high);
    if (isnan(result.autocorrelation))
        return result;
    const double n = (double)count, r = result.autocorrelation;
    const double uncertainty = 0.5 * fmax(r, 0.0) * sqrt(fmax(1.0 - r * r, 0.0) / n);
    const double corrected = fmin(fmax(r + (1.0 + 4.0 * r) / n + uncertainty, 0.0), DEPENDENCE_MAX);
    result.effective = fmax(n * (1.0 - corrected) / (1.0 + corrected), 1.0);
    /* The second factor: the variance of a series that is worth m values is underestimated by 1 - 1/m. */
    result.widening = sqrt(n / result.effective / fmax(1.0 - 1.0 / result.effective + 1.0 / n, 0.05));
    return result;
}

/* Errors of mean and median from passes. */
struct pass_spread {
    size_t passes;      /* with values */
    double mean_se;     /* of the trimmed mean of all values */
    double median_mean; /* mean of the passes' medians */
    double median_se;   /* of that mean */
};

/*
 * Compute the errors from values in order of time, with pass_values of each pass, which are sorted within their pass.
 * Trimming retains the used values from low to high. With fewer than two passes the errors are NaN, and that of the
 * mean also if at most one pass remains after trimming.
 */
static struct pass_spread pass_spread_of(double *values, const size_t *pass_values, size_t passes, double low,
                                         double high, size_t used)
{
    struct pass_spread result = {.mean_se = NAN, .median_se = NAN};
    size_t count = 0;
    for (size_t p = 0; p < passes; p++)
        count += pass_values[p];
    const double mean = statistics_winsorised_sum(values, count, low, high) / (double)count;
    double mean_squares = 0.0, median_squares = 0.0;
    for (size_t p = 0; p < passes; values += pass_values[p++]) {
        if (pass_values[p] == 0)
            continue;
        const double size = (double)pass_values[p], count_before = (double)result.passes++;
        const double sum = statistics_winsorised_sum(values, pass_values[p], low, high);
        const double difference = statistics_median(values, pass_values[p]) - result.median_mean;
        result.median_mean += difference / (count_before + 1.0);
        median_squares += difference * difference * count_before / (count_before + 1.0);
        mean_squares += (sum - size * mean) * (sum - size * mean);
    }
    if (result.passes < 2)
        return result;
    const double k = (double)result.passes, remaining = k * (double)used / (double)count;
    result.mean_se = remaining <= 1.0 ? NAN : sqrt(mean_squares * remaining / (remaining - 1.0)) / (double)used;
    result.median_se = sqrt(median_squares / (k * (k - 1.0)));
    return result;
}

static double statistics_mean(const double *values, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* The standard deviation after the cut values on each side are replaced by the nearest remaining one. */
static double statistics_winsorised_deviation(const double *sorted, size_t count, size_t cut)
{
    const double low = sorted[cut];
    const double high = sorted[count - 1 - cut];
    const double mean = statistics_winsorised_sum(sorted, count, low, high) / (double)count;
    double squares = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double distance = fmin(fmax(sorted[i], low), high) - mean;
        squares += distance * distance;
    }
    return sqrt(squares / (double)(count - 1));
}

/* Degrees of freedom of the mean: those of the independent values that the sample is worth. */
static size_t statistics_freedom(const struct statistics *statistics)
{
    const double share = statistics->dependence.effective / (double)statistics->count;
    const size_t freedom = (size_t)floor(share * (double)statistics->used);
    return freedom > 2 ? freedom - 1 : 1;
}

/* The rank of the median's interval, moved outwards by the factor that widens the standard error, at most to an end. */
static size_t statistics_rank(const struct statistics *statistics, double confidence)
{
    const size_t rank = distribution_median_rank(statistics->count, confidence);
    const double middle = 0.5 * (double)(statistics->count + 1);
    const double wider = middle - statistics->dependence.widening * (middle - (double)rank);
    return rank == 0 ? 0 : wider < 1.0 ? 1 : (size_t)floor(wider);
}

/* Both intervals, from the independent values that the sample is worth. */
static void statistics_from_values(const double *sorted, double trim, double confidence, struct statistics *result)
{
    if (result->used >= 2) {
        const size_t cut = (result->count - result->used) / 2;
        const double deviation = statistics_winsorised_deviation(sorted, result->count, cut);
        result->se = result->dependence.widening * deviation / ((1.0 - 2.0 * trim) * sqrt((double)result->count));
        const double half = distribution_student_two_sided(confidence, statistics_freedom(result)) * result->se;
        result->ci_low = result->mean - half;
        result->ci_high = result->mean + half;
    }
    const size_t rank = statistics_rank(result, confidence);
    if (rank > 0) {
        result->median_low = sorted[rank - 1];
        result->median_high = sorted[result->count - rank];
    }
}

/* Both intervals, from the passes. That of the median is centred on the passes, and contains the median of all values.
 */
static void statistics_from_passes(const struct pass_spread *spread, double confidence, struct statistics *result)
{
    const size_t smaller = result->used < spread->passes ? result->used : spread->passes;
    const double half = distribution_student_two_sided(confidence, smaller - 1) * spread->mean_se;
    result->from_passes = true;
    result->se = spread->mean_se;
    result->ci_low = result->mean - half;
    result->ci_high = result->mean + half;
    const double median_half = distribution_student_two_sided(confidence, spread->passes - 1) * spread->median_se;
    result->median_low = fmin(spread->median_mean - median_half, result->median);
    result->median_high = fmax(spread->median_mean + median_half, result->median);
}

struct statistics statistics_of(const struct sample *sample, double trim, double confidence)
{
    const size_t count = sample->count;
    double *const values = sample->values;
    struct statistics result = {.count = count,
                                .mean = NAN,
                                .se = NAN,
                                .ci_low = NAN,
                                .ci_high = NAN,
                                .median = NAN,
                                .median_low = NAN,
                                .median_high = NAN,
                                .min = NAN,
                                .max = NAN};
    double *const series = count == 0 ? NULL : malloc(count * sizeof *series);
    if (series == NULL)
        return result;
    memcpy(series, values, count * sizeof *series);
    statistics_sort(values, count);

    const size_t cut = (size_t)floor(trim * (double)count + 1e-9);
    const double low = values[cut], high = values[count - 1 - cut];
    result.used = count - 2 * cut;
    result.dependence = dependence_of(series, count, low, high);
    result.mean = statistics_mean(values + cut, result.used);
    result.min = values[0];
    result.max = values[count - 1];
    result.median = statistics_middle(values, count);
    const struct pass_spread spread =
        pass_spread_of(series, sample->pass_values, sample->passes, low, high, result.used);
    if (spread.passes >= MIN_SPREAD_PASSES && !isnan(spread.mean_se))
        statistics_from_passes(&spread, confidence, &result);
    else
        statistics_from_values(values, trim, confidence, &result);
    free(series);
    return result;
}

size_t statistics_ignored(const struct statistics *statistics, double confidence)
{
    const size_t cut = (statistics->count - statistics->used) / 2;
    const size_t rank = statistics_rank(statistics, confidence);
    return cut > 0 || rank == 0 ? cut : rank - 1;
}

double statistics_relative_error(const struct statistics *statistics)
{
    return statistics->mean > 0.0 ? 0.5 * (statistics->ci_high - statistics->ci_low) / statistics->mean : NAN;
}
