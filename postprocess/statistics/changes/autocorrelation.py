# SPDX-License-Identifier: BSD-3-Clause
"""Means of values in order of time, of which each resembles the one before: correlation ρ^j between values j apart.

Values are stationary and autoregressive of order one. Variances are in units of that of one value.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from isochron.postprocess.statistics.launches import Values

Counts = NDArray[np.intp]
#: Nothing is taken to be more persistent: a series with ρ = 1 has no level.
LARGEST = 0.9
#: What ρ is taken to be before anything is known, and the number of values for which that counts.
USUAL, BEFOREHAND = 0.3, 10
#: Standard errors that are added to ρ. The three were chosen by the simulations of tests/…/test_change_point_errors.py.
CAUTION = 2 / 3


@dataclass(frozen=True)
class Autocorrelation:
    """Variances of means under one ρ. `of_mean` and `damping`: of 0 … N values in a row; index 0 is void."""

    rho: float
    of_mean: Values
    damping: Values

    def of_difference(self, before: Counts, after: Counts) -> Values:
        """Variance of the mean of `after` values less that of the `before` values in front of them."""
        shared = self.rho * self.damping[before] * self.damping[after]
        return np.asarray(self.of_mean[before] + self.of_mean[after] - 2 * shared, dtype=np.float64)

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


def cautious(first: float, second: float, count: float) -> float:
    """ρ by the mean squared differences of values 1 and 2 apart, rather too large than too small, in 0 … 1.

    These are 2σ²(1-ρ) and 2σ²(1-ρ²), so that their ratio is 1 + ρ. No level enters, and one change of level hardly. A
    few values say little about ρ: it is taken as if `BEFOREHAND` further ones had shown `USUAL`. `CAUTION` standard
    errors of one series of so many values are added, √((1-ρ²)/n): series that share their runs may know no more.
    """
    shown = min(LARGEST, max(0.0, second / first - 1)) if first > 0 else 0.0
    rho = (count * shown + BEFOREHAND * USUAL) / (count + BEFOREHAND)
    return rho + CAUTION * sqrt((1 - rho**2) / (count + BEFOREHAND))
