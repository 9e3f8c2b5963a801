# SPDX-License-Identifier: BSD-3-Clause
"""Exact test of signed ranks, ties and zeros included: whether the differences of pairs lie about 0 (Wilcoxon 1945)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from isochron.postprocess.statistics.exact_ranks import Distribution, mid_ranks
from isochron.postprocess.statistics.launches import Values


def signed_rank_test(differences: Values) -> float:
    """Two-sided exact p. Equal sizes have the mean of their ranks; zeros have ranks, but no side (Pratt 1959). (B,)."""
    # Mid-ranks are multiples of a half: doubled they are whole.
    doubled = np.rint(2 * mid_ranks(np.abs(differences))).astype(np.int64)
    sums, probabilities = signed_rank_sums(tuple(sorted(doubled[differences != 0].tolist())))
    observed = int(doubled[differences > 0].sum())
    below, above = probabilities[sums <= observed].sum(), probabilities[sums >= observed].sum()
    return min(1.0, 2 * float(min(below, above)))


@lru_cache(maxsize=256)
def signed_rank_sums(ranks: tuple[int, ...]) -> Distribution:
    """Distribution of the sum of those of the ranks (whole numbers) whose difference is positive: each by a coin."""
    ways = np.zeros(sum(ranks) + 1)
    ways[0] = 1.0
    for rank in ranks:
        ways[rank:] = (ways[rank:] + ways[: len(ways) - rank]) / 2
        ways[:rank] /= 2
    possible = np.flatnonzero(ways)
    return possible, ways[possible]
