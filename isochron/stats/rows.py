# SPDX-License-Identifier: BSD-3-Clause
"""Many rows with a few values each, as arrays: those that have as many values, or the same ones, stand together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.intp]


def by_count(numbers: Index, rows: int) -> Iterator[tuple[Index, Index]]:
    """Rows with equally many values, none left out but those without any: their numbers (R,), and the places (R, n).

    `numbers`: the row of each value, 0 … rows - 1. The values of a row stay in their order.
    """
    order = np.argsort(numbers, kind="stable")
    counts = np.bincount(numbers, minlength=rows)
    starts = np.cumsum(counts) - counts
    for count in np.unique(counts[counts > 0]).tolist():
        own = np.flatnonzero(counts == count)
        yield own, order[starts[own][:, None] + np.arange(count)]


def matched_columns(mask: NDArray[np.bool_]) -> Iterator[tuple[Index, NDArray[np.bool_]]]:
    """Columns that are marked in the same rows, none left out: their numbers (C,), and these rows (R,)."""
    patterns, group = np.unique(mask, axis=1, return_inverse=True)
    for number, rows in enumerate(patterns.T):
        yield np.flatnonzero(group.ravel() == number), rows


def known_medians(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Median of each row of what is not NaN; NaN where nothing is known. Shape (R, n) → (R,)."""
    ordered = np.sort(values, axis=1)
    known = np.count_nonzero(~np.isnan(values), axis=1)
    every, last = np.arange(len(values)), np.maximum(known - 1, 0)
    return np.asarray((ordered[every, last // 2] + ordered[every, (last + 1) // 2]) / 2)
