# SPDX-License-Identifier: BSD-3-Clause
"""How often values lie far from where they were expected, and which Student's t is as wide."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri, stdtr

from isochron.postprocess.statistics.changes.autocorrelation import Autocorrelation
from isochron.postprocess.statistics.changes.moderated import Prior
from isochron.postprocess.statistics.changes.running import Index
from isochron.postprocess.statistics.launches import Values

NOTHING = np.zeros(3)


class Tails:
    """The kurtosis of standardised deviations, of which more and more become known."""

    def __init__(self, known: Values = NOTHING) -> None:
        """`known`: what another one knew."""
        self._number, self._squares, self._fourths = int(known[0]), float(known[1]), float(known[2])

    @property
    def known(self) -> Values:
        """Number of deviations, sums of their squares and of their fourth powers."""
        return np.array([self._number, self._squares, self._fourths])

    @property
    def unknown(self) -> bool:
        """Whether no deviation is known yet."""
        return not self._number

    def add(self, deviations: Values) -> None:
        """These are known now. Any shape; their sign plays no part."""
        self._number += deviations.size
        self._squares += float((deviations**2).sum())
        self._fourths += float((deviations**4).sum())

    def freedom(self, count: Index) -> Values:
        """Degrees of freedom of the t that has the kurtosis of a mean of `count` such values: 4 + 6·count/excess.

        The excess is taken two standard errors, 2·√(24/number), above its estimate: from few deviations, heavy tails
        cannot be excluded.
        """
        if not self._squares:
            return np.full(count.shape, np.inf)
        excess = self._fourths * self._number / self._squares**2 - 3 + 2 * np.sqrt(24 / self._number)
        return 4 + 6 * count / excess if excess > 0 else np.full(count.shape, np.inf)


def deleted(values: Values, common: Prior, known: Autocorrelation, finest: float) -> Values:
    """Normal scores of the deviation of each value from the mean of the other n - 1 of its series. Shape (S, n)."""
    n = values.shape[1]
    away = (values - values.mean(axis=1, keepdims=True)) ** 2 * n / (n - 1)
    others = np.maximum(0.0, away.sum(axis=1, keepdims=True) * (n - 1) / n - away)
    variance = np.maximum(others / known.of_squares(np.array(n - 1)), finest**2)
    own = known.effective(np.array(n - 2.0))
    return scores(np.sqrt(away / common.moderated(variance, own)), own + common.freedom)


def scores(statistics: Values, freedom: Values) -> Values:
    """The normal deviations that are as rare as these of Student's t: a spread from few values makes no heavy tail."""
    return np.asarray(-ndtri(stdtr(freedom, -np.abs(statistics))), dtype=np.float64)
