# SPDX-License-Identifier: BSD-3-Clause
"""Many one-sided tests at once, by exchanging the names of the same units for all of them together.

Westfall and Young 1993, step-down over the largest statistic. Tests that rise and fall together, as those of the cases
of one launch do, then cost little: nothing is assumed about how they depend on each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isochron.stats.launches import Values
from isochron.stats.permutations import Names, PermutationSample, draw

Matrix = NDArray[np.float64]
Index = NDArray[np.intp]

#: Exchanges that are drawn beside the observed names (Phipson and Smyth 2010: p = (1 + reached) / (1 + drawn)).
DRAWN = 19_999
#: Statistics that differ by less are the same.
SAME = 1e-9
#: Hypotheses that are looked at together, and exchanges of them that are held at once.
TILE, HELD = 1024, 2000


@dataclass(frozen=True)
class Tests:
    """H hypotheses about the same U units. Statistic: names · scores, shape (H,); large values speak against.

    `scores`: (U, H), each statistic with standard deviation 1 under exchange; 0 where a unit says nothing.
    `names`: (U,), as observed. `exchanged`: as they could have been. `alone`: (H,), what no corrected p is below: p of
    the test that an interval beside the hypothesis is from. `spent`: level that was used up for all of them before.
    """

    scores: Matrix
    names: Values
    exchanged: Names
    alone: Values = field(default_factory=lambda: np.zeros(1))
    spent: float = 0.0


def step_down(groups: Sequence[Tests], seed: int) -> list[Values]:
    """Adjusted p of every hypothesis of every group, which all are one family. Groups are exchanged independently."""
    groups_at = np.cumsum([each.scores.shape[1] for each in groups])
    if not len(groups) or not groups_at[-1]:
        return [np.empty(0) for _ in groups]
    observed = np.concatenate([each.names @ each.scores for each in groups])
    order = np.argsort(observed, kind="stable")  # smallest first: the running maximum is over what is not yet rejected
    reached = _reached(
        groups, order, observed[order] - SAME, draw(tuple(each.exchanged for each in groups), seed, DRAWN)
    )
    p_values = (1 + reached) / (1 + DRAWN) + sum(each.spent for each in groups)
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(p_values[::-1])[::-1]
    parts = np.split(np.minimum(1.0, adjusted), groups_at[:-1])
    return [np.maximum(part, each.alone) for each, part in zip(groups, parts, strict=True)]


def _reached(
    groups: Sequence[Tests], order: Index, limits: Values, names: Sequence[PermutationSample]
) -> NDArray[np.int64]:
    """In how many exchanges the largest statistic up to each hypothesis reaches its limit.

    Shapes (H,), in `order`. Limits and running maxima only rise, so most exchanges are decided for a whole tile of
    hypotheses by the maximum before it, or by that after it; the others are looked at one by one.
    """
    counts = [each.scores.shape[1] for each in groups]
    group_of, column_of = np.repeat(np.arange(len(groups)), counts), np.concatenate([np.arange(n) for n in counts])
    reached = np.zeros(len(order), dtype=np.int64)
    before = np.full(DRAWN, -np.inf)
    for start in range(0, len(order), TILE):
        tile, own = order[start : start + TILE], limits[start : start + TILE]
        parts = [
            _Part(places, names[group], names[group].names @ groups[group].scores[:, column_of[tile[places]]])
            for group in np.unique(group_of[tile])
            if len(places := np.flatnonzero(group_of[tile] == group))
        ]
        largest = before
        for part in parts:
            largest = np.maximum(largest, part.statistics.max(axis=1)[part.drawn.which])
        reached[start : start + TILE] = np.count_nonzero(before >= own[-1])
        undecided = np.flatnonzero((before < own[-1]) & (largest >= own[0]))
        for first in range(0, len(undecided), HELD):
            some = undecided[first : first + HELD]
            reached[start : start + TILE] += _one_by_one(parts, own, before[some], some)
        before = largest
    return reached


class _Part(NamedTuple):
    """Hypotheses of one group in a tile: their places in it, its exchanges, and (distinct exchanges, hypotheses)."""

    places: Index
    drawn: PermutationSample
    statistics: Matrix


def _one_by_one(parts: Sequence[_Part], limits: Values, before: Values, some: Index) -> NDArray[np.int64]:
    """The same of a tile, in `some` exchanges. `before`: their maxima before it."""
    running = np.empty((len(limits), len(some)))
    for part in parts:
        running[part.places] = part.statistics.T[:, part.drawn.which[some]]
    np.maximum(running[0], before, out=running[0])
    np.maximum.accumulate(running, axis=0, out=running)
    return np.asarray(np.count_nonzero(running >= limits[:, None], axis=1), dtype=np.int64)
