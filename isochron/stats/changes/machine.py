# SPDX-License-Identifier: BSD-3-Clause
"""What all stacks share of a run: that is the machine's, and of no library."""

from __future__ import annotations

import numpy as np

from isochron.stats.changes.clipped import Index
from isochron.stats.launches import Values


def shared(away: Values, stacks: Index) -> tuple[float, float]:
    """The stacks' median that is nearest to 0, and the same where all medians go to one side, else 0.

    The first says how far the machine is at least from its level, and the second what of that all stacks have. NaN for
    less than two stacks. `away`: logarithms of how far each row of a run is from its level, shape (S,), NaN where that
    is not known. `stacks`: the number of each row's stack.
    """
    known = ~np.isnan(away)
    medians = np.array([np.median(away[known & (stacks == stack)]) for stack in np.unique(stacks[known])])
    if len(medians) < 2:
        return float("nan"), float("nan")
    nearest = float(medians[np.abs(medians).argmin()])
    return nearest, nearest if abs(np.sign(medians).sum()) == len(medians) else 0.0
