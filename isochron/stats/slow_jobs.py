# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that are slow or fast for all labels (stacks, algorithms), against the other jobs of one campaign.

What a job does is the median over labels of their shifts, each of which is a median over cases. From five jobs on the
jobs themselves show what is usual between jobs: those that lie outside are sought by the generalised extreme
Studentized deviate test (Rosner 1983). Fewer jobs cannot show that: the one that is furthest from the others is set
against what labels differ by within jobs (Student's t, Bonferroni over jobs), so that it is named for what it was.
A job is named only if all its labels shift to that side, each at least by `ALIKE` of what they have in common.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from isochron.stats.changed_labels import changed_labels, outside
from isochron.stats.launches import Index, Values

#: Jobs from which on they show what is usual between jobs.
FEWEST_JOBS = 5
#: Share of the common shift (logarithm) that each label has to have.
ALIKE = 0.5


@dataclass(frozen=True)
class OddJob:
    """`job`: its index; `ratio`: its times over those of the other jobs, for all labels; `p_value`: for all jobs."""

    job: int
    ratio: float
    p_value: float


def odd_jobs(values: Values, blocks: Values, job_of_block: Index, alpha: float) -> list[OddJob]:
    """Return the jobs that are slow or fast for all labels, in their order.

    `values`: logarithms, (jobs, labels, cases), NaN if missing; `blocks`: the same of blocks, with the job of each.
    `alpha`: the probability that any is named, from five jobs on if jobs spread normally, and of fewer if they do not
    differ. One label cannot tell a job from a label.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # medians of nothing are NaN
        levels = np.nanmedian(values, axis=0)
        shared = np.isfinite(values).sum(axis=0) > 1
        shifts = np.nanmedian(np.where(shared, values - levels, np.nan), axis=2)
        compared = np.isfinite(shifts).sum(axis=1) > 1
        known = np.flatnonzero(compared)
        if len(known) >= FEWEST_JOBS:
            stages = (len(known) - 1) // 3  # each of the test's stages has a part of alpha
            named = outside(np.where(compared, np.nanmedian(shifts, axis=1), np.nan), alpha / stages)
            named = {job: stages * p_value for job, p_value in named.items()}
        elif len(known) > 1:
            of_block = np.nanmedian(np.nanmedian(blocks - levels, axis=2), axis=1)
            changed = [change.label for change in changed_labels(values, alpha)]
            by_job = [of_block[job_of_block == job] for job in known]
            named = _furthest(np.delete(shifts[known], changed, axis=1), by_job, alpha)
            named = {int(known[job]): p_value for job, p_value in named.items()}
        else:
            named = {}
        away = shifts - np.nanmedian(np.delete(shifts, list(named), axis=0), axis=0)
        lines = []
        for job, p_value in sorted(named.items()):
            shift = float(np.nanmedian(away[job]))
            of_labels = away[job][np.isfinite(away[job])]
            if (np.sign(shift) * of_labels >= ALIKE * abs(shift)).all():
                lines.append(OddJob(job, float(np.exp(shift)), p_value))
    return lines


def _furthest(shifts: Values, of_block: list[Values], alpha: float) -> dict[int, float]:
    """Return the job (of few) that is furthest from the others with its p value; empty if that is not established.

    `shifts`: (jobs, labels). p is the larger one of what labels and what blocks of a job differ by.
    """
    shifts = shifts[:, np.isfinite(shifts).all(axis=0)]
    jobs, labels = shifts.shape
    if labels < 2:
        return {}
    of_job = shifts.mean(axis=1)
    distances = np.array([of_job[job] - np.delete(of_job, job).mean() for job in range(jobs)])
    # Of two the slower one; rounding has no part in it.
    job = int(np.lexsort((-distances, -np.round(np.abs(distances), 12)))[0])
    distance, rest = float(distances[job]), np.delete(of_job, job)
    if np.abs(of_job[job] - rest).min() < ALIKE * abs(distance):
        return {}
    left = shifts - of_job[:, None] - shifts.mean(axis=0) + of_job.mean()
    freedom = (jobs - 1) * (labels - 1)
    p_values = [_p_value(distance, (left**2).sum() / freedom, np.full(jobs, labels), job, freedom)]
    within = [values[np.isfinite(values)] for values in of_block]
    counts = np.array([len(values) for values in within])
    if (counts > 1).any() and counts.all():
        squares = sum(float(((values - values.mean()) ** 2).sum()) for values in within)
        freedom = int(counts.sum()) - jobs
        p_values.append(_p_value(distance, squares / freedom, counts, job, freedom))
    p_value = min(1.0, jobs * max(p_values))
    return {job: p_value} if p_value <= alpha else {}


def _p_value(distance: float, variance: float, counts: Index, job: int, freedom: int) -> float:
    """Return the p value (two-sided) of a job's distance from the mean of the others; `counts`: values by job."""
    weights = np.full(len(counts), 1 / (len(counts) - 1) ** 2)
    weights[job] = 1.0
    error = float(np.sqrt(variance * (weights / counts).sum()))
    return 2 * float(stdtr(freedom, -abs(distance) / error)) if error > 0 else float(distance == 0)
