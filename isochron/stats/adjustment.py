# SPDX-License-Identifier: BSD-3-Clause
"""Values adjusted for interference by probe readings: by a slope on a covariate, or within regimes.

Slopes are fitted to all differences within strata, so that differences between strata have no effect, by Huber's
M-estimate (1964), so that outliers have little effect.

The covariate is selected without the labels of the samples, from the covariates and the values after the tested shift:
a permutation test then stays exact, whether or not the values follow the covariate (Rosenbaum 2002).

If regimes slow the samples down by different amounts, no slope removes that, and a common shift has no meaning. The
regime of a value is determined without labels and values, so permutation tests and intervals within regimes are exact
(Rosenbaum 2002).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isochron.stats.launches import Values, known_medians, matched_columns
from isochron.stats.margin_test import beyond, bounded
from isochron.stats.multiple_tests import Matrix, Tests
from isochron.stats.shift import Places, Shifts, shifts

#: Standard deviations beyond which residuals have less weight (Huber 1964), and number of iterations.
HUBER, ROUNDS = 1.345, 12
#: Precision of a covariate's readings (logarithms), used as a ridge.
READING = 0.02
#: Median size of a normal variable.
MEDIAN_SIZE = 0.6745
#: A spread below which values are equal.
MIN_SCALE = 1e-12


@dataclass(frozen=True)
class Slopes:
    """Of C cases, shapes (C,). The slope of values that are shifted by δ is `at_zero` - δ·`per_shift`.

    `best`: the slope at the best fitting shift. `spread`: remaining median difference within strata.
    """

    at_zero: Values
    per_shift: Values
    best: Values
    spread: Values

    def after(self, shift: float) -> Values:
        """Return the slope once the first sample is moved back by `shift`."""
        return np.asarray(self.at_zero - shift * self.per_shift, dtype=np.float64)


def slopes(values: Matrix, covariate: Matrix, names: Values, strata: Sequence[NDArray[np.intp]]) -> Slopes:
    """Slopes of `values` on `covariate` within strata, shapes (U, C), beside a shift of the units named 1; names: (U,).

    The weights come from the shift that fits best; the shift is no part of what is left to the slope.
    """
    one, other, weight = _pairs(strata)
    y, x, z = values[one] - values[other], covariate[one] - covariate[other], (names[one] - names[other])[:, None]
    ridge = READING**2 * weight.sum()
    plain = _fit(y, y * 0, z, weight, ridge)
    fit = _fit(y, x, z, weight, ridge)
    xx = (fit.weights * x**2).sum(axis=0) + ridge
    at_zero, per_shift = (fit.weights * x * y).sum(axis=0) / xx, (fit.weights * x * z).sum(axis=0) / xx
    freedom = max(1, sum(len(units) - 1 for units in strata) - 1)
    spread = np.divide(fit.scale, plain.scale, out=np.ones_like(fit.scale), where=plain.scale > MIN_SCALE)
    return Slopes(at_zero, per_shift, fit.slope, spread * (1 + 1 / freedom))


@dataclass(frozen=True)
class _Fit:
    slope: Values
    scale: Values
    weights: Matrix


def _fit(y: Matrix, x: Matrix, z: Matrix, weight: Values, ridge: float) -> _Fit:
    """Regress y (P, C) on x (P, C) and z (P, 1) by Huber's M-estimate, with iterated weights."""
    weights = np.repeat(weight[:, None], y.shape[1], axis=1)
    slope = scale = np.zeros(y.shape[1])
    for _ in range(ROUNDS):
        xx, zz = (weights * x**2).sum(axis=0) + ridge, (weights * z**2).sum(axis=0)
        xy, zy, xz = ((weights * product).sum(axis=0) for product in (x * y, z * y, x * z))
        per = np.divide(1, zz, out=np.zeros_like(zz), where=zz > 0)
        slope = (xy - xz * zy * per) / (xx - xz**2 * per)
        size = np.abs(y - slope * x - (zy - slope * xz) * per * z)
        scale = np.median(size, axis=0) / MEDIAN_SIZE
        limit = HUBER * np.maximum(scale, MIN_SCALE)
        weights = weight[:, None] * limit / np.maximum(size, limit)
    return _Fit(slope, scale, weights)


def _pairs(strata: Sequence[NDArray[np.intp]]) -> tuple[NDArray[np.intp], NDArray[np.intp], Values]:
    """Return both units of all differences within strata, and their weight 1/N_b, as for squares about the mean."""
    pairs = [np.triu_indices(len(units), 1) for units in strata]
    left = np.concatenate([units[first] for units, (first, _) in zip(strata, pairs, strict=True)])
    right = np.concatenate([units[second] for units, (_, second) in zip(strata, pairs, strict=True)])
    weight = np.repeat([1 / len(units) for units in strata], [len(first) for first, _ in pairs])
    return left, right, weight


#: A covariate is used if it leaves at most this share of the spread.
MIN_GAIN = 0.9
#: Through the slope, a shift may move two values of a stratum against each other by at most this part of it: where the
#: samples met readings that differ much, the slope follows the shift less far. To leave such cases without a covariate
#: would select those whose plain shift is off.
ENTANGLED = 0.9


@dataclass(frozen=True)
class Adjustment:
    """Of C cases. `known`: whether any covariate is there; `chosen`: the number of the one that is used, else -1.

    `covariate`: (U, C); `at_zero`, `per_shift`, `slope`: as in `Slopes`, with the best slope. 0 if none is used.
    """

    known: NDArray[np.bool_]
    chosen: NDArray[np.intp]
    covariate: Matrix
    at_zero: Values
    per_shift: Values
    slope: Values

    @property
    def moves(self) -> Matrix:
        """The change of each value by a shift of 1, through the slope."""
        return -self.per_shift * self.covariate

    def without(self, values: Matrix, shift: float = 0.0) -> Matrix:
        """`values` without the covariate, by their slope once the first sample is moved back by `shift`."""
        return np.asarray(values - (self.at_zero - shift * self.per_shift) * self.covariate, dtype=np.float64)

    def of(self, cases: NDArray[np.intp]) -> "Adjustment":
        """Return the same of some of the cases."""
        arrays = (self.at_zero[cases], self.per_shift[cases], self.slope[cases])
        return Adjustment(self.known[cases], self.chosen[cases], self.covariate[:, cases], *arrays)


def adjustment(
    values: Matrix, covariates: Matrix, signs: Sequence[float], names: Values, strata: Sequence[NDArray[np.intp]]
) -> Adjustment:
    """Select for each case the covariate that reduces the spread within strata most, by a slope of the right sign.

    `values`: (U, C); `covariates`: (K, U, C), 0 is usual, NaN if it is not known; `signs`: (K,) of the slopes, 0: any;
    `names`: (U,), 1 for the first sample.
    """
    cases = values.shape[1]
    known, chosen = np.zeros(cases, dtype=bool), np.full(cases, -1)
    used, least = np.zeros_like(values), np.full(cases, MIN_GAIN)
    fits = np.zeros((3, cases))
    for number, (sign, covariate) in enumerate(zip(signs, covariates, strict=True)):
        complete = np.flatnonzero((np.isfinite(covariate) & np.isfinite(values)).all(axis=0))
        if not len(complete) or max(len(units) for units in strata) < 2:
            continue
        known[complete] = True
        readings = covariate[:, complete]
        fit = slopes(values[:, complete], readings, names, strata)
        moved = np.abs(fit.per_shift) * np.max([np.ptp(readings[units], axis=0) for units in strata], axis=0)
        better = (fit.spread <= least[complete]) & ((sign * fit.best > 0) | (sign == 0))
        at = complete[better]
        chosen[at], least[at], used[:, at] = number, fit.spread[better], readings[:, better]
        part = np.divide(ENTANGLED, moved, out=np.ones_like(moved), where=moved > ENTANGLED)
        at_zero = fit.best + part * (fit.at_zero - fit.best)
        fits[:, at] = np.stack([at_zero, part * fit.per_shift, fit.best])[:, better]
    return Adjustment(known, chosen, used, *fits)


#: Readings that differ by more than this factor are of two regimes, as in the engine's gate.
APART = 2.0
#: Maximum width of the interval within a regime, relative to that over all values, for which it is used: with a smaller
#: gain, chance would select, and the selected interval would not have its coverage.
NARROWER = 0.5
#: Level at which the shifts of the two regimes are taken to differ; after a false alarm, a claim must be shown in the
#: quiet regime alone.
DIFFER = 0.2
#: Confidence of the intervals that are compared, and of a mere estimate.
LEVELS = 1 - DIFFER, 0.0
#: Relations of the ratios in the two regimes.
SAME, DIFFERS, UNKNOWN = "same", "differs", "unknown"


@dataclass(frozen=True)
class Met:
    """The values of the quiet regime, and those of a slower one by some probe: (U, C) each; some are in neither."""

    quiet: NDArray[np.bool_]
    disturbed: NDArray[np.bool_]


def quiet_level(probes: Matrix) -> Values:
    """Return each probe's reading in the quiet regime, (P, U, C) → (P,): the minimum over launches of their medians."""
    return np.array([np.fmin.reduce(known_medians(readings)) for readings in probes], dtype=np.float64)


def met(probes: Matrix, level: Values) -> Met:
    """`probes`: logarithms of what each reads beside the values, (P, U, C); `level`: (P,), as `quiet_level`.

    A probe with a missing reading is not used for the case.
    """
    known = np.isfinite(probes).all(axis=1, keepdims=True) & np.isfinite(level)[:, None, None]
    above = np.where(known, probes - level[:, None, None], 0.0)
    return Met((np.abs(above) <= np.log(APART)).all(axis=0), (above > np.log(APART)).any(axis=0))


@dataclass(frozen=True)
class ByRegime:
    """The R cases, by their places, in which values met both regimes. Shapes (R,).

    `quiet`, `disturbed`: the shifts between values of that regime, NaN if these are too few for the confidence.
    `relation`: of these two, `SAME` where they are not shown to differ, `DIFFERS`, or `UNKNOWN` where values of the
    quiet one are too few for an interval, and the two estimates more than `margin` apart, or there is none. `tests`:
    2·R hypotheses, as of `beyond`, in the quiet regime; `bounds`: likewise as of `bounded`.
    """

    cases: NDArray[np.intp]
    quiet: Shifts
    disturbed: Shifts
    relation: NDArray[np.str_]
    tests: Tests
    bounds: Tests


def by_regime(
    values: Matrix, names: Values, probes: Matrix, places: Places, margin: float, confidence: float
) -> ByRegime | None:
    """Return shifts and tests in each regime; None if no case met both. `values`: (U, C); `probes`: (P, U, C)."""
    regimes = met(probes, quiet_level(probes))
    cases = np.flatnonzero(regimes.quiet.any(axis=0) & regimes.disturbed.any(axis=0))
    if not len(cases):
        return None
    case_values, quiet, disturbed = values[:, cases], regimes.quiet[:, cases], regimes.disturbed[:, cases]
    ratios = compare_regimes((case_values, quiet), (case_values, disturbed), places, margin, confidence)
    tests, bounds = (tested((case_values, case_values), names, places, margin, quiet) for tested in (beyond, bounded))
    return ByRegime(cases, *ratios, tests, bounds)


#: Values, and which of them are of a regime: (U, C) each.
Inside = tuple[Matrix, NDArray[np.bool_]]


def compare_regimes(
    quiet: Inside, disturbed: Inside, places: Places, margin: float, confidence: float
) -> tuple[Shifts, Shifts, NDArray[np.str_]]:
    """Return the shifts in each regime and their relation, as in `ByRegime`."""
    one, other = (shifts_inside(*regime, places, confidence) for regime in (quiet, disturbed))
    near, any_ = ([shifts_inside(*regime, places, level) for regime in (quiet, disturbed)] for level in LEVELS)
    close = np.abs(any_[0].estimate - any_[1].estimate) <= margin
    return one, other, np.select([_differ(*near), np.isnan(one.estimate) & ~close], [DIFFERS, UNKNOWN], SAME)


def _differ(one: Shifts, other: Shifts) -> NDArray[np.bool_]:
    """Return whether 0 is outside the interval of the difference of two shifts (MOVER: Zou and Donner 2008)."""
    between = other.estimate - one.estimate
    low = between - np.hypot(other.estimate - other.low, one.high - one.estimate)
    high = between + np.hypot(other.high - other.estimate, one.estimate - one.low)
    return np.asarray((low > 0) | (high < 0))


def shifts_inside(values: Matrix, inside: NDArray[np.bool_], places: Places, confidence: float) -> Shifts:
    """As `shifts` within `places`, of the values inside; NaN if these are too few for the confidence. (U, C)."""
    result = np.full((3, values.shape[1]), np.nan)
    for cases, units in matched_columns(inside):
        parts = [(one[units[one]], other[units[other]]) for one, other in places]
        left: Places = [(one, other) for one, other in parts if len(one) and len(other)]
        if left:
            its = shifts(values[:, cases], values[:, cases], left, confidence)
            if its.confidence >= confidence:
                result[:, cases] = its.estimate, its.low, its.high
    estimate, low, high = result
    return Shifts(estimate, low, high, confidence)
