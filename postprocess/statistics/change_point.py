# SPDX-License-Identifier: BSD-3-Clause
"""Where the level of a series changed, if it did."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.stats import rankdata

from isochron.postprocess.statistics.launches import Values

#: Values on either side of a change.
FEWEST_EACH = 2
#: Random orders from which the distribution of the statistic is counted.
ORDERS = 20_000


@dataclass(frozen=True)
class ChangePoint:
    """Index of the first value after the change, and p of a change as large in a series without one."""

    index: int
    p_value: float


def change_point(values: Values) -> ChangePoint | None:
    """The likeliest place of one change of level, and whether there is one; None where values are too few.

    `values`: shape (T,), positive, in order of time; at least two stand on either side of a change. Whether: by ranks
    (Pettitt 1979), the statistic is max_t |2·R_t - t·(T + 1)|, R_t the sum of the first t mid-ranks. p is the share of
    random orders of the same ranks that reach it, (1 + reached) / (1 + orders): it asks for nothing but that the order
    says nothing where there is no change. Where: the two medians with the least absolute deviations, of logarithms.
    """
    if len(values) < 2 * FEWEST_EACH:
        return None
    ranks = rankdata(values)
    largest = float(_deviations(ranks[np.newaxis]).max())
    null = _null(tuple(sorted(ranks.tolist())))
    reached = len(null) - int(np.searchsorted(null, largest - 1e-9))
    return ChangePoint(_place(np.log(values)), (1 + reached) / (1 + len(null)))


def _place(values: Values) -> int:
    """Index of the first value of the second part, where the deviations from the parts' medians are smallest."""
    places = range(FEWEST_EACH, len(values) - FEWEST_EACH + 1)
    return min(places, key=lambda place: _spread(values[:place]) + _spread(values[place:]))


def _spread(part: Values) -> float:
    return float(np.abs(part - np.median(part)).sum())


def _deviations(ranks: Values) -> Values:
    """|2·R_t - t·(T + 1)| for t = FEWEST_EACH … T - FEWEST_EACH; shape (orders, T) → (orders, number of t)."""
    count = ranks.shape[1]
    t = np.arange(1, count + 1)
    every = np.abs(2 * np.cumsum(ranks, axis=1) - t * (count + 1))
    return np.asarray(every[:, FEWEST_EACH - 1 : count - FEWEST_EACH], dtype=np.float64)


@lru_cache(maxsize=64)
def _null(ranks: tuple[float, ...]) -> Values:
    """The statistic of random orders of these ranks, sorted. Shape (ORDERS,)."""
    orders = np.random.default_rng(len(ranks)).permuted(np.tile(ranks, (ORDERS, 1)), axis=1)
    return np.sort(_deviations(orders).max(axis=1))
