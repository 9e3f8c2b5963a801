# SPDX-License-Identifier: BSD-3-Clause
"""How much the difference of two samples in a block resembles that in the block before, and what that costs.

Tests and intervals over blocks assume that these are independent. One case of 12 to 24 blocks says little about that,
so the correlation of neighbouring blocks is estimated for all cases of a pair together. Under autoregressive blocks of
order one, the deviations of blocks from their centre, widened by a factor, give tests and intervals that hold.
"""

from math import isnan, nan, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from isochron.stats.exact_ranks import mid_ranks
from isochron.stats.launches import Values, matched_columns
from isochron.stats.multiple_tests import Matrix
from isochron.stats.shift import Places, Shifts, shifts

#: Fewest blocks of a case that say something about their correlation.
FEWEST = 12
#: Standard deviation of the correlation over pairs of stacks that is assumed beforehand, about 0.
PRIOR = 0.3
#: Standard errors that are added to the estimate: too small a correlation costs more than too large a one.
CAUTION = 0.5
#: Fewest independent blocks from which anything is claimed: of fewer, the variance is hardly known.
MIN_EFFECTIVE = 5
#: Largest correlation that is assumed.
LARGEST = 0.9


def block_correlation(differences: Matrix) -> float:
    """Return the correlation ρ of neighbouring blocks, between 0 and `LARGEST`; NaN if too few blocks show it.

    `differences`: (B, C), in order of time, NaN where a block has none. Of each case it is the serial correlation of
    ranks (Bartels 1982), freed of its bias in short series, -(1 + 4ρ)/B (Kendall 1954). The mean over cases is drawn
    towards 0 by its standard error, that of as many series as the cases are worth (Kish 1965; they share their blocks),
    and half of what is left of that error is added. Without a sign of correlation, a mean at or below 0, it is 0.
    """
    counts = (~np.isnan(differences)).sum(axis=0)
    ranks = _ranks(differences[:, counts >= FEWEST])
    sizes = np.sqrt((ranks**2).sum(axis=0))
    known, counts = sizes > 0, counts[counts >= FEWEST]
    if not known.any():
        return nan
    scores, counts = ranks[:, known] / sizes[known], counts[known]
    serial = (scores[1:] * scores[:-1]).sum(axis=0)
    estimate = float(((serial + 1 / counts) / (1 - 4 / counts)).mean())
    variance = float((1 / counts / (1 - 4 / counts) ** 2).mean()) / _worth(scores, float(counts.mean()))
    share = PRIOR**2 / (PRIOR**2 + variance)
    if estimate <= 0:
        return 0.0
    return min(share * estimate + CAUTION * sqrt(share * variance), LARGEST)


def _ranks(values: Matrix) -> Matrix:
    """Return the ranks in each column about their mean; 0 where there is no value. (B, C)."""
    known = ~np.isnan(values)
    ranks = mid_ranks(np.where(known, values, np.inf))
    return np.where(known, ranks - (known.sum(axis=0) + 1) / 2, 0.0)


def _worth(scores: Matrix, blocks: float) -> float:
    """Return how many independent cases C cases are worth, by the mean square of their correlations. (B, C).

    Of independent cases it is 1/(B - 1), which is removed.
    """
    cases = scores.shape[1]
    if cases == 1:
        return 1.0
    square = (float(np.square(scores @ scores.T).sum()) - cases) / (cases * (cases - 1))
    shared = max(0.0, (square - 1 / (blocks - 1)) / (1 - 1 / (blocks - 1)))
    return float(cases / (1 + (cases - 1) * shared))


def effective_blocks(correlation: float, blocks: int) -> float:
    """Return how many independent blocks so many are worth; all of them if the correlation is not known."""
    return float(blocks) if isnan(correlation) else blocks * (1 - correlation) / (1 + correlation)


def widening(correlation: float, blocks: int, confidence: float) -> float:
    """Return the factor by which correlated blocks make an interval of their centre wider; 1 if nothing is known.

    The variance of the mean is larger, and that of the blocks about it smaller, than of independent blocks (Anderson
    1971, The Statistical Analysis of Time Series, section 8.3); the latter has fewer degrees of freedom.
    """
    if isnan(correlation) or correlation <= 0 or blocks < 2:
        return 1.0
    rho = correlation
    mean = (1 + rho) / (1 - rho) - 2 * rho * (1 - rho**blocks) / (blocks * (1 - rho) ** 2)
    about = (blocks - mean) / (blocks - 1)
    freedom = max(effective_blocks(rho, blocks) - 1, 1.0)
    tails = stdtrit([freedom, blocks - 1], (1 + confidence) / 2)
    return float(sqrt(mean / about) * tails[0] / tails[1])


def widened(values: Matrix, names: Values, places: Places, factor: float) -> Matrix:
    """Return values (U, C) whose deviations within strata, from a shift between the samples, are `factor` times as far.

    The shift is that of `shifts`, and remains the same. `names`: (U,), 1 for the shifted sample, 0 for the other.
    """
    if factor == 1:
        return values
    centre = shifts(values, values, places, 0.5).estimate
    return np.asarray(factor * values + (1 - factor) * centre * names[:, None])


def widened_differences(values: Matrix, factor: float) -> Matrix:
    """Return the same of differences (B, C), of those that are not NaN in each case."""
    if factor == 1:
        return values
    result = np.full_like(values, np.nan)
    for cases, blocks in matched_columns(~np.isnan(values)):
        if blocks.any():
            known = values[np.ix_(blocks, cases)]
            count = len(known)
            places: Places = [(np.array([block]), np.array([count])) for block in range(count)]
            beside = np.concatenate([known, np.zeros((1, len(cases)))])
            result[np.ix_(blocks, cases)] = widened(beside, np.repeat([1.0, 0.0], [count, 1]), places, factor)[:count]
    return result


def widened_shifts(ratio: Shifts, factor: float) -> Shifts:
    """Return shifts with intervals that reach `factor` times as far from the estimate."""
    low, high = (ratio.estimate + factor * (end - ratio.estimate) for end in (ratio.low, ratio.high))
    return Shifts(ratio.estimate, low, high, ratio.confidence)


def differences_of_blocks(values: Matrix, names: Values, blocks: NDArray[np.int64]) -> Matrix:
    """Return the difference of the means of both samples in each block that has both, in order of time: (B, C).

    `values`: (U, C), NaN where there is none; `names`, `blocks`: (U,).
    """
    sides = []
    numbers = np.intersect1d(blocks[names == 1], blocks[names == 0])
    for name in (1.0, 0.0):
        units = [values[(blocks == number) & (names == name)] for number in numbers]
        means = [np.nansum(each, axis=0) / _counted(each) for each in units]
        sides.append(np.array(means).reshape(len(numbers), values.shape[1]))
    return np.asarray(sides[0] - sides[1])


def share_between(values: Matrix, names: Values, blocks: NDArray[np.int64]) -> float:
    """Return the share of the variance of block differences that the launches within blocks do not explain; 0 to 1.

    Only that part can be correlated from block to block. The mean over cases (Searle, Casella and McCulloch 1992,
    Variance Components, section 3.6, with the expectation of the inverse of a variance); 1 if no block has two values
    of a sample. Arguments as of `differences_of_blocks`.
    """
    numbers = np.intersect1d(blocks[names == 1], blocks[names == 0])
    squares, freedom, inverse = np.zeros((3, values.shape[1]))
    for number in numbers:
        for name in (1.0, 0.0):
            units = values[(blocks == number) & (names == name)]
            count = _counted(units)
            squares += np.nan_to_num(np.nansum((units - np.nansum(units, axis=0) / count) ** 2, axis=0))
            freedom += np.nan_to_num(count - 1)
            inverse += np.nan_to_num(1 / count)
    differences = differences_of_blocks(values, names, blocks)
    count = (~np.isnan(differences)).sum(axis=0)
    known = (freedom > 0) & (count > 3)
    if not known.any():
        return 1.0
    differences, count = differences[:, known], count[known]
    about = np.nansum((differences - np.nansum(differences, axis=0) / count) ** 2, axis=0) / (count - 3)
    launches = squares[known] / freedom[known] * inverse[known] / count
    explained = np.divide(launches, about, out=np.ones_like(about), where=about > 0)
    return float(min(1.0, max(0.0, 1 - explained.mean())))


def _counted(values: Matrix) -> Values:
    """Return how many values of each column are known; NaN if none."""
    known = (~np.isnan(values)).sum(axis=0)
    return np.where(known > 0, known, np.nan)
