# SPDX-License-Identifier: BSD-3-Clause
"""One more night compared with those before it, and stacks compared with their controls night by night.

Each of the N + 1 nights in turn is predicted from the N others: t = (x - mean) / (s·√(1 + 1/N)), with variances that
rows lend each other (Smyth 2004). Where the new night is one more of the same, all N + 1 could have come in any order,
so that the largest |t| of the new one is the largest of all with a probability of 1/(N + 1), whatever the nights are
drawn from and however their rows depend on each other (full conformal prediction: Vovk, Gammerman and Shafer 2005).
Rows are corrected by that maximum, step by step (Westfall and Young 1993).

What a night does to all stacks alike cancels in the ratio to the controls. What it does to each of them in its own way
is known from the nights before. Three things remain that look like a change of the stack:

- a control has changed: the shift must be as large whichever control is left out, so one control is never enough;
- several have changed, or the machine is in a state that no night before was in: the controls then differ from each
  other, or from themselves, as on no night before, and it is not known what that does to the stack;
- chance, which `further` keeps at its level over all rows.
"""

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from isochron.stats.changes.estimates import prior
from isochron.stats.launches import Values

#: Maximum correlation of neighbouring nights that is assumed.
LARGEST = 0.9
#: Minimum number of earlier nights for an estimate of the spread.
FEWEST = 5
#: The smallest standard deviation of a logarithm: values that agree to the last digit are not known more exactly.
FINEST = 1e-6


@dataclass(frozen=True)
class FurtherNight:
    """Shapes (R,). NaN if the new night has no value, or fewer than `FEWEST` before it have one.

    `nights`: nights before that have a value. `shift`: the new value less the mean of those before; `low`, `high`: its
    interval by Student's t, in which are the spread between nights and the error of that mean; `p_value`: of no shift.
    `p_adjusted`: of no shift in any row, and never less than `p_value`; NaN below `nights_needed`.
    """

    nights: NDArray[np.intp]
    shift: Values
    low: Values
    high: Values
    p_value: Values
    p_adjusted: Values


def nights_needed(confidence: float) -> int:
    """Return the minimum number of earlier nights that can show a difference: 1/(N + 1) ≤ 1 - confidence."""
    return max(FEWEST, ceil(round(1 / (1 - confidence), 6)) - 1)


def further_night(values: Values, confidence: float) -> FurtherNight:
    """`values`: logarithms, shape (N + 1, R), NaN if there is none; the last is the new night."""
    nights = (~np.isnan(values[:-1])).sum(axis=0)
    rows = np.flatnonzero(~np.isnan(values[-1]) & (nights >= FEWEST))
    shift, low, high, p_value, p_adjusted = np.full((5, values.shape[1]), np.nan)
    if len(rows):
        away, scale, freedom = _predicted(values[:, rows])
        half = stdtrit(freedom, (1 + confidence) / 2) * scale[-1]
        shift[rows], low[rows], high[rows] = away[-1], away[-1] - half, away[-1] + half
        p_value[rows] = 2 * stdtr(freedom, -np.abs(away[-1] / scale[-1]))
        enough = nights[rows] >= nights_needed(confidence)
        sizes = np.nan_to_num(np.abs(away / scale)[:, enough], nan=-np.inf)
        p_adjusted[rows[enough]] = np.maximum(_stepped_down(sizes), p_value[rows[enough]])
    return FurtherNight(nights, shift, low, high, p_value, p_adjusted)


def _predicted(values: Values) -> tuple[Values, Values, Values]:
    """Return nights minus the mean of the others, and its standard error, (N + 1, R); and the last one's freedom."""
    there = ~np.isnan(values)
    deviations = np.where(there, values - np.nanmean(values, axis=0), 0.0)
    others = there.sum(axis=0) - there
    mean = (deviations.sum(axis=0) - deviations) / others
    squares = (deviations**2).sum(axis=0) - deviations**2 - others * mean**2
    variance = np.maximum(squares / (others - 1), FINEST**2)
    common = [prior(variances, freedom) for variances, freedom in zip(variance, others - 1.0, strict=True)]
    moderated = [shared.moderated(*row) for shared, *row in zip(common, variance, others - 1.0, strict=True)]
    away = np.where(there, deviations - mean, np.nan)
    scale = np.sqrt(np.array(moderated) * (1 + 1 / others)) * _at_the_ends(deviations)[:, None]
    return away, scale, others[-1] - 1 + common[-1].freedom


def _at_the_ends(values: Values) -> Values:
    """How much further the first and last nights lie from the others than the middle one, where neighbours are alike.

    Of autoregressive nights of order one. Their correlation is that of all rows together, freed of its bias in short
    series (Kendall 1954). `values`: (N + 1, R), each row about its mean; shape (N + 1,).
    """
    count = len(values)
    raw = float((values[1:] * values[:-1]).sum() / max((values**2).sum(), FINEST**2)) * count / (count - 1)
    rho = min(max(raw + (1 + 3 * raw) / count, 0.0), LARGEST)
    alike = rho ** np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    less_others = np.eye(count) * (1 + 1 / (count - 1)) - 1 / (count - 1)
    variance = np.einsum("ti,ij,tj->t", less_others, alike, less_others)
    return np.asarray(np.sqrt(variance / variance.min()))


def _stepped_down(sizes: Values) -> Values:
    """Return adjusted p of the last night's rows. `sizes`: (N + 1, R), -inf if a night has no value."""
    last, order = sizes[-1], np.argsort(sizes[-1], kind="stable")
    largest = np.maximum.accumulate(sizes[:-1, order], axis=1)  # of the rows that are not yet rejected
    reached = (largest >= last[order]).sum(axis=0)
    p_values = (1 + reached) / (1 + (largest > -np.inf).sum(axis=0))
    adjusted = np.empty(len(last))
    adjusted[order] = np.maximum.accumulate(p_values[::-1])[::-1]
    return adjusted


Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Controlled:
    """S stacks in C cases. `night`: of all of them, stack by stack, each divided by the median of its controls.

    `least`: (S, C), the size of the shift whichever control is left out; 0 if that decides on its direction, or none
    is left. `odd`: (S,), whether the controls of a stack, without it, are as on no night before.
    """

    night: FurtherNight
    least: Values
    odd: Mask


def controlled(logs: Values, controls: Mask, confidence: float, margin: float) -> Controlled:
    """`logs`: (N + 1, S, C), NaN if there is no value; the last night is the new one. `controls`: (S,).

    A shift of the controls counts where it is as large as `margin`.
    """
    nights, stacks, cases = logs.shape
    night = further_night(_divided(logs, controls).reshape(nights, -1), confidence)
    shift = night.shift.reshape(stacks, cases)
    least, odd = np.abs(shift), np.zeros(stacks, dtype=bool)
    for stack in range(stacks):
        others = controls & (np.arange(stacks) != stack)
        apart = _divided(logs, others)
        if controls[stack]:
            without = np.sign(shift) * _shift(apart)
            without[stack] = least[stack]
            least = np.fmin(least, np.where(without > 0, without, 0.0))
        observed = np.concatenate([logs[:, others], apart[:, others]], axis=1)
        further = further_night(observed.reshape(nights, -1), confidence)
        rare = np.fmax(further.p_adjusted, further.p_value * np.isfinite(further.p_value).sum()) <= 1 - confidence
        odd[stack] = (rare & (np.abs(further.shift) >= margin)).any()
    return Controlled(night, least, odd)


def _divided(logs: Values, controls: Mask) -> Values:
    """Return each stack minus the median of its controls, which must have values; NaN without. Shape as `logs`."""
    quotients = np.full_like(logs, np.nan)
    for stack in range(logs.shape[1]):
        others = controls & (np.arange(len(controls)) != stack)
        if others.any():
            quotients[:, stack] = logs[:, stack] - np.median(logs[:, others], axis=1)
    return quotients


def _shift(logs: Values) -> Values:
    """Return the last night less the mean of those before, (S, C); NaN if either is not known."""
    before = ~np.isnan(logs[:-1])
    total = np.where(before, logs[:-1], 0.0).sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.asarray(logs[-1] - total / before.sum(axis=0))
