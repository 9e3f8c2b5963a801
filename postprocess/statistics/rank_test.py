# SPDX-License-Identifier: BSD-3-Clause
"""Exact rank test of two samples, ties included (Wilcoxon 1945; Mann and Whitney 1947)."""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from postprocess.statistics.launches import Values


def smallest_p(first: int, second: int) -> float:
    """The smallest two-sided p that samples of these sizes can give: 2 / C(first + second, first)."""
    return min(1.0, 2 / comb(first + second, first))


def rank_test(first: Values, second: Values) -> float:
    """Two-sided exact p of the hypothesis that both samples come from one distribution.

    Shapes (n,) and (m,). The permutation distribution of the sum of mid-ranks is counted exactly
    by the shift algorithm (Streitberg and Röhmel 1986), so ties need no approximation.
    p = min(1, 2·min(P(W ≤ w), P(W ≥ w))).
    """
    # Mid-ranks are multiples of a half: doubled, they are whole numbers.
    doubled = np.rint(2 * rankdata(np.concatenate([first, second]))).astype(int)
    probabilities = _rank_sum_distribution(tuple(sorted(doubled.tolist())), len(first))
    observed = int(doubled[: len(first)].sum())
    below = float(probabilities[: observed + 1].sum())
    above = float(probabilities[observed:].sum())
    return min(1.0, 2 * min(below, above))


@lru_cache(maxsize=256)
def _rank_sum_distribution(doubled: tuple[int, ...], chosen: int) -> NDArray[np.float64]:
    """P(sum = s), s = 0 … Σ, over all ways to choose `chosen` of the doubled ranks. Shape (Σ+1,)."""
    counts = np.zeros((chosen + 1, sum(doubled) + 1))
    counts[0, 0] = 1.0
    for rank in doubled:
        counts[1:, rank:] += counts[:-1, : counts.shape[1] - rank].copy()
    ways: NDArray[np.float64] = counts[chosen]
    return np.asarray(ways / ways.sum(), dtype=np.float64)
