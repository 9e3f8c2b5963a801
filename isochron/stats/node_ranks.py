# SPDX-License-Identifier: BSD-3-Clause
"""Which of many alike units (nodes, links) is slower than the rest: ranks within blocks, exact, Holm over all.

Within a block all units are measured under the same conditions. Were they alike, each would have every rank among the n
units equally often, independently from block to block: the sum of a unit's ranks over the blocks has an exact
distribution, which is counted (Friedman 1937 has the same ranks for all units together). Regimes of the machine, which
move whole blocks, have no part in it, and one launch that was disturbed costs one rank only.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from isochron.stats.launches import Values

Matrix = NDArray[np.float64]


def slow_p(logs: Matrix, margin: float) -> Values:
    """One-sided p of each unit that it is slower than the others by at most `margin`; (B, U) → (U,).

    `logs`: logarithms of times by block and unit. A unit is ranked after `margin` is taken off its own values: who has
    the highest ranks all the same is slower by more. NaN: not measured in that block; the others there are ranked.
    """
    there = ~np.isnan(logs)
    counts = there.sum(axis=1)
    doubled = np.zeros(logs.shape[1], dtype=np.int64)
    for block, own in zip(logs, there, strict=True):
        rivals, moved = np.sort(block[own]), block[own] - margin
        below, reached = np.searchsorted(rivals, moved, "left"), np.searchsorted(rivals, moved, "right")
        ties = reached - below - (margin == 0)  # with itself a unit has none
        doubled[own] += 2 * (below + 1) + ties
    found = np.full(logs.shape[1], np.nan)
    for unit in np.flatnonzero((there & (counts > 1)[:, None]).any(axis=0)):
        found[unit] = _tail(tuple(sorted(counts[there[:, unit]].tolist())), int(doubled[unit]))
    return found


@lru_cache(maxsize=4096)
def _tail(counts: tuple[int, ...], doubled: int) -> float:
    """P(2·ΣR ≥ doubled), R uniform on 1 … n for each n of `counts`.

    Mid-ranks of ties lie between whole ranks: the sum is rounded up to the next possible one by the inequality.
    """
    distribution = np.ones(1)
    for count in counts:
        distribution = np.convolve(distribution, np.full(count, 1 / count))
    sums = np.arange(len(distribution)) + len(counts)
    return float(min(1.0, distribution[2 * sums >= doubled].sum()))


def node_effects(logs: Matrix, links: list[tuple[int, int]], nodes: int) -> Matrix:
    """Return what each node adds to its links: (B, links) → (B, nodes), the median over its links by block.

    One slow link of a node does not move the median of its n - 1 links.
    """
    effects = np.full((len(logs), nodes), np.nan)
    for node in range(nodes):
        own = logs[:, [place for place, link in enumerate(links) if node in link]]
        measured = ~np.isnan(own).all(axis=1) if own.shape[1] else np.zeros(len(logs), dtype=bool)
        effects[measured, node] = np.nanmedian(own[measured], axis=1)
    return effects


def link_rests(logs: Matrix, links: list[tuple[int, int]], effects: Matrix) -> Matrix:
    """Return what is left of each link without the slower of its two nodes: (B, links) → (B, links)."""
    ends = np.array(links)
    return logs - np.fmax(effects[:, ends[:, 0]], effects[:, ends[:, 1]])
