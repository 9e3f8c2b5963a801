# SPDX-License-Identifier: BSD-3-Clause
"""Quantiles of the repetitions of several launches, with intervals that hold although repetitions are dependent.

Of independent values the interval is exact: two of them in order of size, by the binomial distribution. Repetitions of
a launch resemble each other, and launches differ, so many of them are worth fewer independent ones: as many as give the
share of repetitions above the quantile the variance that it has between launches (Woodruff 1952, with the effective
number of Korn and Graubard 1998). Nothing is assumed about the dependence within a launch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor, inf, log, nan

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, betainc, ndtri, stdtrit

from isochron.stats.launches import Values, by_count

#: Fewest launches, or blocks, that say how much they differ.
FEWEST_UNITS = 6
#: Spread of the medians of units, over that of all repetitions, up to which the long repetitions of so few units stand
#: for those of others: beyond it most of them are of one or two units.
MOST_APART = 0.4
#: Rounding of sums of weights.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Quantile:
    """A quantile and its interval with the confidence that it really has, NaN if there is none.

    `worth`: how many independent repetitions all of them are worth; NaN if too few units say it. `apart`: units differ
    too much for an interval.
    """

    value: float
    low: float = nan
    high: float = nan
    confidence: float = nan
    worth: float = nan
    apart: bool = False


@lru_cache(maxsize=4096)
def quantile_ranks(count: int, quantile: float, confidence: float) -> tuple[int, int, float] | None:
    """Return ranks r < s of `count` independent values between which the quantile lies, and the confidence of that.

    The number of values up to the quantile is binomial, so [x_(r), x_(s)] covers it with P(r ≤ B < s), B ~
    Binomial(count, quantile) (Conover, Practical Nonparametric Statistics, 1999, 3.2). Both tails are at most half of
    what `confidence` leaves; then the upper rank, and then the lower one, is drawn in as far as `confidence` allows.
    None if the largest value does not bound the quantile.
    """
    below = bdtr(np.arange(count + 1), count, quantile)
    tail = (1 - confidence) / 2
    low = int(np.searchsorted(below, tail, side="right"))
    high = 1 + int(np.searchsorted(below, 1 - tail, side="left"))

    def reached(first: int, last: int) -> float:
        return float(below[last - 1] - (below[first - 1] if first else 0.0))

    while reached(low, high - 1) >= confidence:
        high -= 1
    while reached(low + 1, high) >= confidence:
        low += 1
    return (low, high, reached(low, high)) if low >= 1 and high <= count else None


@lru_cache(maxsize=64)
def fewest_independent(quantile: float, confidence: float) -> int:
    """Return of how many independent values an interval of the quantile exists."""
    count = ceil(log((1 - confidence) / 2) / log(max(quantile, 1 - quantile))) // 2
    while quantile_ranks(count, quantile, confidence) is None:
        count += 1
    return count


def fewest_for_value(quantile: float) -> int:
    """Return of how many values the largest lies above the quantile more often than not (n with 1 - quantileⁿ ≥ ½)."""
    return ceil(log(0.5) / log(quantile))


def pooled_quantiles(
    ordered: Values, units: NDArray[np.intp], quantiles: tuple[float, ...], confidence: float
) -> list[Quantile]:
    """Return quantiles of a repetition of a launch, each launch or block having the same weight.

    `ordered`: repetitions in ascending order, (n,); `units`: the launch or block of each, small numbers from 0.
    The value is the smallest repetition up to which at least that share of the weight lies, so it lies between the
    smallest and the largest. Without `FEWEST_UNITS` units, if these differ by more than `MOST_APART`, or if the
    repetitions are worth too few independent ones, there is no interval.
    """
    counts = np.bincount(units)
    below = np.cumsum(1.0 / (np.count_nonzero(counts) * counts[units]))
    found = [_pooled(ordered, units, counts, below, each, confidence) for each in quantiles]
    if np.count_nonzero(counts) >= FEWEST_UNITS and _apart(ordered, units, counts) > MOST_APART:
        return [Quantile(each.value, worth=each.worth, apart=True) for each in found]
    return found


def _apart(ordered: Values, units: NDArray[np.intp], counts: NDArray[np.intp]) -> float:
    """Return the standard deviation of the medians of units over that of a normal sample with the same quartiles."""
    own = ordered[np.argsort(units, kind="stable")]
    middle = (np.cumsum(counts) - counts + counts // 2)[counts > 0]
    first, third = np.searchsorted(np.arange(1, len(ordered) + 1) / len(ordered), (0.25, 0.75))
    spread = float(ordered[third] - ordered[first]) / float(ndtri(0.75) - ndtri(0.25))
    between = float(own[middle].std(ddof=1))
    return between / spread if spread > 0 else (inf if between > 0 else 0.0)


def _pooled(
    ordered: Values,
    units: NDArray[np.intp],
    counts: NDArray[np.intp],
    below: Values,
    quantile: float,
    confidence: float,
) -> Quantile:
    """One of `pooled_quantiles`. `below`: the weight up to each repetition."""
    last = len(ordered) - 1
    at = min(int(np.searchsorted(below, quantile - ROUNDING)), last)
    value = float(ordered[at])
    if np.count_nonzero(counts) < FEWEST_UNITS:
        return Quantile(value)
    worth = _worth(ordered, units, counts, value, confidence)
    ranks = quantile_ranks(floor(worth), quantile, confidence) if worth >= 1 else None
    if ranks is None:
        return Quantile(value, worth=worth)
    first, second, reached = ranks
    low = min(int(np.searchsorted(below, first / floor(worth) - ROUNDING)), at)
    high = int(np.searchsorted(below, (second - 1) / floor(worth) + ROUNDING, side="right"))
    return Quantile(value, float(ordered[low]), float(ordered[min(max(high, at), last)]), reached, worth)


def _worth(
    ordered: Values, units: NDArray[np.intp], counts: NDArray[np.intp], value: float, confidence: float
) -> float:
    """Return how many independent repetitions all of them are worth at a value, at most as many as there are."""
    known_units = counts > 0
    counts, number = counts[known_units], int(known_units.sum())
    most = number**2 / float((1 / counts).sum())
    above = int(np.searchsorted(ordered, value, side="right"))
    if above == len(ordered):  # it is the largest
        above = int(np.searchsorted(ordered, value, side="left"))
    shares = np.bincount(units[above:], minlength=len(known_units))[known_units] / counts
    share, variance = float(shares.mean()), float(shares.var(ddof=1)) / number
    known = ndtri((1 + confidence) / 2) / stdtrit(number - 1, (1 + confidence) / 2)
    worth = share * (1 - share) / variance * known**2 if variance > 0 else inf
    return min(worth, most) + ROUNDING


def launch_quantiles(ordered: Values, numbers: NDArray[np.intp], rows: int, quantiles: tuple[float, ...]) -> Values:
    """Return quantiles of each of so many rows, (rows, quantiles): a mean of its values in order of size.

    Each value has the weight with which it would be the quantile of another such sample (Harrell and Davis 1982); the
    mean lies between the smallest and the largest. NaN with fewer values than `fewest_for_value`. `ordered`: values,
    those of each row in ascending order; `numbers`: their rows.
    """
    found = np.full((rows, len(quantiles)), nan)
    for positions, places in by_count(numbers, rows):
        count = places.shape[1]
        for column, quantile in enumerate(quantiles):
            if count >= fewest_for_value(quantile):
                found[positions, column] = ordered[places] @ _weights(count, quantile)
    return found


@lru_cache(maxsize=4096)
def _weights(count: int, quantile: float) -> Values:
    """Weights of Harrell and Davis of so many values, (count,)."""
    ends = betainc((count + 1) * quantile, (count + 1) * (1 - quantile), np.arange(count + 1) / count)
    weights: Values = np.diff(ends)
    return weights
