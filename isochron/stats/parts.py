# SPDX-License-Identifier: BSD-3-Clause
"""Separation of the common part of all cases of a launch from the specific part of each, for comparisons in strata.

A launch that is fast or slow throughout shifts all its cases equally. If launches vary in this way, the values of a
case without the common part vary much less. The shift of the common part is estimated once for all cases, and the shift
of a case is the sum of both parts: it remains the shift of that case, whatever the other cases do, because the common
part is a mean with fixed weights. The level is divided between both parts (Berger and Boos 1994).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isochron.stats.launches import Values
from isochron.stats.multiple_tests import Matrix
from isochron.stats.shift import Places, Shifts, not_above, reach, shifts

#: Share of the level for the common part: it is tested once, and its variation makes its interval the wider one.
SHARE = 0.8


@dataclass(frozen=True)
class Parts:
    """The parts of values, which are their sum. `part`: (U, 1), the common one; `own`: (U, C), the specific ones."""

    part: Matrix
    own: Matrix

    def shifts(self, strata: Places, confidence: float) -> Shifts:
        """Of the values: the sum of both shifts, each with its part of 1 - `confidence`."""
        level = 1 - confidence
        part = shifts(self.part, self.part, strata, 1 - SHARE * level)
        specific = shifts(self.own, self.own, strata, 1 - (1 - SHARE) * level)
        reached = part.confidence + specific.confidence - 1
        return Shifts(part.estimate + specific.estimate, part.low + specific.low, part.high + specific.high, reached)

    def bounds(self, strata: Places, level: float) -> tuple[float, float]:
        """Return the interval of the common shift at its share of a level, which the number of values must permit."""
        common = shifts(self.part, self.part, strata, 1 - SHARE * level)
        return float(common.low[0]), float(common.high[0])

    def gains(self, values: Matrix, names: Values, strata: Places, confidence: float) -> NDArray[np.bool_]:
        """In which cases the interval of the sum is to be the narrower one. (C,).

        By the differences within strata once each shift is taken out: how far the names are from each other has no
        part in it.
        """
        plain = _expected(values, names, strata, confidence)
        level = 1 - confidence
        part = _expected(self.part, names, strata, 1 - SHARE * level)
        specific = _expected(self.own, names, strata, 1 - (1 - SHARE) * level)
        return np.asarray(part + specific < plain)

    def no_shift(self, names: Values, strata: Places, confidence: float) -> Values:
        """Return the two-sided p of no shift, (C,); at most 1 - `confidence` where 0 is not in the interval."""
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
    for units in map(np.concatenate, strata):
        about[units] = values[units] - values[units].mean(axis=0)
    return about


def _expected(values: Matrix, names: Values, strata: Places, confidence: float) -> Values:
    """Return the expected half width of an interval of `shifts`, without using the labels of the samples. (C,)."""
    moved = values - shifts(values, values, strata, confidence).estimate * names[:, None]
    apart = []
    for units in map(np.concatenate, strata):
        one, other = np.triu_indices(len(units), 1)
        apart.append(np.abs(moved[units[one]] - moved[units[other]]))
    return np.asarray(np.quantile(np.concatenate(apart), reach(strata, confidence), axis=0))
