# SPDX-License-Identifier: BSD-3-Clause
"""Jobs as a random effect: what they, their launches and repetitions add to the spread, and what another job shows.

Model of each case, in logarithms: value i of launch l of job j is μ + job_j + launch_jl + rest_jli, all random. The
components come from the unweighted mean squares of unbalanced data (Thomas and Hultquist, Ann. Stat. 6, 1978; Searle,
Casella and McCulloch, Variance Components, 1992), which are those of the analysis of variance where data are balanced.
Each component is a mean square less another, so its interval is the modified large-sample one (Ting, Burdick, Graybill
and others, J. Stat. Comput. Simul. 35, 1990; Burdick and Graybill, Confidence Intervals on Variance Components, 1992):
it needs no simulation, and is exact where one mean square outweighs the other.

For ratios of two stacks the values are differences of logarithms within a block or job: what a job does to both is not
in them. Where only an interval within each run is known, and not its launches: `pooling`.

A job does the same to many cases, so cases are no further jobs: over cases of equal spread the degrees of freedom are
(J - 1) · (tr Σ)² / tr Σ², with Σ the covariance of cases between jobs and unbiased estimates of both (Bai and
Saranadasa, Stat. Sinica 6, 1996; Srivastava, J. Japan Stat. Soc. 35, 2005): J - 1 where the job is all there is, and C
times as many for C independent cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from math import floor

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, fdtrc, fdtri, stdtrit

from isochron.stats.launches import Index, Values, matched_columns
from isochron.stats.pooling import FINEST

#: Components, outermost first.
STAGES = ("job", "launch", "rest")
#: Minimum number of jobs for a spread that cases lend each other. With three, forecasts covered 86 % instead of 90 %.
POOLED_FROM = 5
#: Least gain in degrees of freedom for which cases pool. Where they vary together there is little to gain, and the test
#: that they have one spread seldom rejects.
WORTH = 2.0
#: Level of the test that cases of a group have one spread.
COMMON = 0.05
#: Degrees of freedom of what is known without error.
MANY = 1e9
#: What is said instead of the forecast of a case with one job.
CANNOT = "cannot forecast: one job"


@dataclass(frozen=True)
class Components:
    """Variances of logarithms with their intervals, by stage (`STAGES`) and case: shapes (3, C); 0 if not above 0.

    `freedom`: degrees of freedom of the stage's mean square; where it is 0 all else is NaN, and the stage is contained
    in the next outer one: with one launch in each job, the job's component is that of job and launch together.
    `pooled`: means over the cases, (3, 1), with the degrees of freedom of one case.
    """

    variance: Values
    low: Values
    high: Values
    freedom: Values
    pooled: Components | None = None


@dataclass(frozen=True)
class _Squares:
    """Each component as a mean square less others, with their degrees of freedom. Shapes (3, C)."""

    plus: Values
    minus: Values
    plus_freedom: Values
    minus_freedom: Values


def components(values: Values, confidence: float) -> Components:
    """Return the components of each case. `values`: logarithms, (jobs, launches, repetitions, C), NaN if missing."""
    squares = _mean_squares(values)
    known = squares.plus_freedom > 0
    with np.errstate(all="ignore"):
        counted = known.sum(axis=1, keepdims=True)
        average = _Squares(*(
            np.where(known, part, 0.0).sum(axis=1, keepdims=True) / counted
            for part in (squares.plus, squares.minus, squares.plus_freedom, squares.minus_freedom)
        ))  # fmt: skip
    return _with_intervals(squares, confidence, _with_intervals(average, confidence, None))


def _with_intervals(squares: _Squares, confidence: float, pooled: Components | None) -> Components:
    ends = _interval(squares, (1 - confidence) / 2)
    variance, low, high = (
        np.where(squares.plus_freedom > 0, np.maximum(each, 0.0), np.nan)
        for each in (squares.plus - squares.minus, *ends)
    )
    return Components(variance, low, high, np.nan_to_num(squares.plus_freedom), pooled)


def _mean_squares(values: Values) -> _Squares:
    known = np.isfinite(values)
    repeated = known.sum(axis=2)  # (J, L, C)
    of_launch = _mean(np.where(known, values, 0.0).sum(axis=2), repeated)
    measured = repeated > 0
    launched = measured.sum(axis=1)  # (J, C)
    of_job = _mean(np.where(measured, of_launch, 0.0).sum(axis=1), launched)
    ran = launched > 0
    jobs = ran.sum(axis=0)  # (C,)
    centre = _mean(np.where(ran, of_job, 0.0).sum(axis=0), jobs)
    freedom = np.stack([
        np.maximum(jobs - 1, 0), launched.sum(axis=0) - jobs, repeated.sum(axis=(0, 1)) - launched.sum(axis=0),
    ]).astype(float)  # fmt: skip
    squared = np.stack(
        [
            (np.where(ran, of_job - centre, 0.0) ** 2).sum(axis=0),
            (np.where(measured, of_launch - of_job[:, None], 0.0) ** 2).sum(axis=(0, 1)),
            (np.where(known, values - of_launch[:, :, None], 0.0) ** 2).sum(axis=(0, 1, 2)),
        ]
    )
    with np.errstate(all="ignore"):
        square = np.where(freedom > 0, squared / freedom, 0.0)
        rarely = np.where(measured, 1 / repeated, 0.0).sum(axis=1)  # (J, C)
        launches_in_job = np.where(ran, 1 / launched, 0.0).sum(axis=0) / jobs
        rest_in_job = np.where(ran, rarely / launched**2, 0.0).sum(axis=0) / jobs
        rest_in_launch = np.where(ran, (1 - 1 / launched) * rarely, 0.0).sum(axis=0) / freedom[1]
        # Without repeated launches the job's mean square is less the rest alone, and its launches stay in it.
        rest_factor = np.where(freedom[1] > 0, rest_in_job - launches_in_job * rest_in_launch, rest_in_job)
    first = np.where(freedom[1] > 0, launches_in_job * square[1], 0.0)
    second = np.where(freedom[2] > 0, rest_factor * square[2], 0.0)
    third = np.where((freedom[1] > 0) & (freedom[2] > 0), rest_in_launch * square[2], 0.0)
    with np.errstate(all="ignore"):  # Satterthwaite
        joint = (first + second) ** 2 / (
            np.where(freedom[1] > 0, first**2 / freedom[1], 0.0) + np.where(freedom[2] > 0, second**2 / freedom[2], 0.0)
        )
    nothing = np.zeros_like(first)
    minus = np.stack([np.maximum(first + second, 0.0), third, nothing])
    minus_freedom = np.stack([joint, freedom[2], nothing])
    usable = np.isfinite(minus_freedom) & (minus_freedom > 0)
    return _Squares(square, minus, freedom, np.where(usable, np.clip(minus_freedom, 1.0, MANY), MANY))


def _mean(total: Values, count: Index) -> Values:
    return np.asarray(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))


def _interval(squares: _Squares, tail: float) -> tuple[Values, Values]:
    """Return the modified large-sample interval of the difference of two mean squares, `tail` on either side."""
    first, second = np.maximum(squares.plus_freedom, 1.0), squares.minus_freedom
    plus, minus = squares.plus, squares.minus

    def upper(freedom: Values, probability: float) -> Values:
        return np.asarray(chdtri(freedom, probability) / freedom)

    above, below = fdtri(first, second, 1 - tail), fdtri(first, second, tail)
    g1, h2 = 1 - 1 / upper(first, tail), 1 / upper(second, 1 - tail) - 1
    h1, g2 = 1 / upper(first, 1 - tail) - 1, 1 - 1 / upper(second, tail)
    g12 = ((above - 1) ** 2 - (g1 * above) ** 2 - h2**2) / above
    h12 = ((1 - below) ** 2 - (h1 * below) ** 2 - g2**2) / below
    lower = (g1 * plus) ** 2 + (h2 * minus) ** 2 + g12 * plus * minus
    higher = (h1 * plus) ** 2 + (g2 * minus) ** 2 + h12 * plus * minus
    difference = plus - minus
    return difference - np.sqrt(np.maximum(lower, 0.0)), difference + np.sqrt(np.maximum(higher, 0.0))


def job_effects(values: Values) -> Values:
    """Return what each job adds to all its cases, (J, C) → (J,): the least squares of case + job.

    `values`: logarithms, NaN if missing. The effects of jobs that are linked by common cases have a mean of 0; NaN: the
    job has no case in common with another one.
    """
    known = np.isfinite(values)
    shared = known & (known.sum(axis=0) > 1)
    counts = shared.sum(axis=0)
    weights = np.divide(1.0, counts, out=np.zeros(len(counts)), where=counts > 0)
    there = np.where(shared, values, 0.0)
    away = np.where(shared, there - there.sum(axis=0) * weights, 0.0).sum(axis=1)
    linked = np.diag(shared.sum(axis=1)) - (shared * weights) @ shared.T
    effects = np.linalg.pinv(linked, hermitian=True) @ away
    return np.where(shared.any(axis=1), effects, np.nan)


class Rule(IntEnum):
    """Where a forecast is from."""

    #: One job or none: there is no forecast.
    NONE = 0
    #: Student's t with the spread of the case.
    CASE = 1
    #: Student's t with the spread that the cases of the group have in common.
    POOLED = 2
    #: Order statistics: whatever jobs are drawn from.
    ORDER = 3
    #: Student's t with the spread of earlier jobs and of these.
    EARLIER = 4
    #: Student's t as without earlier jobs, since these differ by more.
    WIDER = 5


@dataclass(frozen=True)
class Spread:
    """Variance of logarithms between jobs, and its degrees of freedom; shapes (C,); 0 and 0 where nothing is known."""

    variance: Values
    freedom: Values


@dataclass(frozen=True)
class Forecast:
    """Where the value of each case lies in another job. Shapes (C,); ends are NaN without a forecast.

    `jobs`: with a value. `freedom`: degrees of freedom; NaN if not of Student's t. `rule`: values of `Rule`.
    """

    jobs: NDArray[np.intp]
    centre: Values
    low: Values
    high: Values
    freedom: Values
    rule: NDArray[np.intp]

    def why(self, case: int) -> str:
        """Return why a case has no forecast; empty if it has one."""
        if self.rule[case] != Rule.NONE:
            return ""
        return CANNOT if self.jobs[case] else "cannot forecast: no job"


def jobs_for_order(probability: float) -> int:
    """Return the minimum number of jobs whose range has the next one with that probability: (J - 1)/(J + 1)."""
    return int(np.ceil(round((1 + probability) / (1 - probability), 6)))


def forecast(
    values: Values, probability: float, groups: NDArray[np.intp] | None = None, earlier: Spread | None = None
) -> Forecast:
    """`values`: logarithms, one for each job and case (J, C), NaN if missing. `groups`: (C,), cases that may pool.

    The forecast is of a job with as many launches as those. With `jobs_for_order` jobs it is from order statistics;
    with fewer it is mean ± t·s·√(1 + 1/J). Cases of a group that are in the same jobs share one spread from
    `POOLED_FROM` jobs on, if that gives at least `WORTH` times the degrees of freedom, and unless the spread of one of
    them is seen not to be that of the others. A case whose spread is larger, unseen, is covered less often.

    `earlier`: what other jobs show of the spread of each case (`job_prior`), a scaled inverse chi-square prior: s² is
    then the mean of both variances by degrees of freedom (Gelman et al., Bayesian Data Analysis, 2013, 2.6), unless
    that of these jobs is larger at the level `COMMON`.
    """
    cases = values.shape[1]
    known = np.isfinite(values)
    jobs = np.asarray(known.sum(axis=0), dtype=np.intp)
    centre, low, high, freedom = np.full((4, cases), np.nan)
    rule = np.full(cases, Rule.NONE, dtype=np.intp)
    member = np.arange(cases) if groups is None else groups
    for columns, rows in matched_columns(known):
        count = int(rows.sum())
        if count == 0:
            continue
        there = values[np.ix_(rows, columns)]
        centre[columns] = there.mean(axis=0)
        if count >= jobs_for_order(probability):
            ordered = np.sort(there, axis=0)
            outside = floor(round((count + 1) * (1 - probability) / 2, 6))
            low[columns], high[columns] = ordered[outside - 1], ordered[count - outside]
            centre[columns], rule[columns] = np.median(there, axis=0), Rule.ORDER
            continue
        spread, rule[columns] = _spread_of(there - centre[columns], member[columns])
        if earlier is not None:
            before = Spread(earlier.variance[columns], earlier.freedom[columns])
            spread, rule[columns] = _with_earlier(spread, rule[columns], before)
        given = spread.freedom > 0
        degrees = np.where(given, spread.freedom, np.nan)
        variance = np.maximum(spread.variance, FINEST**2) * (1 + 1 / count)
        half = np.where(given, stdtrit(degrees, (1 + probability) / 2) * np.sqrt(variance), np.nan)
        low[columns], high[columns], freedom[columns] = centre[columns] - half, centre[columns] + half, degrees
    return Forecast(jobs, centre, low, high, freedom, rule)


def _spread_of(away: Values, member: Index) -> tuple[Spread, Index]:
    """Return the spread of cases of the same jobs, and its rule. `away`: (J, C), less the mean over the jobs."""
    count, cases = away.shape
    if count < 2:
        return Spread(np.zeros(cases), np.zeros(cases)), np.full(cases, Rule.NONE, dtype=np.intp)
    variance, degrees = (away**2).sum(axis=0) / (count - 1), np.full(cases, count - 1.0)
    rule = np.full(cases, Rule.CASE, dtype=np.intp)
    for group in np.unique(member):
        together = np.flatnonzero(member == group)
        if len(together) > 1 and count >= POOLED_FROM and has_one_spread(variance[together], degrees[together]):
            shared = pooled_freedom(away[:, together])
            if shared >= WORTH * (count - 1):
                degrees[together], variance[together] = shared, variance[together].mean()
                rule[together] = Rule.POOLED
    return Spread(variance, degrees), rule


def _with_earlier(spread: Spread, rule: Index, earlier: Spread) -> tuple[Spread, Index]:
    """Return the spread with that of earlier jobs where this is known and not exceeded, and its rule."""
    known = earlier.freedom > 0
    freedom = np.where(known, earlier.freedom, 1.0)
    ratio = spread.variance / np.maximum(np.where(known, earlier.variance, 1.0), FINEST**2)
    wider = known & (spread.freedom > 0) & (fdtrc(np.maximum(spread.freedom, 1.0), freedom, ratio) < COMMON)
    used = known & ~wider
    total = spread.freedom + np.where(used, earlier.freedom, 0.0)
    summed = spread.freedom * spread.variance + np.where(used, earlier.freedom * earlier.variance, 0.0)
    mean = np.divide(summed, total, out=np.zeros_like(total), where=total > 0)
    return Spread(mean, total), np.where(used, Rule.EARLIER, np.where(wider, Rule.WIDER, rule))


def has_one_spread(variance: Values, freedom: Values) -> bool:
    """Whether variances are as chi-square variables of one scale; those that depend on each other differ less."""
    mean = float(np.average(variance, weights=freedom))
    relative = freedom * variance / max(mean, np.finfo(float).tiny)
    tail = COMMON / (2 * len(variance))
    return bool((relative >= chdtri(freedom, 1 - tail)).all() and (relative <= chdtri(freedom, tail)).all())


def pooled_freedom(away: Values) -> float:
    """Return the degrees of freedom of the mean variance of C cases. `away`: (J, C), less the mean over the jobs."""
    jobs, cases = away.shape
    freedom = jobs - 1
    between = away @ away.T / freedom  # has the trace, and that of the square, of the covariance of cases
    trace, squared = float(np.trace(between)), float((between**2).sum())
    square = max(freedom**2 / ((freedom - 1) * (freedom + 2)) * (squared - trace**2 / freedom), trace**2 / cases)
    return float(freedom * np.clip((trace**2 - 2 / freedom * square) / square, 1.0, cases)) if square > 0 else freedom
