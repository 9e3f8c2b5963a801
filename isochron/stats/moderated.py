# SPDX-License-Identifier: BSD-3-Clause
"""Means of few blocks in many cases: each variance is drawn towards that of all cases (Smyth 2004)."""

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtri, stdtr, stdtrit

from isochron.stats.launches import Values
from isochron.stats.multiple_tests import Matrix

#: Degrees of freedom of the variance that all cases have in common: it counts as much as four further blocks.
PRIOR = 4.0


@dataclass(frozen=True)
class Means:
    """Of each of C cases the mean of its blocks, the ends of its interval, and the p value of a mean of zero.

    NaN where fewer than two blocks have a value.
    """

    mean: Values
    low: Values
    high: Values
    p_value: Values


def moderated_means(values: Matrix, confidence: float) -> Means:
    """Return the moderated means of B blocks in C cases. `values`: shape (B, C), NaN where a block has none.

    The variance of a case with d degrees of freedom becomes (PRIOR s0² + d s²) / (PRIOR + d), and its t distribution
    has PRIOR + d (Smyth 2004, with a fixed PRIOR). s0² is the median of the cases' variances over that of a chi-square
    variable by its degrees of freedom, so that few cases that vary much do not raise it.
    """
    known = np.isfinite(values)
    count = known.sum(axis=0)
    enough = count >= 2
    rows = np.where(known, values, 0.0)
    mean = np.where(enough, rows.sum(axis=0) / np.maximum(count, 1), np.nan)
    freedom = np.maximum(count - 1, 1)
    variance = (np.where(known, values - mean, 0.0) ** 2).sum(axis=0) / freedom
    typical = np.median((variance * freedom / chdtri(freedom, 0.5))[enough]) if enough.any() else np.nan
    error = np.sqrt((PRIOR * typical + freedom * variance) / (PRIOR + freedom) / np.maximum(count, 1))
    half = stdtrit(PRIOR + freedom, 0.5 + confidence / 2) * error
    with np.errstate(divide="ignore", invalid="ignore"):
        p_value = 2 * stdtr(PRIOR + freedom, -np.abs(mean / error))
    return Means(mean, mean - half, mean + half, p_value)
