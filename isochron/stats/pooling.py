# SPDX-License-Identifier: BSD-3-Clause
"""The run as a random effect: a mean over runs, how much runs differ, and where a further run will lie.

Model: the value of run i is μ + u_i + e_i, u_i of variance τ² between runs, e_i of the known variance v_i within one.
τ² by restricted maximum likelihood (Viechtbauer, J. Educ. Behav. Stat. 30, 2005, 261-293; iteration (A1) there, which
begins with the moments of DerSimonian and Laird, Control. Clin. Trials 7, 1986, 177-188); the interval of μ by
Student's t with the weighted spread of the runs (Hartung and Knapp, Stat. Med. 20, 2001, 3875-3889), never narrower
than that without it (Röver, Knapp and Friede, BMC Med. Res. Methodol. 15, 2015, 99); the interval of the value of
a further run with k - 2 degrees of freedom (Higgins, Thompson and Spiegelhalter, J. R. Stat. Soc. A 172, 2009);
the mean variance within the runs is added there, as a further run has an error of its own.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, stdtrit

from isochron.stats.launches import Values

#: The smallest standard deviation within a run: values that agree to the last digit are not known more exactly.
FINEST = 1e-6
#: Steps of the iteration, and the change of τ² (relative to the largest variance) below which it has ended.
STEPS, CLOSE = 500, 1e-9


@dataclass(frozen=True)
class Pooled:
    """Shapes (S,). `low`, `high`: interval of the mean; `tau`: standard deviation between runs.

    `next_low`, `next_high`: where the value of a further run will lie; `matched_p`: p value of Cochran's Q that
    runs differ by what they show within themselves alone. NaN if there are too few runs: two for an interval, three
    for a further run.
    """

    runs: NDArray[np.intp]
    mean: Values
    low: Values
    high: Values
    tau: Values
    next_low: Values
    next_high: Values
    matched_p: Values


def random_effect(values: Values, variances: Values, confidence: float) -> Pooled:
    """Pool S series over T runs. `values`, `variances`: shapes (T, S), NaN if a run has no value.

    A variance that is not known is taken to be the median of those of the other runs, or none if no run has one.
    """
    there = np.isfinite(values)
    filled = np.where(there, values, 0.0)
    within = np.where(there, np.maximum(_completed(variances, there), FINEST**2), np.inf)
    count = there.sum(axis=0)
    tau2 = _between(filled, within, there)
    mean, total = _mean(filled, within, tau2)
    spread = ((filled - mean) ** 2 / (within + tau2)).sum(axis=0)
    with np.errstate(all="ignore"):
        variances_ = np.where(count > 1, spread / (count - 1), np.nan)
        se2 = np.maximum(1.0, variances_) / total
        own_error = np.where(there, within, 0.0).sum(axis=0) / count
        half = stdtrit(np.where(count > 1, count - 1.0, np.nan), (1 + confidence) / 2) * np.sqrt(se2)
        wide = stdtrit(np.where(count > 2, count - 2.0, np.nan), (1 + confidence) / 2) * np.sqrt(tau2 + se2 + own_error)
        alike = np.where(count > 1, chdtrc(count - 1.0, _q(filled, within)), np.nan)
    mean = np.where(count > 0, mean, np.nan)
    tau = np.where(count > 1, np.sqrt(tau2), np.nan)
    return Pooled(count, mean, mean - half, mean + half, tau, mean - wide, mean + wide, alike)


def _completed(variances: Values, there: NDArray[np.bool_]) -> Values:
    """Return the variances; what is missing is the median of the series, or 0."""
    finite = np.isfinite(variances) & there
    usual = np.zeros(variances.shape[1])
    some = finite.any(axis=0)
    usual[some] = np.nanmedian(np.where(finite, variances, np.nan)[:, some], axis=0)
    return np.where(finite, variances, usual)


def _mean(values: Values, within: Values, tau2: Values) -> tuple[Values, Values]:
    """Return the weighted mean, and the sum of its weights 1/(v + τ²)."""
    weights = 1 / (within + tau2)
    total = weights.sum(axis=0)
    with np.errstate(invalid="ignore"):
        return (weights * values).sum(axis=0) / total, total


def _q(values: Values, within: Values) -> Values:
    """Return Cochran's Q: the weighted squares of the deviations, were there no variance between runs."""
    mean, _ = _mean(values, within, np.zeros(values.shape[1]))
    return np.asarray(((values - mean) ** 2 / within).sum(axis=0))


def _between(values: Values, within: Values, there: NDArray[np.bool_]) -> Values:
    """Return τ² by restricted maximum likelihood."""
    count = there.sum(axis=0)
    with np.errstate(all="ignore"):
        weights = 1 / within
        total = weights.sum(axis=0)
        moments = (_q(values, within) - (count - 1)) / (total - (weights**2).sum(axis=0) / total)
        tau2 = np.where(count > 1, np.maximum(0.0, moments), 0.0)
        largest = np.where(there, np.maximum(within, (values - _mean(values, within, tau2)[0]) ** 2), 0).max(axis=0)
        for _ in range(STEPS):
            weights = 1 / (within + tau2)
            mean, total = _mean(values, within, tau2)
            squares = np.where(there, weights**2 * ((values - mean) ** 2 - within), 0.0).sum(axis=0)
            fresh = np.maximum(0.0, squares / (weights**2).sum(axis=0) + 1 / total)
            fresh = np.where(count > 1, fresh, 0.0)
            ended = np.abs(fresh - tau2) <= CLOSE * largest
            tau2 = fresh
            if ended.all():
                break
    return tau2
