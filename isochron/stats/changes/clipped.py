# SPDX-License-Identifier: BSD-3-Clause
"""Values of many series, none of which counts for more than a few standard deviations, and sums over any stretch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isochron.stats.launches import Values

Index = NDArray[np.intp]
#: Values of a new level among which its first is looked for.
LONGEST = 16


class Clipped:
    """`values`: (S, N), each near 0 in its series; what they count for becomes known one after another.

    A stretch is [series, start:end], not empty. `series`, `start` and `end` are arrays of integers that broadcast
    against each other, and so are the answers.
    """

    def __init__(self, values: Values) -> None:
        self.values = values
        self._counted = values.copy()
        self._sums, self._squares = np.zeros((2, values.shape[0], values.shape[1] + 1))

    def append(self, series: Index, number: Index, counted: Values) -> None:
        """What the next value of each of these series counts for; `number`: how many there are before."""
        self._counted[series, number] = counted
        self._sums[series, number + 1] = self._sums[series, number] + counted
        self._squares[series, number + 1] = self._squares[series, number] + counted**2

    def replace(self, series: int, start: int, counted: Values) -> None:
        """What the values of a series from `start` on count for."""
        end = start + len(counted)
        self._counted[series, start:end] = counted
        for sums, each in ((self._sums, counted), (self._squares, counted**2)):
            sums[series, start : end + 1] = np.cumsum(np.append(sums[series, start], each))

    def mean(self, series: Index, start: Index, end: Index) -> Values:
        """Mean of what the stretch counts for."""
        return self._stretch(self._sums, series, start, end) / (end - start)

    def squares(self, series: Index, start: Index, end: Index) -> Values:
        """Sum of squared deviations from the stretch's own mean."""
        total = self._stretch(self._sums, series, start, end)
        return np.maximum(0.0, self._stretch(self._squares, series, start, end) - total**2 / (end - start))

    def clipped(self) -> tuple[Index, Index, Values]:
        """Series and numbers of the values that count for something else than they are, and for what."""
        series, number = np.nonzero(self._counted != self.values)
        return series, number, self._counted[series, number]

    def resume(self, series: Index, number: Index, counted: Values) -> None:
        """These count for something else, as they were `clipped`, and all others for what they are."""
        self._counted = self.values.copy()
        self._counted[series, number] = counted
        for sums, each in ((self._sums, self._counted), (self._squares, self._counted**2)):
            np.cumsum(each, axis=1, out=sums[:, 1:])

    def step(self, series: int, start: int, since: int, end: int) -> int:
        """The likeliest first value of a new level that has two or more, and `LONGEST` at most.

        The old one is that from `start` to `since`, the new one that from there to `end`: it begins where most is
        gained by taking all that follows for values of the new one.
        """
        level = self._counted[series, start:since].mean()
        step = np.median(self.values[series, since:end]) - level
        first = max(start + 1, end - LONGEST)
        away = (self.values[series, first : end - 1] - level - step / 2) * np.sign(step)
        gain = np.cumsum(np.clip(away, -abs(step) / 2, abs(step) / 2)[::-1])[::-1]
        return int(first + gain.argmax())

    @staticmethod
    def _stretch(sums: Values, series: Index, start: Index, end: Index) -> Values:
        width = sums.shape[1]
        return np.asarray(np.take(sums, series * width + end) - np.take(sums, series * width + start), dtype=np.float64)
