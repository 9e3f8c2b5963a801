# SPDX-License-Identifier: BSD-3-Clause
"""How often single values lie far from where they were expected, and which Student's t is as wide."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtridf

from isochron.stats.launches import Values

#: Scores beyond which deviations are counted. Each deviation counts once for each: none has more weight than others.
CUTS = np.array([2.5, 3.25, 4.25, 6.0, 9.0, 13.0])
NOTHING = np.zeros(1 + len(CUTS))
#: Standard errors that are added to each count: beyond the first two there are no normal deviations, unless in very
#: many, so that caution costs nothing; nearer, what chance alone may be is no tail.
CAUTION = np.array([-0.5, -0.5, 1.0, 1.0, 1.0, 1.0])
#: No t is taken to be wider.
MIN_FREEDOM = 1.0


class Tails:
    """The shares of deviations beyond `CUTS`, of which more and more become known."""

    def __init__(self, known: Values = NOTHING) -> None:
        """`known`: number of deviations, and of those beyond each cut, of another one."""
        self.known = known.copy()

    def add(self, deviations: Values) -> None:
        """These normal scores are known now. Any shape; their sign plays no part."""
        away = np.sort(np.abs(deviations), axis=None)
        self.known += (len(away), *(len(away) - np.searchsorted(away, CUTS, side="right")))

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the narrowest t that has as much beyond each of the cuts."""
        number, beyond = self.known[0], self.known[1:]
        if not number:
            return np.inf
        shares = (beyond + CAUTION * np.sqrt(beyond)) / number
        wide = (shares > 2 * ndtr(-CUTS)) & (beyond > 0)
        found = stdtridf(np.minimum(shares[wide] / 2, 0.49), -CUTS[wide])
        return float(max(MIN_FREEDOM, found.min(initial=np.inf)))


def scores(statistics: Values, freedom: Values | float) -> Values:
    """The normal deviations that are as rare as these of Student's t: a spread from few values makes no heavy tail."""
    return np.asarray(-ndtri(stdtr(freedom, -np.abs(statistics))), dtype=np.float64)
