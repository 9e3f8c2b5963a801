# SPDX-License-Identifier: BSD-3-Clause
"""The shift between two samples within strata: estimate and interval by inversion of the exact rank test.

A shift is in the interval if the exact test does not reject it at the level of the interval, so interval and test
cannot contradict each other, and no random number is used. The estimate is the shift at which the statistic has its
mean (Hodges and Lehmann 1963). The test is that of stratified ranks (`exact_ranks`, van Elteren 1960), with the
differences within each stratum weighted as the test weights them; where every stratum is a pair, that of signed ranks
(Wilcoxon 1945), whose steps are at the means of any two of the pairs' differences (Walsh 1949; Tukey 1949).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import lcm

import numpy as np
from numpy.typing import NDArray

from isochron.stats.exact_ranks import (
    Distribution,
    convolved,
    rank_sums,
    rank_test,
    signed_rank_sums,
    signed_rank_test,
)
from isochron.stats.launches import Values

#: (n_b, m_b): how many values the two samples have in each stratum.
Sizes = tuple[tuple[int, int], ...]
#: Rows of the first and of the second sample in each stratum.
Places = Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]


@dataclass(frozen=True)
class Shifts:
    """Of C cases that were measured by the same launches: shapes (C,), the last the level that the interval has."""

    estimate: Values
    low: Values
    high: Values
    confidence: float


def shifts(first: Values, second: Values, strata: Places, confidence: float, moves: Values | None = None) -> Shifts:
    """Return how far `first` is above `second`. Shapes (rows, C), all finite in the rows that the strata name.

    Where so few values cannot give an interval at `confidence`, it is the range of the differences, with the smaller
    confidence that this really has. `moves`: shape (rows, C); a shift by δ moves a value by δ·moves beside, as where a
    covariate is taken out whose slope depends on the shift. Moves of one stratum differ by less than 1.
    """
    sizes = sizes_by_operation(strata)
    steps, weights = _steps(first, second, strata, moves)
    order = np.argsort(steps, axis=0, kind="stable")
    ordered = np.take_along_axis(steps, order, axis=0)
    passed = np.cumsum(weights[order], axis=0)  # the statistic beyond ordered[k] is total - passed[k]
    total = int(weights.sum())
    most, reached = _most(sizes, confidence)
    low = _first(ordered, passed >= total - most)
    high = -_first(-ordered[::-1], np.cumsum(weights[order][::-1], axis=0) >= total - most)
    middle = (_first(ordered, 2 * passed >= total), _first(ordered, 2 * passed > total))
    return Shifts((middle[0] + middle[1]) / 2, low, high, reached)


def sizes_by_operation(strata: Places) -> Sizes:
    """Return how many values each stratum has."""
    return tuple((len(one), len(other)) for one, other in strata)


def _paired(sizes: Sizes) -> bool:
    """Return True if every stratum has one value of each sample."""
    return all(size == (1, 1) for size in sizes)


def _steps(
    first: Values, second: Values, strata: Places, moves: Values | None = None
) -> tuple[Values, NDArray[np.int64]]:
    """Return the shifts at which the statistic falls, shape (K, C), and by how much: (K,)."""
    with np.errstate(invalid="ignore"):
        steps = np.concatenate([_between(first, second, *samples) for samples in strata])
        scale = np.ones_like(steps)
        if moves is not None:
            scale += np.concatenate([_between(moves, moves, *samples) for samples in strata])
        sizes = sizes_by_operation(strata)
        if _paired(sizes):
            one, other = np.triu_indices(len(steps))
            steps, scale = steps[one] + steps[other], scale[one] + scale[other]
            weights = np.ones(len(steps), dtype=np.int64)
        else:
            weights = np.repeat(_weights(sizes), [one * other for one, other in sizes])
        return np.nan_to_num(steps / scale, nan=0.0, posinf=np.inf, neginf=-np.inf), weights


def _between(first: Values, second: Values, one: NDArray[np.intp], other: NDArray[np.intp]) -> Values:
    """Return all differences of a stratum. Shape (n_b·m_b, C)."""
    return (first[one][:, None] - second[other][None]).reshape(-1, first.shape[1])


def not_above(first: Values, second: Values, strata: Places) -> Values:
    """Return the one-sided exact p of `first` not above `second`, by the test of `shifts`. (rows, C) → (C,)."""
    return _tail(sizes_by_operation(strata), *_steps(first, second, strata))


def no_shift(first: Values, second: Values, strata: Places) -> Values:
    """Return the two-sided exact p that `first` is not shifted against `second`, ties included. (rows, C) → (C,)."""
    sizes = sizes_by_operation(strata)
    steps, weights = _steps(first, second, strata)
    p_values: Values = np.minimum(1.0, 2 * np.minimum(_tail(sizes, steps, weights), _tail(sizes, -steps, weights)))
    for case in np.flatnonzero(_tied(first, second, strata)):
        parts = [(first[one, case], second[other, case]) for one, other in strata]
        if _paired(sizes):
            p_values[case] = signed_rank_test(np.concatenate([one - other for one, other in parts]))
        else:
            p_values[case] = rank_test(parts)
    return p_values


def _tail(sizes: Sizes, steps: Values, weights: NDArray[np.int64]) -> Values:
    """Return P(statistic ≥ what is seen) of each case if there is no shift. Shape (C,)."""
    sums, probabilities = without_shift(sizes)
    above = np.append(np.cumsum(probabilities[::-1])[::-1], 0.0)
    return np.asarray(np.minimum(1.0, above[np.searchsorted(sums, weights @ (steps > 0))]), dtype=np.float64)


def _tied(first: Values, second: Values, strata: Places) -> NDArray[np.bool_]:
    """Return whether values of a stratum, or sizes of the differences of pairs, are equal. Shape (C,)."""
    if _paired(sizes_by_operation(strata)):
        sizes = np.abs(np.concatenate([_between(first, second, *samples) for samples in strata]))
        parts = [np.concatenate([sizes, np.zeros((1, sizes.shape[1]))])]
    else:
        parts = [np.concatenate([first[one], second[other]]) for one, other in strata]
    tied = np.zeros(first.shape[1], dtype=bool)
    for part in parts:
        ordered = np.sort(part, axis=0)
        tied |= (ordered[1:] == ordered[:-1]).any(axis=0)
    return tied


def reach(strata: Places, confidence: float) -> float:
    """Return the share of shift-corrected differences between the samples that are below half the interval's width.

    Where the sizes of strata are alike: the interval ends as many steps from its middle as from the ends of the scale.
    """
    sums, _ = without_shift(sizes_by_operation(strata))
    return max(0.0, 2 * _most(sizes_by_operation(strata), confidence)[0] / int(sums[-1]) - 1)


def _first(ordered: Values, where: NDArray[np.bool_]) -> Values:
    """In each column the first value that is marked. Shapes (K, C) → (C,)."""
    return np.asarray(np.take_along_axis(ordered, np.argmax(where, axis=0)[None], axis=0)[0], dtype=np.float64)


def _weights(sizes: Sizes) -> NDArray[np.int64]:
    """1 / (N_b + 1) as whole numbers of a common unit. Shape (strata,)."""
    scale = lcm(*(one + other + 1 for one, other in sizes))
    return np.array([scale // (one + other + 1) for one, other in sizes], dtype=np.int64)


@lru_cache(maxsize=1024)
def _most(sizes: Sizes, confidence: float) -> tuple[int, float]:
    """Return the largest value of the statistic that the test does not reject, and the confidence of its inversion.

    The statistic is Σ_b w_b·U_b, U_b the number of pairs in which the first is the larger one (Mann and Whitney 1947),
    or, in strata of pairs, the number of Walsh's means above 0, which is Wilcoxon's sum of signed ranks.
    Rejected is what has P(statistic ≥ value) ≤ (1 - confidence) / 2, but at least the largest possible value.
    """
    sums, probabilities = without_shift(sizes)
    above = np.cumsum(probabilities[::-1])[::-1]  # P(statistic ≥ sums[k])
    rejected = above <= max((1 - confidence) / 2, float(above[-1])) * (1 + 1e-12)
    first = int(np.argmax(rejected))
    if first == 0:
        return int(sums[0]), 0.0
    return int(sums[first - 1]), 1 - 2 * float(above[first])


@lru_cache(maxsize=1024)
def without_shift(sizes: Sizes) -> Distribution:
    """Return the distribution of the statistic (`_most`) without shift and ties."""
    if _paired(sizes):
        return signed_rank_sums(tuple(range(1, len(sizes) + 1)))
    total: Distribution = (np.zeros(1, dtype=np.int64), np.ones(1))
    for (one, other), weight in zip(sizes, _weights(sizes), strict=True):
        sums, probabilities = rank_sums(tuple(range(1, one + other + 1)), one)
        total = convolved(total, ((sums - one * (one + 1) // 2) * weight, probabilities))
    return total
