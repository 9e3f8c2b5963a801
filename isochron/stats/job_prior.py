# SPDX-License-Identifier: BSD-3-Clause
"""The spread between jobs that earlier runs show, as a prior for a run of one job or few.

A series is a case in the jobs of earlier runs. Cases of a group (an operation at one point and of similar size) have
one spread if the series of the group are seen to; its degrees of freedom are those of `job_components.pooled_freedom`,
and of series in other jobs they add up. A case whose group does not has that of its series in the archive, if any.
"""

import numpy as np
from numpy.typing import NDArray

from isochron.stats.job_components import POOLED_FROM, WORTH, Spread, has_one_spread, pooled_freedom
from isochron.stats.launches import Index, Values, matched_columns


def spread_before(values: Values, groups: Index, series: Index, members: Index) -> tuple[Spread, NDArray[np.bool_]]:
    """Return the spread of C cases between earlier jobs, and which series each rests on, (C, S).

    `values`: logarithms in T jobs of S series, (T, S), NaN if missing; `groups`: the group of each series, (S,).
    `series`, `members`: of each case its series, -1 for none, and its group, (C,).
    """
    known = np.isfinite(values)
    jobs = known.sum(axis=0)
    freedom = np.maximum(jobs - 1.0, 0.0)
    with np.errstate(all="ignore"):
        away = np.where(known, values - np.where(known, values, 0.0).sum(axis=0) / jobs, 0.0)
        variance = np.where(freedom > 0, (away**2).sum(axis=0) / freedom, 0.0)
    single = series >= 0
    found = Spread(
        np.where(single, variance[series] if len(jobs) else 0.0, 0.0),
        np.where(single, freedom[series] if len(jobs) else 0.0, 0.0),
    )
    rests = np.zeros((len(series), len(jobs)), dtype=bool)
    rests[np.flatnonzero(single), series[single]] = True
    for group in np.unique(members):
        columns = np.flatnonzero((groups == group) & (freedom > 0))
        cases = np.flatnonzero(members == group)
        shared = _of_group(away[:, columns], known[:, columns])
        if shared is None:
            continue
        mean, degrees, chosen = shared
        better = cases[degrees >= np.where(found.freedom[cases] > 0, WORTH * found.freedom[cases], 0.0)]
        found.variance[better], found.freedom[better] = mean, degrees
        rests[better] = np.isin(np.arange(len(jobs)), columns[chosen])
    return found, rests


def _of_group(away: Values, known: NDArray[np.bool_]) -> tuple[float, float, Index] | None:
    """Return the common variance of series, its degrees of freedom, and the series that it is of.

    None if there is none, or their spread is not one. Of series in overlapping jobs those with the most degrees count.
    """
    parts = []
    for columns, rows in matched_columns(known):
        part = away[np.ix_(rows, columns)]
        squares = (part**2).sum(axis=0) / (len(part) - 1)
        degrees = pooled_freedom(part) if len(part) >= POOLED_FROM else float(len(part) - 1)
        parts.append((degrees, rows, columns, squares))
    taken = np.zeros(len(away), dtype=bool)
    chosen, variances, freedoms, total, weighted = [], [], [], 0.0, 0.0
    for degrees, rows, columns, squares in sorted(parts, key=lambda part: -part[0]):
        if (taken & rows).any():
            continue
        taken |= rows
        chosen.append(columns)
        variances.append(squares)
        freedoms.append(np.full(len(columns), rows.sum() - 1.0))
        total, weighted = total + degrees, weighted + degrees * float(squares.mean())
    if not chosen or not has_one_spread(np.concatenate(variances), np.concatenate(freedoms)):
        return None
    return weighted / total, total, np.concatenate(chosen)
