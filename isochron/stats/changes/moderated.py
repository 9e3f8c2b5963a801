# SPDX-License-Identifier: BSD-3-Clause
"""Variances of many series that lend each other degrees of freedom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import digamma, polygamma

from isochron.stats.launches import Values

#: Series from which a common spread can be told at all; fewer lend each other nothing.
MIN_SERIES = 20
#: More degrees of freedom than these make no difference.
MAX_FREEDOM = 1e4


@dataclass(frozen=True)
class Prior:
    """What the other series say of a variance: its typical size, and for how many degrees of freedom that counts."""

    variance: float
    freedom: float

    def moderated(self, variances: Values, freedom: Values | float) -> Values:
        """The means of each variance and the typical one, weighted by their degrees of freedom."""
        mixed = self.freedom * self.variance + freedom * variances
        return np.asarray(mixed / (self.freedom + freedom), dtype=np.float64)


def prior(variances: Values, freedom: Values) -> Prior:
    """The prior of variances with their degrees of freedom, by moments of their logarithms (Smyth 2004, section 6.2).

    `variances`: shape (S,), positive. The true ones are taken to be scattered like d/χ²(d) about a typical one. Equal
    ones give many degrees of freedom, different ones few.
    """
    if len(variances) < MIN_SERIES:
        return Prior(1.0, 0.0)
    logs = np.log(variances) - digamma(freedom / 2) + np.log(freedom / 2)
    centre = float(logs.mean())
    excess = float(logs.var(ddof=1) - polygamma(1, freedom / 2).mean())
    own = MAX_FREEDOM if excess <= 0 else min(MAX_FREEDOM, 2 * _inverse_trigamma(excess))
    return Prior(float(np.exp(centre + digamma(own / 2) - np.log(own / 2))), own)


def _inverse_trigamma(value: float) -> float:
    """x > 0 with trigamma(x) = value > 0, by Newton's steps on 1/trigamma, which is nearly linear (Smyth 2004)."""
    x = 0.5 + 1 / value
    for _ in range(50):
        found = float(polygamma(1, x))
        step = found * (1 - found / value) / float(polygamma(2, x))
        x += step
        if -step < 1e-8 * x:
            break
    return x
