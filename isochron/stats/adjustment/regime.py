# SPDX-License-Identifier: BSD-3-Clause
"""Two samples in each regime of the machine by itself, where a probe that they have no part in shows two.

Where the samples differ by how much a regime slows them down, no slope takes that out, and a shift over both regimes is
the answer to no question. Which regime a value met is known without names and without values: names are exchanged, and
the interval is inverted, as before; a test given a covariate stays exact (Rosenbaum 2002).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isochron.stats.launches import Values
from isochron.stats.margin_test import beyond
from isochron.stats.rows import known_medians, matched_columns
from isochron.stats.shift import Places, Shifts, shifts
from isochron.stats.step_down import Matrix, Tests

#: Readings that are further apart than this factor are of two regimes: the engine's own gate.
APART = 2.0
#: The values of one regime stand for all where that makes the interval at most so wide as all values do: with less to
#: gain chance would choose, and what it chose would cover less often than it says.
NARROWER = 0.5
#: Level at which the shifts of the two regimes are taken to differ: of a false alarm all that comes is that a claim has
#: to hold in the quiet regime alone.
DIFFER = 0.2
#: Confidence of the intervals that are set against each other, and that of a mere estimate.
LEVELS = 1 - DIFFER, 0.0
#: What is known of the ratios of the two regimes.
SAME, DIFFERS, UNKNOWN = "same", "differs", "unknown"


@dataclass(frozen=True)
class Met:
    """Which values met the quiet regime, and which one that a probe reads as slower: (U, C) each; some met neither."""

    quiet: NDArray[np.bool_]
    disturbed: NDArray[np.bool_]


def quiet_level(probes: Matrix) -> Values:
    """What each probe reads in the quiet regime, (P, U, C) → (P,): the least of what launches read over their cases."""
    return np.array([np.fmin.reduce(known_medians(each)) for each in probes], dtype=np.float64)


def met(probes: Matrix, level: Values) -> Met:
    """`probes`: logarithms of what each reads beside the values, (P, U, C); `level`: (P,), as `quiet_level`.

    A probe of which a reading is not known says nothing about the case.
    """
    known = np.isfinite(probes).all(axis=1, keepdims=True) & np.isfinite(level)[:, None, None]
    above = np.where(known, probes - level[:, None, None], 0.0)
    return Met((np.abs(above) <= np.log(APART)).all(axis=0), (above > np.log(APART)).any(axis=0))


@dataclass(frozen=True)
class ByRegime:
    """The R cases, by their places, in which values met both regimes. Shapes (R,).

    `quiet`, `disturbed`: the shifts between values of that regime, NaN where these are too few for the confidence.
    `relation`: of these two, `SAME` where they are not shown to differ, `DIFFERS`, or `UNKNOWN` where values of the
    quiet one are too few for an interval, and the two estimates more than `margin` apart, or there is none. `tests`:
    2·R hypotheses, as of `beyond`, in the quiet regime.
    """

    cases: NDArray[np.intp]
    quiet: Shifts
    disturbed: Shifts
    relation: NDArray[np.str_]
    tests: Tests


def by_regime(
    values: Matrix, names: Values, probes: Matrix, places: Places, margin: float, confidence: float
) -> ByRegime | None:
    """Shifts and tests in each regime; None where no case met both. `values`: (U, C); `probes`: (P, U, C)."""
    found = met(probes, quiet_level(probes))
    cases = np.flatnonzero(found.quiet.any(axis=0) & found.disturbed.any(axis=0))
    if not len(cases):
        return None
    own, quiet, disturbed = values[:, cases], found.quiet[:, cases], found.disturbed[:, cases]
    one, other = (shifts_inside(own, inside, places, confidence) for inside in (quiet, disturbed))
    near, any_ = ([shifts_inside(own, inside, places, level) for inside in (quiet, disturbed)] for level in LEVELS)
    close = np.abs(any_[0].estimate - any_[1].estimate) <= margin
    relation = np.select([_differ(*near), np.isnan(one.estimate) & ~close], [DIFFERS, UNKNOWN], SAME)
    return ByRegime(cases, one, other, relation, beyond((own, own), names, places, margin, quiet))


def _differ(one: Shifts, other: Shifts) -> NDArray[np.bool_]:
    """Whether 0 is outside the interval of the difference of two shifts (MOVER: Zou and Donner 2008); NaN is not."""
    between = other.estimate - one.estimate
    low = between - np.hypot(other.estimate - other.low, one.high - one.estimate)
    high = between + np.hypot(other.high - other.estimate, one.estimate - one.low)
    return np.asarray((low > 0) | (high < 0))


def shifts_inside(values: Matrix, inside: NDArray[np.bool_], places: Places, confidence: float) -> Shifts:
    """As `shifts` within `places`, of the values inside; NaN where these are too few for the confidence. (U, C)."""
    found = np.full((3, values.shape[1]), np.nan)
    for cases, units in matched_columns(inside):
        parts = [(one[units[one]], other[units[other]]) for one, other in places]
        left: Places = [(one, other) for one, other in parts if len(one) and len(other)]
        if left:
            its = shifts(values[:, cases], values[:, cases], left, confidence)
            if its.confidence >= confidence:
                found[:, cases] = its.estimate, its.low, its.high
    estimate, low, high = found
    return Shifts(estimate, low, high, confidence)
