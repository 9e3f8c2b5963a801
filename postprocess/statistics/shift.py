# SPDX-License-Identifier: BSD-3-Clause
"""By how much one sample is shifted against another within strata: estimate and interval from the rank test itself.

A shift is in the interval when the exact stratified rank test (`exact_ranks`, van Elteren 1960) does not reject it at
the level of the interval, so interval and test cannot contradict each other, and no random number is in it. The
estimate is the shift at which the statistic has its mean. In one stratum: Hodges and Lehmann 1963; in several: the same
with the differences within each stratum weighted as the test weights them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, lcm, prod

import numpy as np
from numpy.typing import NDArray

from isochron.postprocess.statistics.exact_ranks import Distribution, convolved, rank_sums, rank_test
from isochron.postprocess.statistics.launches import Values

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
    """How far `first` is above `second`. Shapes (rows, C), all finite in the rows that the strata name.

    Where so few values cannot give an interval at `confidence`, it is the range of the differences, with the smaller
    confidence that this really has. `moves`: shape (rows, C); a shift by δ moves a value by δ·moves beside, as where a
    covariate is taken out whose slope depends on the shift. Moves of one stratum differ by less than 1.
    """
    sizes = tuple((len(one), len(other)) for one, other in strata)
    with np.errstate(invalid="ignore"):
        parts = [_between(first, second, one, other) for one, other in strata]
        if moves is not None:
            parts = [part / (1 + _between(moves, moves, *each)) for part, each in zip(parts, strata, strict=True)]
    differences = np.nan_to_num(np.concatenate(parts), nan=0.0, posinf=np.inf, neginf=-np.inf)
    weights = np.repeat(_weights(sizes), [one * other for one, other in sizes])
    order = np.argsort(differences, axis=0, kind="stable")
    ordered = np.take_along_axis(differences, order, axis=0)
    passed = np.cumsum(weights[order], axis=0)  # the statistic beyond ordered[k] is total - passed[k]
    total = int(weights.sum())
    most, reached = _most(sizes, confidence)
    low = _first(ordered, passed >= total - most)
    high = -_first(-ordered[::-1], np.cumsum(weights[order][::-1], axis=0) >= total - most)
    middle = (_first(ordered, 2 * passed >= total), _first(ordered, 2 * passed > total))
    return Shifts((middle[0] + middle[1]) / 2, low, high, reached)


def _between(first: Values, second: Values, one: NDArray[np.intp], other: NDArray[np.intp]) -> Values:
    """All differences of a stratum. Shape (n_b·m_b, C)."""
    return (first[one][:, None] - second[other][None]).reshape(-1, first.shape[1])


def no_shift(first: Values, second: Values, strata: Places) -> Values:
    """Two-sided exact p that `first` is not shifted against `second`, as `rank_test` gives it. (rows, C) → (C,)."""
    sizes = tuple((len(one), len(other)) for one, other in strata)
    sums, probabilities = without_shift(sizes)
    below = np.concatenate([[0.0], np.cumsum(probabilities)])
    total = np.zeros(first.shape[1], dtype=np.int64)
    tied = np.zeros(first.shape[1], dtype=bool)
    for (one, other), weight in zip(strata, _weights(sizes), strict=True):
        total += weight * (first[one][:, None] > second[other][None]).sum(axis=(0, 1))
        ordered = np.sort(np.concatenate([first[one], second[other]]), axis=0)
        tied |= (ordered[1:] == ordered[:-1]).any(axis=0)
    place = np.searchsorted(sums, total)
    tails = np.minimum(below[place + 1], 1 - below[place]) if len(total) else np.empty(0)
    p_values = np.minimum(1.0, 2 * tails)
    for case in np.flatnonzero(tied):
        p_values[case] = rank_test([(first[one, case], second[other, case]) for one, other in strata])
    return p_values


def _first(ordered: Values, where: NDArray[np.bool_]) -> Values:
    """In each column the first value that is marked. Shapes (K, C) → (C,)."""
    return np.asarray(np.take_along_axis(ordered, np.argmax(where, axis=0)[None], axis=0)[0], dtype=np.float64)


def _weights(sizes: Sizes) -> NDArray[np.int64]:
    """1 / (N_b + 1) as whole numbers of a common unit. Shape (strata,)."""
    scale = lcm(*(one + other + 1 for one, other in sizes))
    return np.array([scale // (one + other + 1) for one, other in sizes], dtype=np.int64)


@lru_cache(maxsize=1024)
def _most(sizes: Sizes, confidence: float) -> tuple[int, float]:
    """The largest value of the statistic that the test does not reject, and the confidence of its inversion.

    The statistic is Σ_b w_b·U_b, U_b the number of pairs in which the first is the larger one (Mann and Whitney 1947).
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
    """Distribution of Σ_b w_b·U_b where there is no shift and no ties."""
    total: Distribution = (np.zeros(1, dtype=np.int64), np.ones(1))
    for (one, other), weight in zip(sizes, _weights(sizes), strict=True):
        sums, probabilities = rank_sums(tuple(range(1, one + other + 1)), one)
        total = convolved(total, ((sums - one * (one + 1) // 2) * weight, probabilities))
    return total


def arrangements(sizes: Sizes) -> int:
    """In how many ways the names of the two samples can be exchanged within the strata: ∏_b C(n_b + m_b, n_b)."""
    return prod(comb(one + other, one) for one, other in sizes)
