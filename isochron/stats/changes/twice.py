# SPDX-License-Identifier: BSD-3-Clause
"""How rare it is that two deviations lie far to one side together: what is shown twice."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from isochron.stats.launches import Values

#: The mean of two deviations counts for at most so many times the smaller: one of them alone shows nothing.
RATIO = 1.5
#: Less of the larger than this, and two deviations are not of one level.
ALIKE = 1 / 3
#: No p is taken to be smaller.
SMALLEST = 1e-300
#: Of smaller ones p is 1: they are never significant.
WORTH = 1.0
NODES, WEIGHTS = np.polynomial.laguerre.laggauss(6)


def agree(one: Values, other: Values) -> Values:
    """Whether two deviations are to one side, the smaller at least `ALIKE` of the larger: as if of one new level."""
    away = np.abs(one), np.abs(other)
    return np.asarray((one * other > 0) & (np.minimum(*away) >= ALIKE * np.maximum(*away)))


def together(one: Values, other: Values) -> Values:
    """What two deviations to one side show together: their mean, at most `RATIO` times the smaller."""
    smaller, mean = np.minimum(np.abs(one), np.abs(other)), (np.abs(one) + np.abs(other)) / 2
    return np.asarray(np.minimum(RATIO * smaller, mean))


def p_value(shown: Values, correlation: Values, freedom: Values) -> Values:
    """How often normal deviations show `shown` together or more. All arguments have one shape.

    They have this correlation, and are divided by one estimate of their standard deviation with so many degrees of
    freedom. The mean m of the two and half their difference are independent, with variances (1 ± correlation)/2, so
    that p is an integral over m, here by Gauss and Laguerre. It falls like exp(-m²/(1+c)), of which the expectation
    over estimates of the standard deviation is (1 + 2m²/((1+c)·f))^(-f/2): m is reduced accordingly.
    """
    up = (1 + correlation) / 2
    reduced = np.sqrt(up * freedom * np.log1p(shown**2 / (up * freedom)))
    p_values = np.ones(shown.shape)
    worth = reduced > WORTH
    m, up, down = reduced[worth], up[worth], (1 - correlation[worth]) / 2
    further = np.outer(NODES, up / m)
    inside = 2 * ndtr((m * (1 - 1 / RATIO) + further) / np.sqrt(down)) - 1
    height = np.sqrt(2 * up / np.pi) / m * np.exp(-(m**2) / (2 * up))
    p_values[worth] = height * (WEIGHTS[:, None] * np.exp(-(further**2) / (2 * up)) * inside).sum(axis=0)
    return np.clip(p_values, SMALLEST, 1.0)
