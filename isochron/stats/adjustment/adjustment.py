# SPDX-License-Identifier: BSD-3-Clause
"""Values with a covariate taken out, where that makes them more alike: which covariate, by which slope.

Decided without the names of the samples, from the covariates and from the values after the shift that is tested: a test
that exchanges names then stays what it is, whether or not the values really follow the covariate so (Rosenbaum 2002).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isochron.stats.adjustment.covariate import slopes
from isochron.stats.launches import Values
from isochron.stats.step_down import Matrix

#: A covariate is used where it leaves at most this part of the spread.
MIN_GAIN = 0.9
#: Through the slope, a shift may move two values of a stratum against each other by at most this part of it.
ENTANGLED = 0.9


@dataclass(frozen=True)
class Adjustment:
    """Of C cases. `known`: whether any covariate is there; `chosen`: the number of the one that is used, else -1.

    `covariate`: (U, C); `at_zero`, `per_shift`, `slope`: as in `Slopes`, with the best slope. 0 where none is used.
    """

    known: NDArray[np.bool_]
    chosen: NDArray[np.intp]
    covariate: Matrix
    at_zero: Values
    per_shift: Values
    slope: Values

    @property
    def moves(self) -> Matrix:
        """By how much a shift of 1 moves each value through the slope."""
        return -self.per_shift * self.covariate

    def without(self, values: Matrix, shift: float = 0.0) -> Matrix:
        """`values` without the covariate, by their slope once the first sample is moved back by `shift`."""
        return np.asarray(values - (self.at_zero - shift * self.per_shift) * self.covariate, dtype=np.float64)

    def of(self, cases: NDArray[np.intp]) -> Adjustment:
        """The same of some of the cases."""
        arrays = (self.at_zero[cases], self.per_shift[cases], self.slope[cases])
        return Adjustment(self.known[cases], self.chosen[cases], self.covariate[:, cases], *arrays)


def adjustment(
    values: Matrix, covariates: Matrix, signs: Sequence[float], names: Values, strata: Sequence[NDArray[np.intp]]
) -> Adjustment:
    """Of each case the covariate that makes the values within strata most alike, by a slope of the right sign.

    `values`: (U, C); `covariates`: (K, U, C), 0 is usual, NaN where it is not known; `signs`: (K,) of the slopes;
    `names`: (U,), 1 for the first sample.
    """
    cases = values.shape[1]
    known, chosen = np.zeros(cases, dtype=bool), np.full(cases, -1)
    used, least = np.zeros_like(values), np.full(cases, MIN_GAIN)
    found = np.zeros((3, cases))
    for number, (sign, covariate) in enumerate(zip(signs, covariates, strict=True)):
        told = np.flatnonzero((np.isfinite(covariate) & np.isfinite(values)).all(axis=0))
        if not len(told) or max(len(own) for own in strata) < 2:
            continue
        known[told] = True
        own = covariate[:, told]
        fit = slopes(values[:, told], own, names, strata)
        moved = np.abs(fit.per_shift) * np.max([np.ptp(own[units], axis=0) for units in strata], axis=0)
        better = (fit.spread <= least[told]) & (sign * fit.best > 0) & (moved < ENTANGLED)
        at = told[better]
        chosen[at], least[at], used[:, at] = number, fit.spread[better], own[:, better]
        found[:, at] = np.stack([fit.at_zero, fit.per_shift, fit.best])[:, better]
    return Adjustment(known, chosen, used, *found)
