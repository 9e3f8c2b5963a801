# SPDX-License-Identifier: BSD-3-Clause
"""Tests for units (nodes, links) that are slower than others: exact, by ranks within blocks, with Holm's correction.

Within a block all units are measured under the same conditions. If they were equal, each unit would have every rank
among the n units with equal probability, independently of other blocks: the sum of a unit's ranks over the blocks has
an exact distribution, which is counted (Friedman 1937 uses the same ranks for all units together). Regimes of the
machine, which affect whole blocks, have no effect, and a disturbed launch changes one rank only.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from isochron.stats.launches import Values

Matrix = NDArray[np.float64]


def slow_p(logs: Matrix, margin: float) -> Values:
    """Return the one-sided p of each unit that it is slower than the others by at most `margin`; (B, U) → (U,).

    `logs`: logarithms of times by block and unit. A unit is ranked after `margin` is subtracted from its values: if its
    ranks are still high, it is slower by more. NaN: not measured in that block, where the others are ranked.
    """
    there = ~np.isnan(logs)
    counts = there.sum(axis=1)
    doubled = np.zeros(logs.shape[1], dtype=np.int64)
    for block, measured in zip(logs, there, strict=True):
        rivals, moved = np.sort(block[measured]), block[measured] - margin
        below, reached = np.searchsorted(rivals, moved, "left"), np.searchsorted(rivals, moved, "right")
        ties = reached - below - (margin == 0)  # with itself a unit has none
        doubled[measured] += 2 * (below + 1) + ties
    p_values = np.full(logs.shape[1], np.nan)
    for unit in np.flatnonzero((there & (counts > 1)[:, None]).any(axis=0)):
        p_values[unit] = _tail(tuple(sorted(counts[there[:, unit]].tolist())), int(doubled[unit]))
    return p_values


@lru_cache(maxsize=4096)
def _tail(counts: tuple[int, ...], doubled: int) -> float:
    """Return P(2·ΣR ≥ doubled), R uniform on 1 … n for each n of `counts`.

    Mid-ranks of ties lie between whole ranks: the sum is rounded up to the next possible one by the inequality.
    """
    distribution = np.ones(1)
    for count in counts:
        distribution = np.convolve(distribution, np.full(count, 1 / count))
    sums = np.arange(len(distribution)) + len(counts)
    return float(min(1.0, distribution[2 * sums >= doubled].sum()))


def node_effects(logs: Matrix, links: list[tuple[int, int]], nodes: int) -> Matrix:
    """Return the effect of each node on its links: (B, links) → (B, nodes), the median over its links by block.

    One slow link of a node does not move the median of its n - 1 links.
    """
    effects = np.full((len(logs), nodes), np.nan)
    for node in range(nodes):
        node_links = logs[:, [place for place, link in enumerate(links) if node in link]]
        measured = ~np.isnan(node_links).all(axis=1) if node_links.shape[1] else np.zeros(len(logs), dtype=bool)
        effects[measured, node] = np.nanmedian(node_links[measured], axis=1)
    return effects


def link_rests(logs: Matrix, links: list[tuple[int, int]], effects: Matrix) -> Matrix:
    """Return the links minus the effect of the slower of their two nodes: (B, links) → (B, links)."""
    ends = np.array(links)
    return logs - np.fmax(effects[:, ends[:, 0]], effects[:, ends[:, 1]])
