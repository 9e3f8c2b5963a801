# SPDX-License-Identifier: BSD-3-Clause
"""What all cases of a launch have in common, told apart from what is a case's own, for comparisons within strata.

A launch that is fast or slow as a whole moves all its cases alike. Where launches jump so, the values of a case without
their common part are far more alike. By how much the samples differ in that common part is then found once, for all
cases together, and the shift of a case is the sum of both: it stays the shift of the case itself, whatever the other
cases do, since the common part is a mean with fixed weights. The level is shared by both parts (Berger and Boos 1994).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isochron.stats.launches import Values
from isochron.stats.multiple_tests import Matrix
from isochron.stats.shift import Places, Shifts, not_above, reach, shifts

#: Part of the level that the common part has: it is tested once, and its jumps make its interval the wider one.
SHARE = 0.8


@dataclass(frozen=True)
class Parts:
    """`part`: (U, 1), the common one; `own`: (U, C), what it leaves of the values. The values are their sum."""

    part: Matrix
    own: Matrix

    def shifts(self, strata: Places, confidence: float) -> Shifts:
        """Of the values: the sum of both shifts, each with its part of 1 - `confidence`."""
        level = 1 - confidence
        part = shifts(self.part, self.part, strata, 1 - SHARE * level)
        own = shifts(self.own, self.own, strata, 1 - (1 - SHARE) * level)
        reached = part.confidence + own.confidence - 1
        return Shifts(part.estimate + own.estimate, part.low + own.low, part.high + own.high, reached)

    def bounds(self, strata: Places, level: float) -> tuple[float, float]:
        """Return the interval of the common shift at its part of a level, which so many values must be able to have."""
        found = shifts(self.part, self.part, strata, 1 - SHARE * level)
        return float(found.low[0]), float(found.high[0])

    def gains(self, values: Matrix, names: Values, strata: Places, confidence: float) -> NDArray[np.bool_]:
        """In which cases the interval of the sum is to be the narrower one. (C,).

        By the differences within strata once each shift is taken out: how far the names are from each other has no
        part in it.
        """
        plain = _expected(values, names, strata, confidence)
        level = 1 - confidence
        part = _expected(self.part, names, strata, 1 - SHARE * level)
        own = _expected(self.own, names, strata, 1 - (1 - SHARE) * level)
        return np.asarray(part + own < plain)

    def no_shift(self, names: Values, strata: Places, confidence: float) -> Values:
        """Two-sided p of no shift, (C,); at most 1 - `confidence` where 0 is not in the interval."""
        level = 1 - confidence
        part = shifts(self.part, self.part, strata, 1 - SHARE * level)
        slower, faster = (self.own + names[:, None] * end for end in (part.low, part.high))
        tails = np.minimum(not_above(slower, slower, strata), not_above(-faster, -faster, strata))
        return np.asarray(np.minimum(1.0, SHARE * level + 2 * tails))


def apart(values: Matrix, strata: Places) -> Parts:
    """Return the common part of values (U, C): a mean in which cases that are noisier than most have less weight."""
    noise = np.median(np.abs(_about_their_mean(values - values.mean(axis=1, keepdims=True), strata)), axis=0)
    usual = np.median(noise)
    weight = np.divide(usual, noise, out=np.ones_like(noise), where=noise > usual) ** 2
    part = (values @ weight / weight.sum())[:, None]
    return Parts(part, values - part)


def _about_their_mean(values: Matrix, strata: Places) -> Matrix:
    about = np.zeros_like(values)
    for own in map(np.concatenate, strata):
        about[own] = values[own] - values[own].mean(axis=0)
    return about


def _expected(values: Matrix, names: Values, strata: Places, confidence: float) -> Values:
    """Half the width that an interval of `shifts` is to have, without a look at which sample a value is of. (C,)."""
    moved = values - shifts(values, values, strata, confidence).estimate * names[:, None]
    apart = []
    for own in map(np.concatenate, strata):
        one, other = np.triu_indices(len(own), 1)
        apart.append(np.abs(moved[own[one]] - moved[own[other]]))
    return np.asarray(np.quantile(np.concatenate(apart), reach(strata, confidence), axis=0))
