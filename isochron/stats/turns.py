# SPDX-License-Identifier: BSD-3-Clause
"""Two samples that were measured in turns: one difference for each block.

In each round of a session both samples have one value of every case, measured within tens of milliseconds, so what the
machine does to both cancels. What is left of a difference varies between blocks far more than between the rounds of a
block, so a block is the unit of tests and intervals, and rounds are not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isochron.stats.launches import Values, known_medians
from isochron.stats.multiple_tests import Matrix


def block_differences(
    first: NDArray[np.float64], second: NDArray[np.float64], blocks: NDArray[np.int64]
) -> tuple[Matrix, NDArray[np.int64]]:
    """Return the difference of two samples in each block, shape (B, C), and the number of each block, (B,).

    `first`, `second`: values in rounds of the same S sessions, shape (S, R, C), NaN where a round has none; `blocks`:
    the block of each session, (S,). The difference in a session is the median over its rounds, so that a disturbance
    that meets only one of the two has no weight unless it lasts for half of them; in a block it is the mean over its
    sessions. NaN where no round of a block has both values.
    """
    numbers = np.unique(blocks)
    rounds = np.moveaxis(first - second, 1, 2)
    sessions = known_medians(rounds.reshape(-1, first.shape[1])).reshape(rounds.shape[:2])
    means = [_known_mean(sessions[blocks == number]) for number in numbers]
    return np.array(means).reshape(len(numbers), first.shape[2]), numbers


def _known_mean(values: Matrix) -> Values:
    """Return the mean of each column of what is not NaN; NaN if nothing is known."""
    known = ~np.isnan(values)
    return np.asarray(np.where(known, values, 0.0).sum(axis=0) / np.where(known.any(axis=0), known.sum(axis=0), np.nan))
