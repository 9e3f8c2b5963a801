# SPDX-License-Identifier: BSD-3-Clause
"""The share of one difference in another, both measured in the same blocks (Fieller 1954)."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from isochron.stats.launches import Values


@dataclass(frozen=True)
class ShareOf:
    """The ratio of two means, and its interval. NaN if the whole is not shown to differ from zero."""

    share: float
    low: float
    high: float
    blocks: int


def mean_interval(values: Values, confidence: float) -> Values:
    """Return the mean of one value of each block and the ends of its t interval, shape (3,); NaN of less than two."""
    known = values[np.isfinite(values)]
    if len(known) < 2:
        return np.full(3, np.nan)
    half = stdtrit(len(known) - 1, 0.5 + confidence / 2) * known.std(ddof=1) / np.sqrt(len(known))
    return np.asarray(known.mean() + np.array([0.0, -half, half]))


def share_of(part: Values, whole: Values, confidence: float) -> ShareOf:
    """Return the mean of `part` over the mean of `whole`: one value of each in every block, shape (B,), NaN left out.

    The interval is that of Fieller: of all shares R for which the mean of part - R whole is not shown to differ from
    zero by a t test with B - 1 degrees of freedom. It assumes normal means and independent blocks.
    """
    known = np.isfinite(part) & np.isfinite(whole)
    part, whole = part[known], whole[known]
    count = len(part)
    if count < 2:
        return ShareOf(np.nan, np.nan, np.nan, count)
    covariance = np.cov(part, whole) / count
    part_variance, common, whole_variance = covariance[0, 0], covariance[0, 1], covariance[1, 1]
    part_mean, whole_mean = float(part.mean()), float(whole.mean())
    squared = stdtrit(count - 1, 0.5 + confidence / 2) ** 2
    square = whole_mean**2 - squared * whole_variance
    if square <= 0:
        return ShareOf(np.nan, np.nan, np.nan, count)
    middle = part_mean * whole_mean - squared * common
    inside = middle**2 - square * (part_mean**2 - squared * part_variance)
    half = np.sqrt(max(inside, 0.0)) / square
    return ShareOf(part_mean / whole_mean, float(middle / square - half), float(middle / square + half), count)
