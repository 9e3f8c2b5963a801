# SPDX-License-Identifier: BSD-3-Clause
"""Sequential elimination of variants that were measured in turns with a default, in rounds of fresh blocks.

After each round every variant has an interval of its difference from the default in every case, and all intervals of
all rounds hold together with probability 1 - `error` (Bonferroni). A variant is eliminated in a case if another one is
better by these intervals, or if it is not better than the default by more than the threshold. So a variant that is the
best, and better than the default by more than the threshold, is eliminated anywhere in at most `error` of all tables,
however the rounds depend on each other (successive elimination, Even-Dar et al. 2006, with t intervals).

What is left is ranked by the median of its blocks: a launch of the default that is slow, or that another program
disturbs, makes all variants seem better, and in few blocks one such launch makes a mean.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isochron.stats.moderated import moderated_means

#: Values of B blocks, V variants and C cases: logarithms of the time over that of the default, NaN where none is known.
Blocks = NDArray[np.float64]
Table = NDArray[np.float64]

#: Variants that differ by less are equally good.
TIE = 0.01


@dataclass(frozen=True)
class Standing:
    """Of V variants in C cases the median of the blocks, the ends of the interval of the mean, and which are left.

    All (V, C). NaN, and left, where fewer than two blocks have a value.
    """

    median: Table
    low: Table
    high: Table
    left: NDArray[np.bool_]

    def winners(self, threshold: float, near: Sequence[Sequence[int]]) -> NDArray[np.intp]:
        """Return of each case the best variant that is left, as `best_variants` does."""
        return best_variants(np.where(self.left, self.median, np.nan), self.median, threshold, near)


def best_variants(left: Table, every: Table, threshold: float, near: Sequence[Sequence[int]]) -> NDArray[np.intp]:
    """Return of each of C cases the best variant; -1 if none is better than the default by more than the threshold.

    `left`, `every`: (V, C), logarithms of the time over the default's, of those that may win and of all; NaN where none
    is known. `threshold`: as a share, by which the default takes longer. `near`: of each case those beside it and
    itself. Of variants that are within `TIE` of the best one, that with the lowest mean over these cases is taken: what
    is best at one size by little, and worse beside it, is often not the best in another job.
    """
    known = np.where(np.isfinite(left), left, np.inf)
    chosen = np.full(left.shape[1], -1, dtype=np.intp)
    for case, least in enumerate(known.min(axis=0, initial=np.inf)):
        if least < -math.log1p(threshold):
            tied = np.flatnonzero(known[:, case] <= least + math.log1p(TIE))
            around = every[tied][:, list(near[case])]
            filled = np.where(np.isfinite(around), around, 0.0)
            chosen[case] = tied[filled.mean(axis=1).argmin()]
    return chosen


def stand(values: Blocks, wanted: NDArray[np.bool_], threshold: float, rounds: int, error: float) -> Standing:
    """Return how the variants stand after a round. `values`: of all blocks so far, (B, V, C).

    `wanted`: (V, C), which variants there are in a case; `rounds`: at most; `error`: over all rounds,
    variants and cases. `threshold`: as a share.
    """
    blocks, variants, cases = values.shape
    intervals = max(1, int(wanted.sum())) * rounds
    means = moderated_means(values.reshape(blocks, variants * cases), 1 - error / intervals)
    low, high = (one.reshape(variants, cases) for one in (means.low, means.high))
    median = np.full((variants, cases), np.nan)
    known = np.isfinite(low)
    median[known] = np.nanmedian(values[:, known], axis=0)
    least = np.where(wanted & np.isfinite(high), high, np.inf).min(axis=0, initial=np.inf)
    worse = np.isfinite(low) & ((low > least) | (low > -math.log1p(threshold)))
    return Standing(median, low, high, wanted & ~worse)
