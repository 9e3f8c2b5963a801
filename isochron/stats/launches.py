# SPDX-License-Identifier: BSD-3-Clause
"""Values of several launches of a result, as arrays. The launch is the replication unit."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import comb, nan, sqrt

import numpy as np
from numpy.typing import NDArray

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
    """Return mean over launches, its standard error s/√L, Student's interval and RSE = s/(mean·√L).

    `values`: shape (…, L), one value a launch. With one launch the spread is unknown: NaN.
    RSE as in Kurnosov (MPIPerf, 2012), there with L = 10.
    """
    from scipy.special import stdtrit  # takes longer to load than all else that `ingest` needs of this package

    count = values.shape[-1]
    mean = np.asarray(np.mean(values, axis=-1))
    if count < 2:
        unknown = np.full_like(mean, nan)
        return MeanEstimate(mean, unknown, unknown, unknown, unknown)
    se = np.std(values, axis=-1, ddof=1) / sqrt(count)
    half = float(stdtrit(count - 1, (1 + confidence) / 2)) * se
    rse = np.divide(se, mean, out=np.full_like(mean, nan), where=mean > 0)
    return MeanEstimate(mean, se, mean - half, mean + half, rse)


Index = NDArray[np.intp]


def by_count(numbers: Index, rows: int) -> Iterator[tuple[Index, Index]]:
    """Rows with equally many values, none left out but those without any: their numbers (R,), and the places (R, n).

    `numbers`: the row of each value, 0 … rows - 1. The values of a row stay in their order.
    """
    order = np.argsort(numbers, kind="stable")
    counts = np.bincount(numbers, minlength=rows)
    starts = np.cumsum(counts) - counts
    for count in np.unique(counts[counts > 0]).tolist():
        selected = np.flatnonzero(counts == count)
        yield selected, order[starts[selected][:, None] + np.arange(count)]


def stretches(starts: Index, counts: Index) -> Index:
    """Return the places of stretches one after the other, start … start + count - 1 of each; (N,) → (Σ counts,)."""
    return np.arange(counts.sum()) + np.repeat(starts - np.cumsum(counts) + counts, counts)


def matched_columns(mask: NDArray[np.bool_]) -> Iterator[tuple[Index, NDArray[np.bool_]]]:
    """Yield columns that are marked in the same rows, none left out: their numbers (C,), and these rows (R,)."""
    padded = np.pad(mask, ((0, 1), (0, 0)))  # so that there is a row
    packed = np.ascontiguousarray(np.packbits(padded, axis=0).T)  # bytes in order are marks in order
    patterns = packed.view(f"V{packed.shape[1]}").ravel()
    _, first, group = np.unique(patterns, return_index=True, return_inverse=True)
    for number, rows in enumerate(mask[:, first].T):
        yield np.flatnonzero(group == number), rows


def known_medians(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the median of each row of what is not NaN; NaN if nothing is known. Shape (R, n) → (R,)."""
    ordered = np.sort(values, axis=1)
    count = np.count_nonzero(~np.isnan(values), axis=1)
    every, last = np.arange(len(values)), np.maximum(count - 1, 0)
    return np.asarray((ordered[every, last // 2] + ordered[every, (last + 1) // 2]) / 2)
