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
from scipy.special import fdtri, ndtri

from isochron.stats.exact_ranks import mid_ranks
from isochron.stats.groups import SMALLEST, lower_count, value_at
from isochron.stats.launches import Values, order_statistic
from isochron.stats.multiple_tests import Matrix

#: Levels at which launches resemble those of their block (a wider interval is all that a false alarm costs), and at
#: which blocks resemble their neighbours.
WITHIN, NEIGHBOURS = 0.2, 0.05
#: Two groups of launches are at least so far apart.
APART = log(1.05)
#: Fewest values that can show two groups, or that neighbours are correlated.
FEWEST = 4
#: Changes between two groups from which on neither hangs on a single one, nor the correlation of neighbours.
CHANGES = 5
#: Standard errors that are added to the correlation of neighbours.
CAUTION = 2 / 3


@dataclass(frozen=True)
class Dependence:
    """Of C cases, shapes (C,). `by_block`: launches of a block resemble each other; `follow`: blocks their neighbours.

    `low`, `high`: the interval of the median with `confidence`; `groups`: whether the launches fall into two, or one at
    an end of the run is apart; `holds`: whether the units are worth enough independent ones for that interval, and no
    group hangs on one or two changes.
    """

    by_block: NDArray[np.bool_]
    low: Values
    high: Values
    confidence: Values
    groups: NDArray[np.bool_]
    follow: NDArray[np.bool_]
    holds: NDArray[np.bool_]


def dependence(values: Matrix, blocks: NDArray[np.int64], confidence: float) -> Dependence:
    """`values`: (U, C), in order of time, all there, of launches that measured all C cases; `blocks`: (U,) their block.

    Blocks are numbered in order of time.
    """
    own = [np.flatnonzero(blocks == block) for block in np.unique(blocks)]
    units, middle = np.stack([np.median(values[each], axis=0) for each in own]), np.median(values, axis=0)
    by_block, follow = _resemble(values, own), _follow(units)
    between = middle_between(values)
    between = np.where(np.isfinite(between), between, _begun(values, own))
    groups = np.isfinite(between)
    worth = [_worth(each, between, groups | follow) for each in (values, units)]
    found = [_interval(each, *its, confidence) for each, its in zip((values, units), worth, strict=True)]
    low, high, reached, holds = (np.where(by_block, other, one) for one, other in zip(*found, strict=True))
    return Dependence(by_block, np.minimum(low, middle), np.maximum(high, middle), reached, groups, follow, holds > 0)


def _worth(units: Matrix, between: Values, dependent: NDArray[np.bool_]) -> tuple[Values, NDArray[np.bool_]]:
    """How many independent values the units (n, C) are worth where they are `dependent`, and whether that is known.

    Above and below `between` they are a chain of two states; of neighbours it has the correlation ρ =
    1 - changes/(2·p·(1-p)·n), and n·(1-ρ)/(1+ρ) is what it is worth. ρ is taken too large rather than too small.
    """
    count = len(units)
    above = units > np.where(np.isnan(between), np.median(units, axis=0), between)
    changes, part = (above[1:] != above[:-1]).sum(axis=0), above.mean(axis=0)
    usual = 2 * part * (1 - part) * count
    rho = np.clip(1 - np.divide(changes, usual, out=np.zeros(len(usual)), where=usual > 0), 0, 1)
    rho = np.minimum(1.0, rho + CAUTION * np.sqrt((1 - rho**2) / count))
    return np.where(dependent, count * (1 - rho) / (1 + rho), count), ~dependent | (changes >= CHANGES)


def _interval(
    units: Matrix, worth: Values, known: NDArray[np.bool_], confidence: float
) -> tuple[Values, Values, Values, NDArray[np.bool_]]:
    """Ends of the binomial interval of the median of units (n, C), its confidence, and whether it holds.

    Its order statistics are those that cut off as much as of `worth` values. Where these are too few, it is that of n.
    """
    count, column = len(units), np.arange(units.shape[1])
    k, reached = (
        np.array(each) for each in zip(*(order_statistic(n, confidence) for n in range(1, count + 1)), strict=True)
    )
    at = np.maximum(worth.astype(np.intp), 1) - 1
    holds = known & ((reached[at] >= confidence) | (at == count - 1))
    at = np.where(holds, at, count - 1)
    rank = np.maximum(1, (k[at] * count / np.where(holds, worth, count)).astype(np.intp))
    ordered = np.sort(units, axis=0)
    return ordered[rank - 1, column], ordered[count - rank, column], np.where(holds, reached[at], np.nan), holds


def _begun(values: Matrix, own: list[NDArray[np.intp]]) -> Values:
    """The middle between one launch of the first or last block and all others, where it is apart in most cases; (C,).

    There a regime may have ended, or begun, that the run saw no more of. Elsewhere it was over before the next launch,
    and in a case by itself one launch apart is no more than that.
    """
    common = np.median(values - np.median(values, axis=0), axis=1, keepdims=True)
    apart = [_apart(each, middle_between(each, 1)) for each in (common, values)]
    shared = (apart[0] == apart[1]).all(axis=0) & (apart[0].sum() == 1)
    at_the_end = apart[0][np.concatenate([own[0], own[-1]])].any()
    return np.where(shared & at_the_end, middle_between(values, 1), np.nan)


def _apart(values: Matrix, middle: Values) -> NDArray[np.bool_]:
    """Return which values are on the side of the middle where fewer are; none if it is NaN. (U, C)."""
    above = values > middle
    return np.where(2 * above.sum(axis=0) > len(values), ~above, above) & np.isfinite(middle)


def middle_between(values: Matrix, smallest: int = SMALLEST) -> Values:
    """Return the middle between two groups into which the values (U, C) fall, NaN if there are none. (C,)."""
    ordered = np.sort(values, axis=0).T
    lower = lower_count(ordered, APART, FEWEST, smallest)
    middle = (value_at(ordered, np.maximum(lower - 1, 0)) + value_at(ordered, lower)) / 2
    return np.where(lower > 0, middle, np.nan)


def _resemble(values: Matrix, own: list[NDArray[np.intp]]) -> NDArray[np.bool_]:
    """Whether values of a block resemble each other: Fisher's F of their ranks, between and within blocks. (C,)."""
    count, blocks = len(values), len(own)
    if blocks < 2 or count == blocks:
        return np.zeros(values.shape[1], dtype=bool)
    ranks = mid_ranks(values) - (count + 1) / 2
    between = sum(len(each) * ranks[each].mean(axis=0) ** 2 for each in own)
    within = (ranks**2).sum(axis=0) - between
    limit = float(fdtri(blocks - 1, count - blocks, 1 - WITHIN)) * (blocks - 1) / (count - blocks)
    return np.asarray(between > limit * within, dtype=bool)


def _follow(units: Matrix) -> NDArray[np.bool_]:
    """Whether values (B, C) resemble their neighbours: von Neumann's ratio of ranks (Bartels 1982), one-sided."""
    count = len(units)
    if count < FEWEST:
        return np.zeros(units.shape[1], dtype=bool)
    ranks = mid_ranks(units)
    spread = ((ranks - (count + 1) / 2) ** 2).sum(axis=0)
    ratio = np.divide(
        (np.diff(ranks, axis=0) ** 2).sum(axis=0), spread, out=np.full(len(spread), 2.0), where=spread > 0
    )
    variance = 4 * (count - 2) * (5 * count**2 - 2 * count - 9) / (5 * count * (count + 1) * (count - 1) ** 2)
    return np.asarray(ratio < 2 + float(ndtri(NEIGHBOURS)) * sqrt(variance), dtype=bool)
