/* SPDX-License-Identifier: BSD-3-Clause */
/* straggler.c: names what fails more often than the rest (see straggler.h). */
#include "statistics/straggler.h"

#include <math.h>
#include <stdlib.h>

static double straggler_log_choose(double n, double k)
{
    return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0);
}

double straggler_tail(int64_t count, int64_t trials, int64_t failed, int64_t one_failed)
{
    const double one_trials = (double)trials, all_trials = (double)trials * (double)count, all_failed = (double)failed;
    const int64_t max = trials < failed ? trials : failed;
    const int64_t min = failed - trials * (count - 1);
    if (one_failed <= 0 || one_failed <= min)
        return 1.0;
    double sum = 0.0;
    double k = (double)one_failed;
    double term =
        exp(straggler_log_choose(one_trials, k) + straggler_log_choose(all_trials - one_trials, all_failed - k) -
            straggler_log_choose(all_trials, all_failed));
    for (int64_t i = one_failed; i <= max; i++, k += 1.0) {
        sum += term;
        if (term < sum * 1e-17)
            break;
        term *= (one_trials - k) / (k + 1.0) * (all_failed - k) / (all_trials - one_trials - all_failed + k + 1.0);
    }
    return sum < 1.0 ? sum : 1.0;
}

static int straggler_compare_p(const void *left, const void *right)
{
    const double a = **(double *const *)left, b = **(double *const *)right;
    return (a > b) - (a < b);
}

/* Holm: the i-th smallest of m values times m - i, and at least the previous one. */
static void straggler_correct(double **sorted, size_t m)
{
    double before = 0.0;
    qsort(sorted, m, sizeof *sorted, straggler_compare_p);
    for (size_t i = 0; i < m; i++) {
        const double corrected = fmin(1.0, *sorted[i] * (double)(m - i));
        before = fmax(before, corrected);
        *sorted[i] = before;
    }
}

static double straggler_smallest(const struct straggler *one)
{
    return fmin(one->p[STRAGGLER_LATE_START], one->p[STRAGGLER_OVERRUN]);
}

static int straggler_compare(const void *left, const void *right)
{
    const double a = straggler_smallest(left), b = straggler_smallest(right);
    if (a != b)
        return (a > b) - (a < b);
    const int64_t first = ((const struct straggler *)left)->id, second = ((const struct straggler *)right)->id;
    return (first > second) - (first < second);
}

size_t stragglers_find(struct straggler *all, size_t count, int64_t trials, struct fault *fault)
{
    if (count < 2 || trials < 1)
        return 0;
    double **const sorted = calloc(count * STRAGGLER_KINDS, sizeof *sorted);
    if (sorted == NULL) {
        fault_set(fault, FAULT_SYSTEM, "out of memory for the stragglers of %zu", count);
        return 0;
    }
    for (size_t kind = 0; kind < STRAGGLER_KINDS; kind++) {
        int64_t failed = 0;
        for (size_t i = 0; i < count; i++)
            failed += all[i].failures[kind];
        for (size_t i = 0; i < count; i++) {
            all[i].p[kind] = straggler_tail((int64_t)count, trials, failed, all[i].failures[kind]);
            sorted[i * STRAGGLER_KINDS + kind] = &all[i].p[kind];
        }
    }
    straggler_correct(sorted, count * STRAGGLER_KINDS);
    free(sorted);
    qsort(all, count, sizeof *all, straggler_compare);
    size_t named = 0;
    while (named < count && straggler_smallest(&all[named]) < STRAGGLER_LEVEL)
        named++;
    return named;
}
