# SPDX-License-Identifier: BSD-3-Clause
"""Intervals of the median of launches that may be correlated, within their block and from block to block.

A binomial interval over launches assumes that they are independent. If launches of a block are correlated, the blocks
are the units. If neighbouring blocks are correlated too, no interval from one run is valid, which is reported.
"""

from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri, ndtri

from isochron.stats.exact_ranks import mid_ranks
from isochron.stats.groups import SMALLEST, lower_count, value_at
from isochron.stats.launches import Values, order_statistic
from isochron.stats.multiple_tests import Matrix

#: Significance levels of correlation within blocks (a false alarm only widens the interval), and between neighbouring
#: blocks.
WITHIN, NEIGHBOURS = 0.2, 0.05
#: Minimum distance of two groups of launches.
APART = log(1.05)
#: Minimum number of values that can show two groups, or correlation of neighbours.
FEWEST = 4
#: Minimum number of changes between two groups for which groups and correlation do not depend on a single change.
CHANGES = 5
#: Standard errors that are added to the correlation of neighbours.
CAUTION = 2 / 3


@dataclass(frozen=True)
class Dependence:
    """Of C cases, shapes (C,). `by_block`: launches of a block are correlated; `follow`: neighbouring blocks are.

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
    units_of_blocks = [np.flatnonzero(blocks == block) for block in np.unique(blocks)]
    units, middle = (
        np.stack([np.median(values[members], axis=0) for members in units_of_blocks]),
        np.median(values, axis=0),
    )
    by_block, follow = _resemble(values, units_of_blocks), _follow(units)
    between = middle_between(values)
    between = np.where(np.isfinite(between), between, _begun(values, units_of_blocks))
    groups = np.isfinite(between)
    worth = [_worth(samples, between, groups | follow) for samples in (values, units)]
    intervals = [_interval(samples, *its, confidence) for samples, its in zip((values, units), worth, strict=True)]
    low, high, reached, holds = (np.where(by_block, other, one) for one, other in zip(*intervals, strict=True))
    return Dependence(by_block, np.minimum(low, middle), np.maximum(high, middle), reached, groups, follow, holds > 0)


def _worth(units: Matrix, between: Values, dependent: NDArray[np.bool_]) -> tuple[Values, NDArray[np.bool_]]:
    """Return the effective number of independent values of units (n, C) that are `dependent`, and if it is known.

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
    """Return the ends of the binomial interval of the median of units (n, C), its confidence, and its validity.

    Its order statistics are those for `worth` values; if these are too few, those for n.
    """
    count, column = len(units), np.arange(units.shape[1])
    k, reached = (
        np.array(column) for column in zip(*(order_statistic(n, confidence) for n in range(1, count + 1)), strict=True)
    )
    at = np.maximum(worth.astype(np.intp), 1) - 1
    holds = known & ((reached[at] >= confidence) | (at == count - 1))
    at = np.where(holds, at, count - 1)
    rank = np.maximum(1, (k[at] * count / np.where(holds, worth, count)).astype(np.intp))
    ordered = np.sort(units, axis=0)
    return ordered[rank - 1, column], ordered[count - rank, column], np.where(holds, reached[at], np.nan), holds


def _begun(values: Matrix, blocks: list[NDArray[np.intp]]) -> Values:
    """Return the middle between an outlying launch of the first or last block and all others, if most cases show it.

    A regime may have ended or begun there. Elsewhere such a regime ended before the next launch, and in a single case
    one outlying launch is no evidence. Shape (C,).
    """
    common = np.median(values - np.median(values, axis=0), axis=1, keepdims=True)
    apart = [_apart(samples, middle_between(samples, 1)) for samples in (common, values)]
    shared = (apart[0] == apart[1]).all(axis=0) & (apart[0].sum() == 1)
    at_the_end = apart[0][np.concatenate([blocks[0], blocks[-1]])].any()
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


def _resemble(values: Matrix, members_of_blocks: list[NDArray[np.intp]]) -> NDArray[np.bool_]:
    """Return whether values of a block are correlated, by Fisher's F of ranks between and within blocks. (C,)."""
    count, blocks = len(values), len(members_of_blocks)
    if blocks < 2 or count == blocks:
        return np.zeros(values.shape[1], dtype=bool)
    ranks = mid_ranks(values) - (count + 1) / 2
    between = sum(len(members) * ranks[members].mean(axis=0) ** 2 for members in members_of_blocks)
    within = (ranks**2).sum(axis=0) - between
    limit = float(fdtri(blocks - 1, count - blocks, 1 - WITHIN)) * (blocks - 1) / (count - blocks)
    return np.asarray(between > limit * within, dtype=bool)


def _follow(units: Matrix) -> NDArray[np.bool_]:
    """Return whether neighbouring values (B, C) are correlated: von Neumann's rank ratio (Bartels 1982), one-sided."""
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
