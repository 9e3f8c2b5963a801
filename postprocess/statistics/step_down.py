# SPDX-License-Identifier: BSD-3-Clause
"""Many one-sided tests at once, by exchanging the names of the same units for all of them together.

Westfall and Young 1993, step-down over the largest statistic. Tests that rise and fall together, as those of the cases
of one launch do, then cost little: nothing is assumed about how they depend on each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from isochron.postprocess.statistics.launches import Values

Matrix = NDArray[np.float64]

#: Exchanges that are drawn beside the observed names (Phipson and Smyth 2010: p = (1 + reached) / (1 + drawn)).
DRAWN = 19_999
#: Of these, how many are held at once.
TOGETHER = 1000
#: A unit that differs by more than this times the median unit met something else: it shall not decide alone.
OUTLYING = 3.0
#: Statistics that differ by less are the same.
SAME = 1e-9


@dataclass(frozen=True)
class Tests:
    """H hypotheses about the same U units. Statistic: names · scores, shape (H,); large values speak against.

    `scores`: (U, H), each statistic with standard deviation 1 under exchange; 0 where a unit says nothing.
    `names`: (U,), as observed. `exchanged(rng, count)`: as they could have been, (count, U).
    """

    scores: Matrix
    names: Values
    exchanged: Callable[[Generator, int], Matrix]


def step_down(groups: Sequence[Tests], seed: int) -> list[Values]:
    """Adjusted p of every hypothesis of every group, which all are one family. Groups are exchanged independently."""
    if not sum(each.scores.shape[1] for each in groups):
        return [np.empty(0) for _ in groups]
    rng = np.random.default_rng(seed)
    observed = np.concatenate([each.names @ each.scores for each in groups])
    order = np.argsort(observed, kind="stable")  # smallest first: the running maximum is over what is not yet rejected
    limits = observed[order] - SAME
    reached = np.zeros(len(order), dtype=np.int64)
    for start in range(0, DRAWN, TOGETHER):
        count = min(TOGETHER, DRAWN - start)
        drawn = np.concatenate([each.exchanged(rng, count) @ each.scores for each in groups], axis=1)
        largest = np.maximum.accumulate(drawn[:, order], axis=1)
        reached += (largest >= limits).sum(axis=0)
    p_values = (1 + reached) / (1 + DRAWN)
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(p_values[::-1])[::-1]
    return np.split(adjusted, np.cumsum([each.scores.shape[1] for each in groups])[:-1])


def exchanged_names(names: Values, strata: Sequence[NDArray[np.intp]]) -> Callable[[Generator, int], Matrix]:
    """The names (1: the first sample, 0: the second) dealt out again within each stratum. `strata`: its units."""

    def draw(rng: Generator, count: int) -> Matrix:
        drawn = np.zeros((count, len(names)))
        for units in strata:
            drawn[:, units] = rng.permuted(np.tile(names[units], (count, 1)), axis=1)
        return drawn

    return draw


def exchanged_signs(units: int) -> Callable[[Generator, int], Matrix]:
    """The sides of each paired unit exchanged or not: +1 or -1. Observed is +1."""

    def draw(rng: Generator, count: int) -> Matrix:
        return np.where(rng.integers(0, 2, size=(count, units)) > 0, 1.0, -1.0)

    return draw


def clipped(values: Matrix) -> Matrix:
    """Each column without outliers: cut at three times its median size. Shape (U, H). Signs play no part in where."""
    limit = OUTLYING * np.median(np.abs(values), axis=0)
    return np.asarray(np.clip(values, -limit, limit), dtype=np.float64)
