# SPDX-License-Identifier: BSD-3-Clause
"""Stacks against their controls, night by night: has a stack changed, or one of its controls, or the machine?

What a night does to all stacks alike cancels in the ratio to the controls. What it does to each of them in its own way
is known from the nights before. Three things remain that look like a change of the stack:

- a control has changed: the shift must be as large whichever control is left out, so one control is never enough;
- several have changed, or the machine is in a state that no night before was in: the controls then differ from each
  other, or from themselves, as on no night before, and it is not known what that does to the stack;
- chance, which `further` keeps at its level over all rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isochron.stats.launches import Values
from isochron.stats.nights.further import FurtherNight, further_night

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Controlled:
    """S stacks in C cases. `night`: of all of them, stack by stack, each divided by the median of its controls.

    `least`: (S, C), the size of the shift whichever control is left out; 0 where that decides on its direction, or none
    is left. `odd`: (S,), whether the controls of a stack, without it, are as on no night before.
    """

    night: FurtherNight
    least: Values
    odd: Mask


def controlled(logs: Values, controls: Mask, confidence: float, margin: float) -> Controlled:
    """`logs`: (N + 1, S, C), NaN where there is no value; the last night is the new one. `controls`: (S,).

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
        seen = np.concatenate([logs[:, others], apart[:, others]], axis=1)
        alone = further_night(seen.reshape(nights, -1), confidence)
        rare = np.fmax(alone.p_adjusted, alone.p_value * np.isfinite(alone.p_value).sum()) <= 1 - confidence
        odd[stack] = (rare & (np.abs(alone.shift) >= margin)).any()
    return Controlled(night, least, odd)


def _divided(logs: Values, controls: Mask) -> Values:
    """Each stack less the median of its controls, which all have a value; NaN without controls. Shape as `logs`."""
    found = np.full_like(logs, np.nan)
    for stack in range(logs.shape[1]):
        others = controls & (np.arange(len(controls)) != stack)
        if others.any():
            found[:, stack] = logs[:, stack] - np.median(logs[:, others], axis=1)
    return found


def _shift(logs: Values) -> Values:
    """The last night less the mean of those before, (S, C); NaN where either is not known."""
    before = ~np.isnan(logs[:-1])
    total = np.where(before, logs[:-1], 0.0).sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.asarray(logs[-1] - total / before.sum(axis=0))
