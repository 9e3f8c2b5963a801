# SPDX-License-Identifier: BSD-3-Clause
"""Intervals of the median of launches that may resemble each other: within their block, and from block to block.

A binomial interval over launches takes them as independent. Where launches of a block resemble each other, the blocks
are the units. Where blocks resemble their neighbours too, no interval from one run holds, and that is what is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.stats import f as f_distribution
from scipy.stats import norm, rankdata

from isochron.postprocess.statistics.launches import Values, order_statistic
from isochron.postprocess.statistics.step_down import Matrix

#: Levels at which launches resemble those of their block (a wider interval is all that a false alarm costs), and at
#: which blocks resemble their neighbours.
WITHIN, NEIGHBOURS = 0.2, 0.05
#: Two groups of launches are at least so far apart.
APART = log(1.05)
#: Values that make a group, and fewest values that can show two of them.
SMALLEST, FEWEST = 2, 4
#: Changes between two groups in the order of time from which on neither depends on a single change.
CHANGES = 3


@dataclass(frozen=True)
class Dependence:
    """Of C cases, shapes (C,). `by_block`: whether launches of a block resemble each other.

    `low`, `high`, `confidence`: the binomial interval over blocks, widened to hold the median of all. `groups`: whether
    the launches fall into two; `changes`: how often the group changes from one to the next; `follow`: whether blocks
    resemble their neighbours.
    """

    by_block: NDArray[np.bool_]
    low: Values
    high: Values
    confidence: float
    groups: NDArray[np.bool_]
    changes: NDArray[np.intp]
    follow: NDArray[np.bool_]

    @property
    def lasting(self) -> NDArray[np.bool_]:
        """Whether the two groups are regimes that are long against the run."""
        return self.groups & (self.changes < CHANGES)


def dependence(values: Matrix, blocks: NDArray[np.int64], confidence: float) -> Dependence:
    """`values`: (U, C), in order of time, all there; `blocks`: (U,), the number of the block, in order of time."""
    own = [np.flatnonzero(blocks == block) for block in np.unique(blocks)]
    units = np.stack([np.median(values[each], axis=0) for each in own])
    ordered, middle = np.sort(units, axis=0), np.median(values, axis=0)
    k, reached = order_statistic(len(units), confidence)
    slow, groups = two_groups(values)
    return Dependence(
        by_block=_resemble(values, own),
        low=np.minimum(middle, ordered[k - 1]),
        high=np.maximum(middle, ordered[len(units) - k]),
        confidence=reached,
        groups=groups,
        changes=(slow[1:] != slow[:-1]).sum(axis=0),
        follow=_follow(units),
    )


def two_groups(values: Matrix) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which values (U, C) are in the upper of two groups, and of which columns there are two.

    The widest gap with at least two values on either side, which is wider than each group is itself.
    """
    count, cases = values.shape
    if count < FEWEST:
        return np.zeros(values.shape, dtype=bool), np.zeros(cases, dtype=bool)
    ordered = np.sort(values, axis=0)
    steps = np.diff(ordered, axis=0)[SMALLEST - 1 : count - SMALLEST]
    at, column = np.argmax(steps, axis=0) + SMALLEST - 1, np.arange(cases)
    lower, upper = ordered[at, column], ordered[at + 1, column]
    within = np.maximum(lower - ordered[0], ordered[-1] - upper)
    groups = upper - lower > np.maximum(within, APART)
    return (values >= upper) & groups, groups


def _resemble(values: Matrix, own: list[NDArray[np.intp]]) -> NDArray[np.bool_]:
    """Whether values of a block resemble each other: Fisher's F of their ranks, between and within blocks. (C,)."""
    count, blocks = len(values), len(own)
    if blocks < 2 or count == blocks:
        return np.zeros(values.shape[1], dtype=bool)
    ranks = rankdata(values, axis=0) - (count + 1) / 2
    between = sum(len(each) * ranks[each].mean(axis=0) ** 2 for each in own)
    within = (ranks**2).sum(axis=0) - between
    limit = float(f_distribution.isf(WITHIN, blocks - 1, count - blocks)) * (blocks - 1) / (count - blocks)
    return np.asarray(between > limit * within, dtype=bool)


def _follow(units: Matrix) -> NDArray[np.bool_]:
    """Whether values (B, C) resemble their neighbours: von Neumann's ratio of ranks (Bartels 1982), one-sided."""
    count = len(units)
    if count < FEWEST:
        return np.zeros(units.shape[1], dtype=bool)
    ranks = rankdata(units, axis=0)
    spread = ((ranks - (count + 1) / 2) ** 2).sum(axis=0)
    ratio = np.divide(
        (np.diff(ranks, axis=0) ** 2).sum(axis=0), spread, out=np.full(len(spread), 2.0), where=spread > 0
    )
    variance = 4 * (count - 2) * (5 * count**2 - 2 * count - 9) / (5 * count * (count + 1) * (count - 1) ** 2)
    return np.asarray(ratio < 2 + float(norm.ppf(NEIGHBOURS)) * sqrt(variance), dtype=bool)
