# SPDX-License-Identifier: BSD-3-Clause
"""Many tests at once: permuted labels shared by all of them, step-down p values, and Holm's correction.

Westfall and Young 1993, step-down over the largest statistic. Tests that rise and fall together, as those of the cases
of one launch do, then cost little: nothing is assumed about how they depend on each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from isochron.stats.launches import Values

#: Number of permutations that are drawn at once.
TOGETHER = 1000
#: Units whose two names fit into the bits of a whole number; of more, no two exchanges are alike.
BITS = 62


@dataclass(frozen=True)
class Names:
    """The names of units (1: the first sample, 0: the second), dealt out again within each stratum.

    Equal designs are equal objects, and draw the same from the same generator.
    """

    names: tuple[float, ...]
    strata: tuple[tuple[int, ...], ...]

    def __call__(self, rng: Generator, count: int) -> NDArray[np.float64]:
        """Draw the names `count` times as they could have been: (count, U)."""
        names = np.array(self.names)
        drawn = np.zeros((count, len(names)))
        for units in map(list, self.strata):
            drawn[:, units] = rng.permuted(np.tile(names[units], (count, 1)), axis=1)
        return drawn


def permuted_labels(names: Values, strata: Sequence[NDArray[np.intp]]) -> Names:
    """`Names` of arrays. `strata`: the units of each."""
    return Names(tuple(names.tolist()), tuple(tuple(units.tolist()) for units in strata))


@dataclass(frozen=True)
class PermutationSample:
    """Exchanges of one group: `names[which]`, shape (number drawn, U), of which many may be alike."""

    names: NDArray[np.float64]
    which: NDArray[np.intp]


@lru_cache(maxsize=16)
def draw(groups: tuple[Names, ...], seed: int, number: int) -> tuple[PermutationSample, ...]:
    """Draw `number` permutations of groups that are permuted independently of each other."""
    rng = np.random.default_rng(seed)
    parts: list[list[NDArray[np.int8]]] = [[] for _ in groups]
    for start in range(0, number, TOGETHER):
        for group_parts, exchange in zip(parts, groups, strict=True):
            group_parts.append(exchange(rng, min(TOGETHER, number - start)).astype(np.int8))
    return tuple(_distinct(np.concatenate(group_parts)) for group_parts in parts)


def _distinct(names: NDArray[np.int8]) -> PermutationSample:
    if names.shape[1] > BITS:
        return PermutationSample(names.astype(np.float64), np.arange(len(names)))
    code = (names > 0) @ (1 << np.arange(names.shape[1], dtype=np.int64))
    _, first, which = np.unique(code, return_index=True, return_inverse=True)
    return PermutationSample(names[first].astype(np.float64), which)


Matrix = NDArray[np.float64]
Index = NDArray[np.intp]

#: Exchanges that are drawn beside the observed names (Phipson and Smyth 2010: p = (1 + reached) / (1 + drawn)).
DRAWN = 19_999
#: Statistics that differ by less are the same.
SAME = 1e-9
#: Hypotheses that are processed together, and permutations that are in memory at once.
TILE, HELD = 1024, 2000


@dataclass(frozen=True)
class Tests:
    """H hypotheses about the same U units. Statistic: names · scores, shape (H,); large values speak against.

    `scores`: (U, H), each statistic with standard deviation 1 under exchange; 0 if a unit says nothing.
    `names`: (U,), as observed. `exchanged`: as they could have been. `alone`: (H,), what no corrected p is below: p of
    the test that an interval beside the hypothesis is from. `spent`: level that was used up for all of them before.
    """

    scores: Matrix
    names: Values
    exchanged: Names
    alone: Values = field(default_factory=lambda: np.zeros(1))
    spent: float = 0.0


def step_down(groups: Sequence[Tests], seed: int) -> list[Values]:
    """Return the adjusted p of all hypotheses, which are one family. Groups are permuted independently."""
    groups_at = np.cumsum([group.scores.shape[1] for group in groups])
    if not len(groups) or not groups_at[-1]:
        return [np.empty(0) for _ in groups]
    observed = np.concatenate([group.names @ group.scores for group in groups])
    order = np.argsort(observed, kind="stable")  # smallest first: the running maximum is over what is not yet rejected
    reached = _reached(
        groups, order, observed[order] - SAME, draw(tuple(group.exchanged for group in groups), seed, DRAWN)
    )
    p_values = (1 + reached) / (1 + DRAWN) + sum(group.spent for group in groups)
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(p_values[::-1])[::-1]
    parts = np.split(np.minimum(1.0, adjusted), groups_at[:-1])
    return [np.maximum(part, group.alone) for group, part in zip(groups, parts, strict=True)]


def _reached(
    groups: Sequence[Tests], order: Index, limits: Values, names: Sequence[PermutationSample]
) -> NDArray[np.int64]:
    """In how many exchanges the largest statistic up to each hypothesis reaches its limit.

    Shapes (H,), in `order`. Limits and running maxima only rise, so most exchanges are decided for a whole tile of
    hypotheses by the maximum before it, or by that after it; the others are looked at one by one.
    """
    counts = [group.scores.shape[1] for group in groups]
    group_of, column_of = np.repeat(np.arange(len(groups)), counts), np.concatenate([np.arange(n) for n in counts])
    reached = np.zeros(len(order), dtype=np.int64)
    maxima = [np.full(len(each.names), -np.inf) for each in names]
    before = np.full(DRAWN, -np.inf)
    for start in range(0, len(order), TILE):
        tile, tile_limits = order[start : start + TILE], limits[start : start + TILE]
        parts = []
        for group, drawn in enumerate(names):
            places = np.flatnonzero(group_of[tile] == group)
            statistics = drawn.names @ groups[group].scores[:, column_of[tile[places]]]
            parts.append(_Part(places, drawn.which, statistics, maxima[group]))
        maxima = [np.maximum(part.before, part.statistics.max(axis=1, initial=-np.inf)) for part in parts]
        after = np.maximum.reduce([each[part.which] for each, part in zip(maxima, parts, strict=True)])
        reached[start : start + TILE] = np.count_nonzero(before >= tile_limits[-1])
        undecided = np.flatnonzero((before < tile_limits[-1]) & (after >= tile_limits[0]))
        reached[start : start + TILE] += _one_by_one(parts, tile_limits, undecided)
        before = after
    return reached


class _Part(NamedTuple):
    """Hypotheses of one group in a tile: their places in it, and the distinct exchange of each exchange.

    `statistics`: (distinct exchanges, hypotheses); `before`: the maxima before the tile, (distinct exchanges,).
    """

    places: Index
    which: Index
    statistics: Matrix
    before: Values


def _one_by_one(parts: Sequence[_Part], limits: Values, some: Index) -> NDArray[np.int64]:
    """Return the same of a tile, in `some` exchanges: each distinct one of a group is looked at once if many agree."""
    reached = np.zeros(len(limits), dtype=np.int64)
    held = [some[first : first + HELD] for first in range(0, len(some), HELD)]
    if 2 * sum(len(part.before) for part in parts) > len(some):
        for each in held:
            running = np.empty((len(limits), len(each)))
            for part in parts:
                running[part.places] = part.statistics.T[:, part.which[each]]
            before = np.maximum.reduce([part.before[part.which[each]] for part in parts])
            np.maximum(running[0], before, out=running[0])
            np.maximum.accumulate(running, axis=0, out=running)
            reached += np.count_nonzero(running >= limits[:, None], axis=1)
        return reached
    found = [_reaches(part, limits) for part in parts]
    for each in held:
        packed = np.bitwise_or.reduce([bits[:, part.which[each]] for bits, part in zip(found, parts, strict=True)])
        reached += np.count_nonzero(np.unpackbits(packed, axis=0, count=len(limits)), axis=1)
    return reached


def _reaches(part: _Part, limits: Values) -> NDArray[np.uint8]:
    """Return whether the maximum of a group reaches each limit, as bits: (limits / 8, distinct exchanges)."""
    running = np.vstack([part.before, part.statistics.T])
    np.maximum.accumulate(running, axis=0, out=running)
    latest = np.searchsorted(part.places, np.arange(len(limits)), side="right")
    return np.packbits(running[latest] >= limits[:, None], axis=0)


def holm(p_values: Values) -> Values:
    """Return adjusted p values that keep the family-wise error (Holm 1979). Shape (T,) → (T,).

    The i-th smallest of T is multiplied by T - i + 1, made monotone and cut at 1. NaN stands for
    a test that was not made: it stays NaN and does not count.
    """
    adjusted = np.full(len(p_values), np.nan)
    tested = np.flatnonzero(~np.isnan(p_values))
    order = tested[np.argsort(p_values[tested], kind="stable")]
    factors = len(order) - np.arange(len(order))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p_values[order] * factors))
    return adjusted
