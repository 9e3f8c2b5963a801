# SPDX-License-Identifier: BSD-3-Clause
"""Hierarchical bootstrap of the median over launches of the median over runs."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import stats

from postprocess.statistics.launches import Interval, Values

Matrix = NDArray[np.float64]


def bootstrap_medians(launches: list[Values], replicates: int, rng: Generator) -> Values:
    """Replicates of a row's value: launches are drawn again, and in each the runs. Shape (replicates,).

    `launches`: the valid runs of each launch, at least one run each. The median of n values drawn
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


def ratio_interval(numerator: Values, denominator: Values, launches: int, confidence: float) -> Interval:
    """Percentile interval of a ratio from the replicates of both sides, shapes (B,).

    Percentile intervals from few launches are too narrow. The percentiles are therefore moved
    outwards to Φ(-t·√(L/(L-1))), t Student's quantile at L - 1 degrees of freedom, L = `launches`
    of the smaller side (Hesterberg 2015, "expanded percentile").
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = numerator / denominator
    if launches < 2 or np.isnan(ratios).any():
        return Interval(float("nan"), float("nan"), confidence)
    student = float(stats.t.ppf((1 + confidence) / 2, launches - 1))
    tail = float(stats.norm.cdf(-student * sqrt(launches / (launches - 1))))
    # Order statistics, not interpolation: a replicate may be infinite (a denominator of 0).
    low = float(np.quantile(ratios, tail, method="lower"))
    high = float(np.quantile(ratios, 1 - tail, method="higher"))
    return Interval(low, high, confidence)
