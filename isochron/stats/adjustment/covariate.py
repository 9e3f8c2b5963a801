# SPDX-License-Identifier: BSD-3-Clause
"""How values follow a covariate that was read beside them: slopes, and whether they make the values spread less.

Fitted to the differences of all values of a stratum, so that what the strata differ in has no part in it, by Huber's
M-estimate (1964): values that met something else do not decide the slope.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isochron.stats.launches import Values
from isochron.stats.step_down import Matrix

#: Residuals beyond so many standard deviations get less weight (Huber 1964), found again so many times.
HUBER, ROUNDS = 1.345, 12
#: Differences of a covariate (logarithms) that are within what its reading is good for: a ridge against them.
READING = 0.02
#: Median size of a normal variable.
MEDIAN_SIZE = 0.6745
#: A spread below which values are the same.
SAME = 1e-12


@dataclass(frozen=True)
class Slopes:
    """Of C cases, shapes (C,). The slope of values that are shifted by δ is `at_zero` - δ·`per_shift`.

    `best`: the slope at the shift that fits best. `spread`: what is left of the median difference within strata.
    """

    at_zero: Values
    per_shift: Values
    best: Values
    spread: Values

    def after(self, shift: float) -> Values:
        """The slope once the first sample is moved back by `shift`."""
        return np.asarray(self.at_zero - shift * self.per_shift, dtype=np.float64)


def slopes(values: Matrix, covariate: Matrix, names: Values, strata: Sequence[NDArray[np.intp]]) -> Slopes:
    """Slopes of `values` on `covariate` within strata, shapes (U, C), beside a shift of the units named 1; names: (U,).

    The weights come from the shift that fits best; the shift is no part of what is left to the slope.
    """
    one, other, weight = _pairs(strata)
    y, x, z = values[one] - values[other], covariate[one] - covariate[other], (names[one] - names[other])[:, None]
    ridge = READING**2 * weight.sum()
    plain = _left(y, y * 0, z, weight, ridge)
    fit = _left(y, x, z, weight, ridge)
    xx = (fit.weights * x**2).sum(axis=0) + ridge
    at_zero, per_shift = (fit.weights * x * y).sum(axis=0) / xx, (fit.weights * x * z).sum(axis=0) / xx
    freedom = max(1, sum(len(each) - 1 for each in strata) - 1)
    spread = np.divide(fit.scale, plain.scale, out=np.ones_like(fit.scale), where=plain.scale > SAME)
    return Slopes(at_zero, per_shift, fit.slope, spread * (1 + 1 / freedom))


@dataclass(frozen=True)
class _Fit:
    slope: Values
    scale: Values
    weights: Matrix


def _left(y: Matrix, x: Matrix, z: Matrix, weight: Values, ridge: float) -> _Fit:
    """Huber's regression of y (P, C) on x (P, C) and z (P, 1), by weights that are found again and again."""
    weights = np.repeat(weight[:, None], y.shape[1], axis=1)
    slope = scale = np.zeros(y.shape[1])
    for _ in range(ROUNDS):
        xx, zz = (weights * x**2).sum(axis=0) + ridge, (weights * z**2).sum(axis=0)
        xy, zy, xz = ((weights * each).sum(axis=0) for each in (x * y, z * y, x * z))
        per = np.divide(1, zz, out=np.zeros_like(zz), where=zz > 0)
        slope = (xy - xz * zy * per) / (xx - xz**2 * per)
        size = np.abs(y - slope * x - (zy - slope * xz) * per * z)
        scale = np.median(size, axis=0) / MEDIAN_SIZE
        limit = HUBER * np.maximum(scale, SAME)
        weights = weight[:, None] * limit / np.maximum(size, limit)
    return _Fit(slope, scale, weights)


def _pairs(strata: Sequence[NDArray[np.intp]]) -> tuple[NDArray[np.intp], NDArray[np.intp], Values]:
    """Both ends of all differences within strata, and their weight: 1/N_b, as for squares about the stratum's mean."""
    found = [np.triu_indices(len(each), 1) for each in strata]
    one = np.concatenate([each[first] for each, (first, _) in zip(strata, found, strict=True)])
    other = np.concatenate([each[second] for each, (_, second) in zip(strata, found, strict=True)])
    weight = np.repeat([1 / len(each) for each in strata], [len(first) for first, _ in found])
    return one, other, weight
