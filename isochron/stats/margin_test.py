# SPDX-License-Identifier: BSD-3-Clause
"""Tests that a difference of two samples is beyond a margin, or is not, by permutation of labels within strata."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from isochron.stats.exact_ranks import mid_ranks
from isochron.stats.launches import Values, matched_columns
from isochron.stats.multiple_tests import Matrix, Tests, permuted_labels
from isochron.stats.shift import Places, not_above

#: Strata as narrow as those at this quantile are quiet ones; one more than `WIDER` times as wide, in which the machine
#: changed, has less weight. Chosen by simulation: regimes of eight launches change within a third of blocks of four.
QUIET, WIDER = 0.3, 2.0

Inside = NDArray[np.bool_]


def beyond(
    sides: tuple[Matrix, Matrix], names: Values, places: Places, margin: float, inside: Inside | None = None
) -> Tests:
    """That the sample named 1 is above, then that it is below, by more than `margin`: 2·C hypotheses.

    `sides`: the values (U, C) of each of the two. `inside`: which values count in each case, (U, C); all, where it is
    not given. They must be known without the names.

    Ranks within strata where these hold two units or more of a sample, as in the test of no difference; of equal rank
    sums the larger difference counts more, or in a few strata one case of a hundred could not stand out. With one unit
    each a rank within the stratum is only a sign, and signed ranks make little of what no other case reaches: in ten
    strata all signs agree by chance in one case of a thousand. So it is the differences themselves. A stratum in which
    the machine changed, so that its units are far wider apart than in the quiet ones, gets less weight, which cuts
    differences, too: names play no part in that. `alone` is of the interval's own test in either case.
    """
    units = [np.concatenate(samples) for samples in places]
    within = bool(np.median([len(stratum) for stratum in units]) > 2)
    scores, alone = [], []
    for side, values in zip((1.0, -1.0), sides, strict=True):
        moved = side * (values - side * margin * names[:, None])
        scores.append(_scores(moved, names, units, inside, within=within))
        alone.append(_alone(moved, places, inside))
    return Tests(np.concatenate(scores, axis=1), names, permuted_labels(names, units), np.concatenate(alone))


def bounded(
    sides: tuple[Matrix, Matrix], names: Values, places: Places, margin: float, inside: Inside | None = None
) -> Tests:
    """That the sample named 1 is not above, then that it is not below, by more than `margin`: 2·C hypotheses.

    `sides`: the values (U, C) of each of the two; the rest as of `beyond`, whose claims these exclude.
    """
    tests = beyond((sides[1], sides[0]), names, places, -margin, inside)
    below, above = np.split(np.arange(tests.scores.shape[1]), 2)
    order = np.concatenate([above, below])
    return replace(tests, scores=tests.scores[:, order], alone=tests.alone[order])


def _alone(values: Matrix, places: Places, inside: Inside | None) -> Values:
    """Return the two-sided p of the test that the interval inverts, of values that count, unweighted. (U, C) → (C,)."""
    p_values = np.ones(values.shape[1])
    for cases, units in matched_columns(np.ones_like(values, dtype=bool) if inside is None else inside):
        parts = [(one[units[one]], other[units[other]]) for one, other in places]
        left = [(one, other) for one, other in parts if len(one) and len(other)]
        if left:
            p_values[cases] = np.minimum(1.0, 2 * not_above(values[:, cases], values[:, cases], left))
    return p_values


def _scores(
    values: Matrix, names: Values, units: list[NDArray[np.intp]], inside: Inside | None, *, within: bool
) -> Matrix:
    """Return scores whose sum over units with label 1 has standard deviation 1 under permutation; (U, C)."""
    scores, variance = np.zeros_like(values), np.zeros(values.shape[1])
    counted = np.ones_like(values, dtype=bool) if inside is None else inside
    for stratum in units:
        scores[stratum] = _about_their_mean(values[stratum], counted[stratum])
    spread = np.stack([np.ptp(scores[stratum], axis=0) for stratum in units])
    weight = _weights(spread, np.stack([counted[stratum].sum(axis=0) for stratum in units]))
    finest = 1 / (1 + max(map(len, units)))  # rank sums differ by this at least
    tie = finest / max(float(np.abs(scores).sum(axis=0).max()), np.finfo(np.float64).tiny)
    for stratum, stratum_weight in zip(units, weight, strict=True):
        ranked = _ranks(scores[stratum], counted[stratum]) + tie * scores[stratum] if within else scores[stratum]
        scores[stratum] = stratum_weight * _about_their_mean(ranked, counted[stratum])
        count, first = len(stratum), float(names[stratum].sum())
        variance += first * (count - first) / (count * (count - 1)) * (scores[stratum] ** 2).sum(axis=0)
    return np.divide(scores, np.sqrt(variance), out=np.zeros_like(scores), where=variance > 0)


def _about_their_mean(values: Matrix, counted: Inside) -> Matrix:
    """Return values of a stratum about the mean of those that count; 0 for the others, and for what is not finite."""
    count = np.maximum(counted.sum(axis=0), 1)
    with np.errstate(invalid="ignore"):
        about = values - np.where(counted, values, 0.0).sum(axis=0) / count
    return np.asarray(np.nan_to_num(np.where(counted, about, 0.0), nan=0.0, posinf=0.0, neginf=0.0))


def _weights(spread: Matrix, counted: NDArray[np.intp]) -> Matrix:
    """Of each stratum, by how far apart its values are: (strata, C). `counted`: how many values it has."""
    spread = np.where(counted > 1, spread, np.nan)
    widest = WIDER * _quantile_of_known(spread, QUIET)
    weight = np.ones_like(spread)
    with np.errstate(invalid="ignore"):
        np.divide(widest, spread, out=weight, where=spread > widest)
    return weight


def _quantile_of_known(values: Matrix, quantile: float) -> Values:
    """Return a quantile of what is not NaN in each column, between the two next to it; NaN if nothing is known."""
    ordered = np.sort(values, axis=0)
    at = quantile * np.maximum(np.count_nonzero(~np.isnan(values), axis=0) - 1, 0)
    below, every = np.floor(at).astype(np.intp), np.arange(values.shape[1])
    low, high, part = ordered[below, every], ordered[np.ceil(at).astype(np.intp), every], at - below
    return np.asarray(np.where(part < 0.5, low + (high - low) * part, high - (high - low) * (1 - part)))


def _ranks(scores: Matrix, counted: Inside) -> Matrix:
    """Return mid-ranks of those that count, between -1/2 and 1/2; 0 for the others."""
    ranks = mid_ranks(np.where(counted, scores, np.inf)) / (counted.sum(axis=0) + 1) - 0.5
    return np.where(counted, ranks, 0.0)
