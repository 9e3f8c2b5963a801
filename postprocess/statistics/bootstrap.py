# SPDX-License-Identifier: BSD-3-Clause
"""Hierarchical bootstrap of medians and of their ratios: blocks, in them launches, in them runs."""

from __future__ import annotations

from functools import lru_cache
from math import sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import stats

from isochron.postprocess.statistics.launches import Interval, Values

Matrix = NDArray[np.float64]


def bootstrap_medians(launches: list[Values], replicates: int, rng: Generator) -> Values:
    """Replicates of a row's value: launches are drawn again, and in each the runs. Shape (replicates,).

    `launches`: the runs of each launch that started in time, at least one run each. The median of n values drawn
    again from n sorted ones is the order statistic at index ⌊nU⌋, U the median of n uniforms,
    which is drawn from its own (Beta) distribution instead of drawing n values.
    """
    counts = np.array([len(runs) for runs in launches])
    ordered = np.full((len(launches), counts.max()), np.inf)
    for row, runs in zip(ordered, launches, strict=True):
        row[: len(runs)] = np.sort(runs)
    drawn = rng.integers(len(launches), size=(replicates, len(launches)))
    n = counts[drawn]
    lower = (n + 1) // 2
    u_low = rng.beta(lower, n - lower + 1)
    # Even n: the median is the mean of two neighbours; the next of the n - lower larger uniforms.
    above = np.maximum(n - lower, 1)
    u_next = u_low + (1 - u_low) * (1 - rng.random(n.shape) ** (1 / above))
    u_high = np.where(n % 2 == 0, u_next, u_low)
    medians: Matrix = (ordered[drawn, _index(u_low, n)] + ordered[drawn, _index(u_high, n)]) / 2
    return np.asarray(np.median(medians, axis=1), dtype=np.float64)


def _index(uniform: Matrix, n: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.minimum((uniform * n).astype(np.int64), n - 1)


@lru_cache(maxsize=64)
def drawn_blocks(blocks: int, replicates: int, seed: int) -> NDArray[np.int64]:
    """Which of `blocks` blocks each replicate draws, with replacement. Shape (replicates, blocks).

    The draw depends on nothing else, so that both sides of a ratio, and all pairs with as many
    blocks, have the same blocks in a replicate.
    """
    return np.random.default_rng([seed, blocks]).integers(blocks, size=(replicates, blocks))


def median_ratio(numerator: Matrix, denominator: Matrix) -> Values:
    """Median over blocks of the ratio in each. Shape (…, blocks) → (…).

    Taken of logarithms, so that an even number of blocks gives the geometric mean of the two in the
    middle, and the ratio of a to b is the inverse of that of b to a.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.exp(np.median(np.log(numerator / denominator), axis=-1)), dtype=np.float64)


def block_ratios(numerator: Matrix, denominator: Matrix, drawn: NDArray[np.int64]) -> Values:
    """Replicates of the median ratio within blocks; all shapes (replicates, blocks) → (replicates,).

    Column b of `numerator` and `denominator` holds replicates of either side's value in block b.
    Blocks are drawn for both sides together: a regime of the machine that both met in a block
    cancels. A block that is drawn twice takes two different replicates of its value.
    """
    count = drawn.shape[1]
    rows = (np.arange(len(drawn))[:, np.newaxis] + np.arange(count)) % len(drawn)
    return median_ratio(numerator[rows, drawn], denominator[rows, drawn])


def ratio_interval(ratios: Values, units: int, confidence: float) -> Interval:
    """Percentile interval of a ratio from its replicates, shape (replicates,).

    Percentile intervals from few units are too narrow. The percentiles are therefore moved
    outwards to Φ(-t·√(n/(n-1))), t Student's quantile at n - 1 degrees of freedom, n = `units`: the
    blocks, or the launches of the smaller side (Hesterberg 2015, "expanded percentile").
    """
    if units < 2 or np.isnan(ratios).any():
        return Interval(float("nan"), float("nan"), confidence)
    student = float(stats.t.ppf((1 + confidence) / 2, units - 1))
    tail = float(stats.norm.cdf(-student * sqrt(units / (units - 1))))
    # Order statistics, not interpolation: a replicate may be infinite (a denominator of 0).
    low = float(np.quantile(ratios, tail, method="lower"))
    high = float(np.quantile(ratios, 1 - tail, method="higher"))
    return Interval(low, high, confidence)
