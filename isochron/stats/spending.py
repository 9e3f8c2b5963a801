# SPDX-License-Identifier: BSD-3-Clause
"""Levels at which the analyses of a sequential campaign show stacks to be equivalent.

Intervals from ranks have few possible levels: with 10 blocks of 2 + 2 launches, a level of 5 % is in fact 3.6 %. The
remainder would be unused in a campaign without interim analyses; here the interim analyses use it. The levels add up to
at most the total (Slud and Wei 1982), so the intervals keep it at any stop.
"""

import numpy as np
from numpy.typing import NDArray

from isochron.schemas.input.replication import EARLY
from isochron.stats.shift import without_shift

#: Levels that differ by less than this are the same.
SAME = 1e-12


def equal_levels(early: list[int], blocks: int, per_block: int, alpha: float) -> list[float]:
    """Return levels of the intervals of the analyses after `early` and after all `blocks`.

    Each is one that launches in so many blocks can have. Beginning with the smallest of each analysis, the one that has
    least is raised as long as their sum leaves the last one its own.
    """
    last = _possible(blocks, per_block)
    usable = last[last <= alpha + SAME]
    free = max(EARLY * alpha, alpha - (float(usable[-1]) if len(usable) else alpha))
    steps = [_possible(blocks_so_far, per_block) for blocks_so_far in early]
    at = [0] * len(early)
    if sum(float(levels_of_analysis[0]) for levels_of_analysis in steps) > free:
        return [0.0] * len(early) + [alpha]
    while True:
        raised = [
            (float(steps[analysis][at[analysis]]), -analysis)
            for analysis in range(len(early))
            if at[analysis] + 1 < len(steps[analysis]) and _sum(steps, at, analysis) <= free + SAME
        ]
        if not raised:
            break
        at[-min(raised)[1]] += 1
    levels = [float(each[place]) + SAME for each, place in zip(steps, at, strict=True)]
    return [*levels, alpha - sum(levels)]


def _sum(steps: list[NDArray[np.float64]], at: list[int], raised: int) -> float:
    """Return the sum of the levels with one of them raised."""
    return sum(
        float(options[place + (analysis == raised)])
        for analysis, (options, place) in enumerate(zip(steps, at, strict=True))
    )


def _possible(blocks: int, per_block: int) -> NDArray[np.float64]:
    """Return two-sided levels that the exact rank test within N blocks can have, ascending."""
    _, probabilities = without_shift(((per_block, per_block),) * blocks)
    return np.asarray(2 * np.cumsum(probabilities)[: len(probabilities) // 2], dtype=np.float64)
