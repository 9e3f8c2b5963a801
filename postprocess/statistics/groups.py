# SPDX-License-Identifier: BSD-3-Clause
"""Whether launches fall into two groups: then their median stands for neither."""

from __future__ import annotations

from math import nan

import numpy as np
from numpy.typing import NDArray

from isochron.postprocess.statistics.launches import Values

#: Fewer launches cannot show two groups.
FEWEST = 6
#: Launches that make a group.
SMALLEST = 2
#: Groups that are closer than this are not worth a word.
LEAST_GAP = 1.5


def gap(values: Values) -> float:
    """Ratio of the two neighbouring values between which the launches split into two groups, else NaN.

    `values`: shape (L,), positive.
    """
    neighbours = _split(values)
    return neighbours[1] / neighbours[0] if neighbours else nan


def slow(values: Values) -> NDArray[np.bool_]:
    """Which values are in the slower of two groups; none where there are no two groups. Shape (L,) → (L,)."""
    neighbours = _split(values)
    return values >= neighbours[1] if neighbours else np.zeros(len(values), dtype=bool)


def _split(values: Values) -> tuple[float, float] | None:
    """The largest value of the faster group and the smallest of the slower one.

    The split is at the widest relative gap that leaves at least two
    launches on either side; they are two groups when that gap is at least 1.5 and wider than
    each group is itself (largest / smallest). A plain criterion for a handful of launches, not a test.
    """
    ordered = np.sort(values)
    if len(ordered) < FEWEST or ordered[0] <= 0:
        return None
    steps = ordered[1:] / ordered[:-1]
    first = SMALLEST - 1 + int(np.argmax(steps[SMALLEST - 1 : len(steps) - SMALLEST + 1]))
    widest = float(steps[first])
    within = max(ordered[first] / ordered[0], ordered[-1] / ordered[first + 1])
    return (float(ordered[first]), float(ordered[first + 1])) if widest >= LEAST_GAP and widest > within else None
