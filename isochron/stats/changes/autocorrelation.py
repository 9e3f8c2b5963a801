# SPDX-License-Identifier: BSD-3-Clause
"""Means of values in order of time, of which each resembles the one before: correlation ρ^j between values j apart.

Values are stationary and autoregressive of order one. Variances are in units of that of one value.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from isochron.stats.launches import Values

Counts = NDArray[np.intp]
#: Nothing is taken to be more persistent: a series with ρ = 1 has no level.
LARGEST = 0.9
#: What ρ is taken to be before anything is known, and the number of values for which that counts.
USUAL, BEFOREHAND = 0.3, 10
#: Standard errors that are added to ρ. The three were chosen by the simulations of tests/…/test_change_point_errors.py.
CAUTION = 1.0
#: What is added in proportion to the ρ that was shown: values that resemble each other are not quite autoregressive.
MORE = 0.3
NOTHING = np.zeros(6)


@dataclass(frozen=True)
class Autocorrelation:
    """Variances of means under one ρ. `of_mean` and `damping`: of 0 … N values in a row; index 0 is void."""

    rho: float
    of_mean: Values
    damping: Values

    def between(self, one: Counts, other: Counts) -> Values:
        """Covariance of the means of two stretches of so many values, of which one follows on the other."""
        return np.asarray(self.rho * self.damping[one] * self.damping[other], dtype=np.float64)

    def of_squares(self, count: Counts) -> Values:
        """Expected sum of squared deviations of `count` values from their own mean; n - 1 where ρ = 0."""
        return np.asarray(count * (1 - self.of_mean[count]), dtype=np.float64)

    def effective(self, freedom: Values) -> Values:
        """Degrees of freedom of a variance from such values: (1-ρ²)/(1+ρ²) as many (Bayley and Hammersley 1946)."""
        return np.asarray(freedom * (1 - self.rho**2) / (1 + self.rho**2), dtype=np.float64)


def autocorrelation(rho: float, most: int) -> Autocorrelation:
    """The variances for up to `most` values: Var(mean) = (n·(1+ρ)/(1-ρ) - 2ρ·(1-ρ^n)/(1-ρ)²)/n²."""
    count = np.maximum(np.arange(most + 1), 1).astype(np.float64)
    damping = (1 - rho**count) / (count * (1 - rho))
    return Autocorrelation(rho, ((1 + rho) / (1 - rho) - 2 * rho * damping / (1 - rho)) / count, damping)


class Persistence:
    """ρ of many series by the products of successive deviations, of which more and more become known.

    A deviation is that of a value from the mean of all before it in its level, over its standard deviation: such ones
    are uncorrelated where ρ = 0. How well ρ is known is seen by how much the products differ from run to run: series
    that share their runs know it no better than one.
    """

    def __init__(self, known: Values = NOTHING) -> None:
        """`known`: what another one knew."""
        self.known = known.copy()

    def add(self, before: Values, after: Values) -> None:
        """Deviations of the values of one run, and of those before them in their series."""
        if len(after):
            squares, product = float((before**2 + after**2).sum()) / 2, float((before * after).sum())
            self.known += (len(after), squares, product, squares**2, squares * product, product**2)

    @property
    def rho(self) -> float:
        """ρ, rather too large than too small.

        It is taken as if `BEFOREHAND` further values had shown `USUAL`; a part `MORE` of what was shown and `CAUTION`
        standard errors are added.
        """
        pairs, squares, products, both_squares, mixed, both_products = self.known.tolist()
        shown, worth = 0.0, 0.0
        if squares > 0:
            shown = min(LARGEST, max(0.0, products / squares))
            scatter = both_products - 2 * shown * mixed + shown**2 * both_squares
            worth = min(pairs, (1 - shown**2) * squares**2 / scatter if scatter > 0 else pairs)
        rho = (worth * shown + BEFOREHAND * USUAL) / (worth + BEFOREHAND)
        more = MORE * worth * shown / (worth + BEFOREHAND)
        return float(min(LARGEST, rho + more + CAUTION * sqrt((1 - rho**2) / (worth + BEFOREHAND))))
