# SPDX-License-Identifier: BSD-3-Clause
"""A search for jumps of a curve of which few points are measured, without knowing how.

A grid whose points are equal factors apart shows how fast the curve rises around each interval. An interval that rises
by more than its neighbours, or falls by more, may have a jump: it is split, and the jump is in one of the halves, while
what a smooth curve rises by is in both. What is left, two points next to each other, is measured afresh, and only that
is claimed.
"""

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import hypot, log, log1p
from typing import NamedTuple

#: Points of the grid, and the part of a jump from which on an interval is split.
GRID, PART = 7, 0.6


class Level(NamedTuple):
    """The logarithm of a time, and half the width of its interval."""

    value: float
    half: float


@dataclass(frozen=True)
class Cliff:
    """A jump between two points, mostly neighbours: of the logarithm of the time, with its interval, afresh."""

    before: int
    after: int
    jump: float
    half: float


Search = Generator[list[int], Mapping[int, Level], list[Cliff]]


@dataclass(frozen=True)
class _Interval:
    """Two points, and the slopes that their neighbourhood has: of logarithms, the least and the largest."""

    low: int
    high: int
    least: float
    largest: float

    def excess(self, levels: Mapping[int, Level]) -> float:
        """Return by how much the curve rises here beyond what its neighbourhood does, or falls below it."""
        rise = levels[self.high].value - levels[self.low].value
        length = log(self.high / self.low)
        return rise - min(max(rise, self.least * length), self.largest * length)

    def split(self, parts: int) -> "list[_Interval]":
        """Return its parts, as many as asked or as it has steps, in the same neighbourhood."""
        points = [self.low, *between(self.low, self.high, parts), self.high]
        return [_Interval(low, high, self.least, self.largest) for low, high in pairwise(points)]


def between(low: int, high: int, parts: int) -> list[int]:
    """Return the whole numbers that divide an interval into parts of about equal factors; at least one."""
    numbers = {round(low * (high / low) ** (number / parts)) for number in range(1, parts)}
    return sorted({min(max(number, low + 1), high - 1) for number in numbers})


def grid(low: int, high: int) -> list[int]:
    """Return the first points: whole numbers, equal factors apart."""
    return sorted({round(low * (high / low) ** (number / (GRID - 1))) for number in range(GRID)})


def search(low: int, high: int, jump: float, most: int, parts: int = 2) -> Search:
    """Yield points to be measured, all of them afresh, and return the cliffs. `most`: points, without the fresh ones.

    `jump`: the smallest relative one that is looked for, up or down. `parts`: into how many an interval is split. If
    `most` ends the search, the two points of a cliff are not next to each other.
    """
    smallest = log1p(jump)
    levels = dict((yield grid(low, high)))
    intervals = _first(levels)
    while True:
        suspects = [one for one in _suspects(intervals, levels, smallest) if one.high - one.low > 1]
        worst = max(suspects, key=lambda one: abs(one.excess(levels)), default=None)
        if worst is None:
            break
        divided = worst.split(parts)
        if len(levels) + len(divided) - 1 > most:
            break
        levels |= yield [one.high for one in divided[:-1]]
        intervals = [part for one in intervals for part in (divided if one is worst else (one,))]
    suspects = _suspects(intervals, levels, smallest)
    if not suspects:
        return []
    fresh = yield sorted({point for one in suspects for point in (one.low, one.high)})
    cliffs = [
        Cliff(one.low, one.high, one.excess(fresh), hypot(fresh[one.low].half, fresh[one.high].half))
        for one in suspects
    ]
    return [one for one in cliffs if abs(one.jump) >= smallest and abs(one.jump) > one.half]


def _suspects(intervals: Iterable[_Interval], levels: Mapping[int, Level], smallest: float) -> list[_Interval]:
    """Return the intervals that may have a jump."""
    return [one for one in intervals if abs(one.excess(levels)) >= PART * smallest]


def _first(levels: Mapping[int, Level]) -> list[_Interval]:
    """Return the intervals of the grid; the neighbourhood of each is the interval before it and the one after it.

    The first and the last have two neighbours on their one side.
    """
    pairs = list(pairwise(sorted(levels)))
    slopes = [(levels[high].value - levels[low].value) / log(high / low) for low, high in pairs]
    last = len(pairs) - 1
    intervals = []
    for number, (low, high) in enumerate(pairs):
        beside = {0: (1, 2), last: (last - 1, last - 2)}.get(number, (number - 1, number + 1))
        around = [slopes[other] for other in beside if 0 <= other <= last] or [slopes[number]]
        intervals.append(_Interval(low, high, min(around), max(around)))
    return intervals
