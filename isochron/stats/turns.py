# SPDX-License-Identifier: BSD-3-Clause
"""Two samples that were measured in turns: one difference for each block.

In each round of a session both samples have one value of every case, measured within tens of milliseconds, so what the
machine does to both cancels. What is left of a difference varies between blocks far more than between the rounds of a
block, so a block is the unit of tests and intervals, and rounds are not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isochron.stats.launches import Values
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
    sessions = nanmedian(first - second, axis=1)
    with np.errstate(invalid="ignore"):
        means = [_nanmean(sessions[blocks == number]) for number in numbers]
    return np.array(means).reshape(len(numbers), first.shape[2]), numbers


def nanmedian(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Return the median of what is not NaN; NaN where there is nothing."""
    ordered = np.sort(values, axis=axis)  # NaN last
    count = np.isfinite(ordered).sum(axis=axis, keepdims=True)
    low, high = np.maximum(count - 1, 0) // 2, count // 2
    high = np.minimum(high, np.maximum(count - 1, 0))
    taken = np.take_along_axis(ordered, low, axis) + np.take_along_axis(ordered, high, axis)
    return np.asarray(np.squeeze(np.where(count > 0, taken / 2, np.nan), axis=axis))


def _nanmean(values: Matrix) -> Values:
    count = np.isfinite(values).sum(axis=0)
    total = np.where(np.isfinite(values), values, 0.0).sum(axis=0)
    return np.asarray(np.divide(total, count, out=np.full(values.shape[1], np.nan), where=count > 0), dtype=np.float64)
