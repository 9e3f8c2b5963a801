# SPDX-License-Identifier: BSD-3-Clause
"""Labels (stacks, algorithms) that mean something else in some jobs: they shift while the others of the job do not.

A slow job is slow for all labels; what it does to one label beyond that is small. Of each job the shifts of labels
against the other jobs are compared with each other, and those that lie outside are sought by the generalised extreme
Studentized deviate test (Rosner, Technometrics 25, 1983), which does not miss one outlier for another.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from isochron.stats.launches import Values

#: Labels of a case below which none can be told from the others.
FEWEST_LABELS = 4


@dataclass(frozen=True)
class ChangedLabel:
    """`longer`, `shorter`: the jobs in which it takes longer, and the others that have it; `ratio`: by how much."""

    label: int
    longer: list[int]
    shorter: list[int]
    ratio: float


def changed_labels(values: Values, alpha: float) -> list[ChangedLabel]:
    """Return the labels that changed. `values`: logarithms, (jobs, labels, cases), NaN if missing.

    `alpha`: the probability that any is found where none changed and what jobs do to single labels is normal.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # medians of nothing are NaN
        jobs = range(len(values)) if len(values) > 2 else range(1, len(values))
        found = {label for job in jobs for label in outside(_shifts(values, job), alpha / len(jobs))}
        levels = np.nanmedian(values - np.nanmedian(values, axis=0) - common(values)[:, None], axis=2)  # (J, L)
    return [_split(label, levels[:, label]) for label in sorted(found)]


def common(values: Values) -> Values:
    """Return what a job does to the labels of each case, (J, C): the median of their distances from their levels."""
    return np.asarray(np.nanmedian(values - np.nanmedian(values, axis=0), axis=1))


def _shifts(values: Values, job: int) -> Values:
    """The shift of each label (L,) in a job against the other jobs, beyond what the labels have in common."""
    against = values[job] - np.nanmedian(np.delete(values, job, axis=0), axis=0)
    enough = np.isfinite(against).sum(axis=0) >= FEWEST_LABELS
    own = against[:, enough] - np.nanmedian(against[:, enough], axis=0)
    return np.asarray(np.nanmedian(own, axis=1)) if enough.any() else np.full(len(against), np.nan)


def outside(shifts: Values, alpha: float) -> dict[int, float]:
    """Return the places that lie outside, at most a third of them, each with its p value for all places."""
    left = np.flatnonzero(np.isfinite(shifts))
    removed, p_values = [], []
    for count in range(len(left), len(left) - (len(left) - 1) // 3, -1):
        remaining = shifts[left]
        away = np.abs(remaining - remaining.mean())
        place, spread = int(away.argmax()), float(remaining.std(ddof=1))
        of_rest = (count - 1) ** 2 - count * (away[place] / spread) ** 2 if spread > 0 else np.inf
        studentised = away[place] / spread * np.sqrt(count * (count - 2) / of_rest) if 0 < of_rest < np.inf else 0.0
        studentised = np.inf if of_rest <= 0 else studentised
        removed.append(int(left[place]))
        p_values.append(min(1.0, 2 * count * float(stdtr(count - 2, -studentised))))
        left = np.delete(left, place)
    number = max((place + 1 for place, p_value in enumerate(p_values) if p_value <= alpha), default=0)
    return {label: min(p_values[place:]) for place, label in enumerate(removed[:number])}


def _split(label: int, levels: Values) -> ChangedLabel:
    """Two groups of jobs, apart where the gap between their levels is largest."""
    order = [int(job) for job in np.argsort(levels) if np.isfinite(levels[job])]
    first = int(np.diff(levels[order]).argmax()) + 1
    shorter, longer = sorted(order[:first]), sorted(order[first:])
    return ChangedLabel(label, longer, shorter, float(np.exp(levels[longer].mean() - levels[shorter].mean())))
