# SPDX-License-Identifier: BSD-3-Clause
"""Many tests at once: permuted labels shared by all of them, step-down p values, and Holm's correction.

Westfall and Young 1993, step-down over the largest statistic. Tests that rise and fall together, as those of the cases
of one launch do, then cost little: nothing is assumed about how they depend on each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from isochron.stats.launches import Values, stretches

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
#: Hypotheses of one group, and exchanges of all groups, that are processed together.
TILE, HELD = 64, 2000


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

    Shapes (H,), in `order`. Limits and running maxima only rise, so a running maximum reaches the limits from the
    place where it arises to the last that is not above it: few spans, of each exchange of each group, whose union over
    the groups is what an exchange of all of them reaches.
    """
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    bits, first, spans = len(order).bit_length(), 0, []
    for group, drawn in zip(groups, names, strict=True):
        at = np.sort(places[first : first + group.scores.shape[1]])
        spans.append(_spans(drawn.names, group.scores[:, order[at] - first], at, limits))
        first += len(at)
    steps = np.zeros(len(order) + 1, dtype=np.int64)
    for start in range(0, DRAWN, HELD):
        packed = []
        for (counts, begins, ends), drawn in zip(spans, names, strict=True):
            which = drawn.which[start : start + HELD]
            some = stretches((np.cumsum(counts) - counts)[which], counts[which])
            exchange = np.repeat(np.arange(len(which)), counts[which])
            packed.append((exchange << bits | begins[some]) << bits | ends[some])
        of_all = np.sort(np.concatenate(packed))
        begins = of_all >> bits
        ends = begins >> bits << bits | of_all & (1 << bits) - 1
        begins[1:] = np.maximum(begins[1:], np.maximum.accumulate(ends)[:-1])
        for sign, edges in ((1, begins), (-1, ends)):
            steps += sign * np.bincount(edges[begins < ends] & (1 << bits) - 1, minlength=len(steps))
    return np.cumsum(steps[:-1])


def _spans(names: Matrix, scores: Matrix, at: Index, limits: Values) -> tuple[Index, Index, Index]:
    """Return which limits the running maximum of each exchange reaches, as spans: how many, (D,), begins, and ends.

    Those of an exchange rise and are apart. `names`: (D, U); `scores`: (U, H) at the places `at`, which rise.
    """
    highest, parts = np.full((len(names), 1), -np.inf), [(np.empty(0, dtype=np.intp), at[:0], limits[:0])]
    for start in range(0, len(at), TILE):
        tile = at[start : start + TILE]
        statistics = scores[:, start : start + TILE].T @ names.T
        rising = np.flatnonzero(statistics.max(axis=0) > highest[:, 0])
        running = np.concatenate([highest[rising], statistics[:, rising].T], axis=1)
        np.maximum.accumulate(running, axis=1, out=running)
        highest[rising] = running[:, -1:]
        row, column = np.nonzero((running[:, 1:] > running[:, :-1]) & (running[:, 1:] >= limits[tile]))
        parts.append((rising[row], tile[column], running[row, 1 + column]))
    row, begins, values = map(np.concatenate, zip(*parts, strict=True))
    order = np.argsort(row, kind="stable")
    row, begins, ends = row[order], begins[order], np.searchsorted(limits, values[order], side="right")
    opens = np.append(True, (row[1:] != row[:-1]) | (begins[1:] > ends[:-1]))[: len(row)]
    closes = np.append(opens[1:], True)[: len(row)]
    return np.bincount(row[opens], minlength=len(names)), begins[opens], ends[closes]


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
