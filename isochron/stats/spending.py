# SPDX-License-Identifier: BSD-3-Clause
"""At which levels the looks of a sequential campaign show stacks to be equal.

Intervals from ranks have a few levels only: at 10 blocks of 2 + 2 launches a level of 5 % is really 3.6 %. What the
last look so leaves, it would leave in a campaign without looks too: earlier looks have it for nothing. The levels add
up to no more than the whole (Slud and Wei 1982), so intervals are wrong at any stop no more often than that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isochron.schemas.input.replication import EARLY
from isochron.stats.shift import without_shift

#: Levels that differ by less than this are the same.
SAME = 1e-12


def equal_levels(early: list[int], blocks: int, per_block: int, alpha: float) -> list[float]:
    """Levels of the intervals at the looks after `early` and after all `blocks`.

    Each is one that launches in so many blocks can have. Beginning with the smallest of each look, the one that has
    least is raised as long as their sum leaves the last look its own.
    """
    last = _possible(blocks, per_block)
    kept = last[last <= alpha + SAME]
    free = max(EARLY * alpha, alpha - (float(kept[-1]) if len(kept) else alpha))
    steps = [_possible(each, per_block) for each in early]
    at = [0] * len(early)
    if sum(float(each[0]) for each in steps) > free:
        return [0.0] * len(early) + [alpha]
    while True:
        raised = [
            (float(steps[look][at[look]]), -look)
            for look in range(len(early))
            if at[look] + 1 < len(steps[look]) and _sum(steps, at, look) <= free + SAME
        ]
        if not raised:
            break
        at[-min(raised)[1]] += 1
    levels = [float(each[place]) + SAME for each, place in zip(steps, at, strict=True)]
    return [*levels, alpha - sum(levels)]


def _sum(steps: list[NDArray[np.float64]], at: list[int], raised: int) -> float:
    """Return the sum of the levels with one of them raised."""
    return sum(float(each[place + (look == raised)]) for look, (each, place) in enumerate(zip(steps, at, strict=True)))


def _possible(blocks: int, per_block: int) -> NDArray[np.float64]:
    """Two-sided levels that the exact rank test within so many blocks can have, ascending."""
    _, probabilities = without_shift(((per_block, per_block),) * blocks)
    return np.asarray(2 * np.cumsum(probabilities)[: len(probabilities) // 2], dtype=np.float64)
