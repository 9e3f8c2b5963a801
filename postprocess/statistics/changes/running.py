# SPDX-License-Identifier: BSD-3-Clause
"""Sums over any stretch of many series, from running sums."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isochron.postprocess.statistics.launches import Values

Index = NDArray[np.intp]


class Running:
    """`values`: shape (S, N), each near 0 in its series. A stretch is values[series, start:end], not empty.

    `series`, `start` and `end` are arrays of integers that broadcast against each other, and so are the answers.
    """

    def __init__(self, values: Values) -> None:
        self._sums = _cumulated(values)
        self._squares = _cumulated(values**2)
        self._differences = [_cumulated(_differences(values, lag) ** 2) for lag in (1, 2)]

    def mean(self, series: Index, start: Index, end: Index) -> Values:
        """Mean of the stretch."""
        return _stretch(self._sums, series, start, end) / (end - start)

    def squares(self, series: Index, start: Index, end: Index) -> Values:
        """Sum of squared deviations from the stretch's own mean."""
        total = _stretch(self._sums, series, start, end)
        return np.maximum(0.0, _stretch(self._squares, series, start, end) - total**2 / (end - start))

    def differences(self, series: Index, start: Index, end: Index, lag: int) -> Values:
        """Sum of squared differences of values that are `lag` apart, 1 or 2, both in the stretch."""
        return _stretch(self._differences[lag - 1], series, start, np.maximum(start, end - lag))


def _differences(values: Values, lag: int) -> Values:
    """From each value to that `lag` later; 0 where there is none."""
    return np.pad(values[:, lag:] - values[:, :-lag], ((0, 0), (0, min(lag, values.shape[1]))))


def _cumulated(values: Values) -> Values:
    """Sums of the first 0 … N values of each series."""
    return np.pad(np.cumsum(values, axis=1), ((0, 0), (1, 0)))


def _stretch(sums: Values, series: Index, start: Index, end: Index) -> Values:
    width = sums.shape[1]
    return np.asarray(np.take(sums, series * width + end) - np.take(sums, series * width + start), dtype=np.float64)
