# SPDX-License-Identifier: BSD-3-Clause
"""Quantiles of the repetitions of several launches, with intervals that hold although repetitions are dependent.

Of independent values the interval is exact: two of them in order of size, by the binomial distribution. Repetitions of
a launch resemble each other, and launches differ, so many of them are worth fewer independent ones: as many as give the
share of repetitions above the quantile the variance that it has between launches (Woodruff 1952, with the effective
number of Korn and Graubard 1998). Nothing is assumed about the dependence within a launch.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, inf, log, nan

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, betainc, ndtri, stdtrit

from isochron.stats.launches import Values, stretches

#: Fewest launches, or blocks, that say how much they differ.
FEWEST_UNITS = 6
#: Spread of the medians of units, over that of all repetitions, up to which the long repetitions of so few units stand
#: for those of others: beyond it most of them are of one or two units.
MOST_APART = 0.4
#: Rounding of sums of weights.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Quantiles:
    """A quantile of each of R rows, and its interval with the confidence that it really has, NaN if there is none.

    `worth`: how many independent repetitions all of them are worth; NaN if too few units say it. `apart`: units differ
    too much for an interval. Shapes (R,).
    """

    value: Values
    low: Values
    high: Values
    confidence: Values
    worth: Values
    apart: NDArray[np.bool_]


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
    count = ceil(log(1 - confidence) / log(max(quantile, 1 - quantile)))  # the ends leave out at least that much
    while quantile_ranks(count, quantile, confidence) is None:
        count += 1
    return count


def fewest_for_value(quantile: float) -> int:
    """Return of how many values the largest lies above the quantile more often than not (n with 1 - quantileⁿ ≥ ½)."""
    return ceil(log(0.5) / log(quantile))


def pooled_quantiles(
    times: Values, units: NDArray[np.intp], quantiles: tuple[float, ...], confidence: float
) -> list[Quantiles]:
    """Return each quantile of a repetition of a launch, in R rows, each launch or block having the same weight.

    `times`: repetitions, those of each row in ascending order, (R, n); `units`: the launch or block of each, numbers
    from 0 to one less than how many of them a row has, in each row so many. The value is the smallest repetition up to
    which at least that share of the weight lies, so it lies between the smallest and the largest. Without
    `FEWEST_UNITS` units, if these differ by more than `MOST_APART`, or if the repetitions are worth too few independent
    ones, there is no interval.
    """
    counts = _counts(np.ones_like(units, dtype=bool), units, int(units.max()) + 1)
    below = np.cumsum(np.take_along_axis(1.0 / (counts.shape[1] * counts), units, axis=1), axis=1)
    few = counts.shape[1] < FEWEST_UNITS
    apart = np.zeros(len(times), dtype=bool) if few else _apart(times, units, counts) > MOST_APART
    return [_pooled(times, units, (counts, below, apart), each, confidence) for each in quantiles]


def _counts(where: NDArray[np.bool_], units: NDArray[np.intp], number: int) -> NDArray[np.intp]:
    """Return how often each of so many units is in each row, where it counts: (R, n) → (R, number)."""
    row, column = np.nonzero(where)
    return np.bincount(number * row + units[row, column], minlength=number * len(units)).reshape(-1, number)


def _apart(times: Values, units: NDArray[np.intp], counts: NDArray[np.intp]) -> Values:
    """Return the standard deviation of the medians of units over that of a normal sample with the same quartiles."""
    order = np.argsort(units.astype(np.min_scalar_type(counts.shape[1])), axis=1, kind="stable")
    middle = np.take_along_axis(order, np.cumsum(counts, axis=1) - counts + counts // 2, axis=1)
    between = np.take_along_axis(times, middle, axis=1).std(axis=1, ddof=1)
    first, third = np.searchsorted(np.arange(1, times.shape[1] + 1) / times.shape[1], (0.25, 0.75))
    spread = (times[:, third] - times[:, first]) / float(ndtri(0.75) - ndtri(0.25))
    return np.asarray(np.divide(between, spread, out=np.where(between > 0, inf, 0.0), where=spread > 0))


def _pooled(
    times: Values,
    units: NDArray[np.intp],
    known: tuple[NDArray[np.intp], Values, NDArray[np.bool_]],
    quantile: float,
    confidence: float,
) -> Quantiles:
    """One of `pooled_quantiles`. `known`: the repetitions of each unit, the weight up to each repetition, `apart`."""
    counts, below, apart = known
    at = np.minimum(np.count_nonzero(below < quantile - ROUNDING, axis=1), times.shape[1] - 1)
    value = times[np.arange(len(times)), at]
    low, high, reached, worth = np.full((4, len(times)), nan)
    if counts.shape[1] >= FEWEST_UNITS:
        worth = _worth(times, units, counts, value, confidence)
    whole = np.where(apart, 0, np.floor(worth))
    for count in np.unique(whole[whole >= 1]).tolist():
        ranks = quantile_ranks(int(count), quantile, confidence)
        if ranks is not None:
            rows = np.flatnonzero(whole == count)
            first = np.count_nonzero(below[rows] < ranks[0] / count - ROUNDING, axis=1)
            last = np.count_nonzero(below[rows] <= (ranks[1] - 1) / count + ROUNDING, axis=1)
            low[rows] = times[rows, np.minimum(first, at[rows])]
            high[rows] = times[rows, np.clip(last, at[rows], times.shape[1] - 1)]
            reached[rows] = ranks[2]
    return Quantiles(value, low, high, reached, worth, apart)


def _worth(
    times: Values, units: NDArray[np.intp], counts: NDArray[np.intp], value: Values, confidence: float
) -> Values:
    """Return how many independent repetitions all of them are worth at a value, at most as many as there are."""
    number = counts.shape[1]
    most = number**2 / (1 / counts).sum(axis=1)
    above, largest = times > value[:, None], value == times[:, -1]
    above[largest] = times[largest] >= value[largest, None]
    shares = _counts(above, units, number) / counts
    share, variance = shares.mean(axis=1), shares.var(axis=1, ddof=1) / number
    known = ndtri((1 + confidence) / 2) / stdtrit(number - 1, (1 + confidence) / 2)
    worth = np.divide(share * (1 - share), variance, out=np.full_like(share, inf), where=variance > 0)
    return np.asarray(np.minimum(worth * known**2, most) + ROUNDING)


def launch_quantiles(
    ordered: Values, starts: NDArray[np.intp], counts: NDArray[np.intp], quantiles: tuple[float, ...]
) -> Values:
    """Return quantiles of each of so many rows, (rows, quantiles): a mean of its values in order of size.

    Each value has the weight with which it would be the quantile of another such sample (Harrell and Davis 1982); the
    mean lies between the smallest and the largest. NaN with fewer values than `fewest_for_value`. `ordered`: values,
    those of each row in ascending order, from `starts` on `counts` of them.
    """
    found = np.full((len(counts), len(quantiles)), nan)
    for count in np.unique(counts[counts > 0]).tolist():
        positions = np.flatnonzero(counts == count)
        values = ordered[stretches(starts[positions], counts[positions])].reshape(-1, count)
        for column, quantile in enumerate(quantiles):
            if count >= fewest_for_value(quantile):
                found[positions, column] = values @ _weights(count, quantile)
    return found


@lru_cache(maxsize=4096)
def _weights(count: int, quantile: float) -> Values:
    """Weights of Harrell and Davis of so many values, (count,)."""
    ends = betainc((count + 1) * quantile, (count + 1) * (1 - quantile), np.arange(count + 1) / count)
    weights: Values = np.diff(ends)
    return weights
