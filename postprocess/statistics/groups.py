# SPDX-License-Identifier: BSD-3-Clause
"""Whether launches fall into two groups: then their median stands for neither."""

from __future__ import annotations

from math import nan

import numpy as np

from postprocess.statistics.launches import Values

#: Fewer launches cannot show two groups.
FEWEST = 6
#: Launches that make a group.
SMALLEST = 2
#: Groups that are closer than this are not worth a word.
LEAST_GAP = 1.5


def gap(values: Values) -> float:
    """Ratio of the two neighbouring values between which the launches split into two groups, else NaN.

    `values`: shape (L,), positive. The split is at the widest relative gap that leaves at least two
    launches on either side; they are two groups when that gap is at least 1.5 and wider than
    each group is itself (largest / smallest). A plain criterion for a handful of launches, not a test.
    """
    ordered = np.sort(values)
    if len(ordered) < FEWEST or ordered[0] <= 0:
        return nan
    steps = ordered[1:] / ordered[:-1]
    first = SMALLEST - 1 + int(np.argmax(steps[SMALLEST - 1 : len(steps) - SMALLEST + 1]))
    widest = float(steps[first])
    within = max(ordered[first] / ordered[0], ordered[-1] / ordered[first + 1])
    return widest if widest >= LEAST_GAP and widest > within else nan
