# SPDX-License-Identifier: BSD-3-Clause
"""Sequential elimination of variants that were measured in turns with a default, in rounds of fresh blocks.

After each round every variant has an interval of its difference from the default in every case, and all intervals of
all rounds hold together with probability 1 - `error` (Bonferroni). A variant is eliminated in a case if another one is
better by these intervals, or if it is not better than the default by more than the threshold. So a variant that is the
best, and better than the default by more than the threshold, is eliminated anywhere in at most `error` of all tables,
however the rounds depend on each other (Even-Dar, Mannor and Mansour 2006, with t intervals).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isochron.stats.moderated import moderated_means

#: Values of B blocks, V variants and C cases: logarithms of the time over that of the default, NaN where none is known.
Blocks = NDArray[np.float64]
Table = NDArray[np.float64]


@dataclass(frozen=True)
class Standing:
    """Of V variants in C cases the mean and the ends of its interval, (V, C), and which are left, (V, C).

    NaN, and left, where fewer than two blocks have a value.
    """

    mean: Table
    low: Table
    high: Table
    left: NDArray[np.bool_]

    def winners(self, threshold: float) -> NDArray[np.intp]:
        """Return of each case the best variant that is left; -1 if it is not better by the threshold, or none is left.

        `threshold`: as a share, by which the default takes longer.
        """
        mean = np.where(self.left & np.isfinite(self.mean), self.mean, np.inf)
        best = mean.argmin(axis=0)
        return np.where(mean.min(axis=0) < -math.log1p(threshold), best, -1)


def stand(values: Blocks, wanted: NDArray[np.bool_], threshold: float, rounds: int, error: float) -> Standing:
    """Return how the variants stand after a round. `values`: of all blocks so far, (B, V, C).

    `wanted`: (V, C), which variants there are in a case; `rounds`: at most; `error`: over all rounds,
    variants and cases. `threshold`: as a share.
    """
    blocks, variants, cases = values.shape
    intervals = max(1, int(wanted.sum())) * rounds
    means = moderated_means(values.reshape(blocks, variants * cases), 1 - error / intervals)
    mean, low, high = (one.reshape(variants, cases) for one in (means.mean, means.low, means.high))
    least = np.where(wanted & np.isfinite(high), high, np.inf).min(axis=0, initial=np.inf)
    worse = np.isfinite(low) & ((low > least) | (low > -math.log1p(threshold)))
    return Standing(mean, low, high, wanted & ~worse)
