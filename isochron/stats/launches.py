# SPDX-License-Identifier: BSD-3-Clause
"""What several launches say together about one row. The launch is the replication unit."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import comb, nan, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """Intervals, shape (…), and the confidence that they really have."""

    low: Values
    high: Values
    confidence: float


def median_interval(values: Values, confidence: float) -> Interval:
    """Exact, distribution-free interval of the median from order statistics.

    `values`: shape (…, L), L ≥ 1. The interval [x_(k), x_(L+1-k)] covers the median with probability
    1 - 2·P(B < k), B ~ Binomial(L, 1/2); the largest k that keeps `confidence` is used (Conover,
    Practical Nonparametric Statistics, 1999, 3.2). With fewer values than the confidence needs
    (6 for 95 %) it is the range, with the smaller confidence 1 - 2^(1-L) that the range really has.
    """
    ordered = np.sort(values, axis=-1)
    count = ordered.shape[-1]
    k, reached = order_statistic(count, confidence)
    return Interval(ordered[..., k - 1], ordered[..., count - k], reached)


@lru_cache(maxsize=256)
def order_statistic(count: int, confidence: float) -> tuple[int, float]:
    """Of `count` values the k of `median_interval`, and the confidence that it reaches."""
    below = [Fraction(ways, 2**count) for ways in accumulate(comb(count, number) for number in range(count + 1))]
    k = max(1, next(number for number, part in enumerate(below) if part >= (1 - confidence) / 2))
    return k, max(float(1 - 2 * below[k - 1]), 0.0)


@dataclass(frozen=True)
class MeanEstimate:
    """Means over launches with what the launches alone say about their error. Shapes (…)."""

    mean: Values
    se: Values
    low: Values
    high: Values
    rse: Values


def mean_estimate(values: Values, confidence: float) -> MeanEstimate:
    """Mean over launches, its standard error s/√L, Student's interval and RSE = s/(mean·√L).

    `values`: shape (…, L), one value a launch. With one launch the spread is unknown: NaN.
    RSE as in Kurnosov (MPIPerf, 2012), there with L = 10.
    """
    count = values.shape[-1]
    mean = np.asarray(np.mean(values, axis=-1))
    if count < 2:
        unknown = np.full_like(mean, nan)
        return MeanEstimate(mean, unknown, unknown, unknown, unknown)
    se = np.std(values, axis=-1, ddof=1) / sqrt(count)
    half = float(stdtrit(count - 1, (1 + confidence) / 2)) * se
    rse = np.divide(se, mean, out=np.full_like(mean, nan), where=mean > 0)
    return MeanEstimate(mean, se, mean - half, mean + half, rse)
