# SPDX-License-Identifier: BSD-3-Clause
"""What several launches say together about one row. The launch is the replication unit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import nan, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """An interval and the confidence that it really has."""

    low: float
    high: float
    confidence: float


def median_interval(values: Values, confidence: float) -> Interval:
    """Exact, distribution-free interval of the median from order statistics.

    `values`: shape (L,), L ≥ 1. The interval [x_(k), x_(L+1-k)] covers the median with probability
    1 - 2·P(B < k), B ~ Binomial(L, 1/2); the largest k that keeps `confidence` is used (Conover,
    Practical Nonparametric Statistics, 1999, 3.2). With fewer values than the confidence needs
    (6 for 95 %) it is the range, with the smaller confidence 1 - 2^(1-L) that the range really has.
    """
    ordered = np.sort(values)
    count = len(ordered)
    k, reached = order_statistic(count, confidence)
    return Interval(float(ordered[k - 1]), float(ordered[count - k]), reached)


@lru_cache(maxsize=256)
def order_statistic(count: int, confidence: float) -> tuple[int, float]:
    """Of `count` values the k of `median_interval`, and the confidence that it reaches."""
    k = max(1, int(stats.binom.ppf((1 - confidence) / 2, count, 0.5)))
    return k, max(1 - 2 * float(stats.binom.cdf(k - 1, count, 0.5)), 0.0)


@dataclass(frozen=True)
class MeanEstimate:
    """A mean over launches with what the launches alone say about its error."""

    mean: float
    se: float
    low: float
    high: float
    rse: float


def mean_estimate(values: Values, confidence: float) -> MeanEstimate:
    """Mean over launches, its standard error s/√L, Student's interval and RSE = s/(mean·√L).

    `values`: shape (L,), one value a launch. With one launch the spread is unknown: NaN.
    RSE as in Kurnosov (MPIPerf, 2012), there with L = 10.
    """
    count = len(values)
    mean = float(np.mean(values))
    if count < 2:
        return MeanEstimate(mean, nan, nan, nan, nan)
    se = float(np.std(values, ddof=1)) / sqrt(count)
    half = float(stats.t.ppf((1 + confidence) / 2, count - 1)) * se
    return MeanEstimate(mean, se, mean - half, mean + half, se / mean if mean > 0 else nan)
