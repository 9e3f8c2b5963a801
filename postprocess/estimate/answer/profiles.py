# SPDX-License-Identifier: BSD-3-Clause
"""Profiled programs: the measured cases that match a call, and the predicted change of the time in MPI.

Of the time of a use (calls of one kind) the campaign's times of the stack that the program ran under account for a
part: calls × time. The rest may be waiting for processes that come later, which another library does not change, or
calls that took longer in the program than in the campaign (cold buffers, other traffic), which change as the others do.
Both are computed; the interval contains both with their intervals, and the value is half way between them. The error is
the dispersion of the blocks, as in `effect`. Calls that the campaign did not measure are assumed not to change: if they
are more than a small part, nothing is predicted.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log, nan
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.postprocess.estimate.answer.effect import half_width
from isochron.postprocess.ingest.inputs import ALLOCATION, CASE
from isochron.schemas.profile.profile import Profile
from isochron.schemas.profile.uses import Part, Use, uses

#: operation, bytes, processes, processes per node, placement: CASE.
Case = tuple[str, int, int, int, str]

#: A size stands for others up to this factor away.
NEAR = 2.0


def case_of(names: Sequence[Any]) -> Case:
    """A case from the values of its columns (CASE)."""
    operation, size, processes, per_node, placement = names
    return str(operation), int(size), int(processes), int(per_node), str(placement)


def matching_cases(part: Part, cases: Sequence[Case], per_node: int) -> list[tuple[int, float]]:
    """Places in `cases` and their parts, which add up to 1; empty if none stands for the calls.

    A size between two measured ones is put between them by its logarithm. `per_node`: of the program.
    """
    for operation in part.operations:
        same = [place for place, case in enumerate(cases) if (case[0], case[2]) == (operation, part.processes)]
        at_point = _at_one_point(same, cases, min(per_node, part.processes))
        by_size = _of_sizes(part.bytes, {cases[place][1]: place for place in at_point})
        if by_size:
            return by_size
    return []


def _at_one_point(places: list[int], cases: Sequence[Case], per_node: int) -> list[int]:
    """Those with the number of processes per node that is nearest to the program's, in the first placement of it."""
    if not places:
        return []
    best = min(places, key=lambda place: (abs(cases[place][3] - per_node), place))
    return [place for place in places if cases[place][3:] == cases[best][3:]]


def _of_sizes(size: int, places: dict[int, int]) -> list[tuple[int, float]]:
    if size in places:
        return [(places[size], 1.0)]
    below = max((each for each in places if 0 < each < size), default=None)
    above = min((each for each in places if each > size), default=None)
    near = [each for each in (below, above) if each is not None and size and 1 / NEAR <= each / size <= NEAR]
    if not near:
        return []
    if below is None or above is None:
        return [(places[near[0]], 1.0)]
    part = log(size / below) / log(above / below)
    return [(places[below], 1 - part), (places[above], part)]


#: Least part of the time in MPI that measured calls must have, and of that the part that their times account for; and
#: how many times as much they may account for: calls that are so much shorter overlap with something. With half of it
#: explained, intervals held the measured ratio in three of five cases (docs/validation.md).
COVERED, EXPLAINED, OVERLAPPING = 0.8, 0.75, 2.0

#: Widest half of an interval, as a part of the ratio, with which a number is worth saying.
WIDEST = 0.15

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class UseEstimate:
    """A use with what a campaign knows of it, in s of a process. `covered`: of its time, that of measured calls.

    `explained`: what those calls take by the campaign's times. `weights`: case by case of that.
    """

    use: Use
    covered: float
    explained: float
    weights: Numbers


@dataclass(frozen=True)
class Prediction:
    """`ratio`: time in MPI with the candidate over that with the baseline; NaN if `reason` says why there is none.

    `covered`: part of the time in MPI in measured calls; `explained`: of that, the part that their times account for.
    """

    covered: float
    explained: float
    ratio: float = nan
    low: float = nan
    high: float = nan
    blocks: int = 0
    reason: str = ""


@dataclass(frozen=True)
class Sides:
    """Logarithms of the times of two stacks, blocks × cases: µs of the baseline, and candidate less baseline."""

    cases: list[Case]
    baseline: Numbers
    difference: Numbers


def sides(rows: pd.DataFrame, baseline: str, candidate: str) -> Sides:
    """Of the cases that both have in some block. `rows`: as for `effect.pooled`."""
    chosen = rows[rows["stack"].isin([baseline, candidate])]
    logs = chosen.assign(log=np.log(chosen["median_us"])).groupby([*ALLOCATION, *CASE, "stack"])["log"].median()
    both = logs.unstack("stack").reindex(columns=[candidate, baseline]).dropna()
    table = both[baseline].unstack(CASE)
    difference = (both[candidate] - both[baseline]).unstack(CASE).reindex(columns=table.columns)
    cases = [case_of(column) for column in table.columns.to_list()]
    return Sides(cases, table.to_numpy(dtype=np.float64), difference.to_numpy(dtype=np.float64))


def seen(profile: Profile, cases: Sequence[Case], times: Numbers) -> list[UseEstimate]:
    """Each use of a program with what measured cases say of it. `times`: logarithms of µs, for each case."""
    estimates = []
    for use in uses(profile):
        weights = np.zeros(len(cases))
        covered = 0.0
        for part, share in use.shares if not use.reason else []:
            places = matching_cases(part, cases, profile.processes_per_node)
            if places:
                covered += share * use.seconds
                time = np.exp(sum(weight * times[place] for place, weight in places))
                for place, weight in places:
                    weights[place] += 1e-6 * part.calls * weight * time
        estimates.append(UseEstimate(use, covered, float(weights.sum()), weights))
    return estimates


def predict(rows: pd.DataFrame, profile: Profile, baseline: str, candidate: str, confidence: float) -> Prediction:
    """What the candidate would make of a program's time in MPI, which ran under the baseline."""
    both, total = sides(rows, baseline, candidate), profile.mpi_seconds
    if not both.cases or not total:
        return Prediction(0.0, nan, reason="the campaign has no case in which both stacks have a time in one block")
    seen_uses = seen(profile, both.cases, np.nanmean(both.baseline, axis=0))
    covered, explained = sum(each.covered for each in seen_uses), sum(each.explained for each in seen_uses)
    prediction = Prediction(covered / total, explained / covered if covered else nan)
    reason = _obstacle(prediction)
    if reason:
        return Prediction(prediction.covered, prediction.explained, reason=reason)
    stretch = [each.covered / each.explained if each.explained else 0.0 for each in seen_uses]
    least = _sum(each.weights * min(1.0, factor) for each, factor in zip(seen_uses, stretch, strict=True))
    most = _sum(each.weights * factor for each, factor in zip(seen_uses, stretch, strict=True))
    ends = [_change(both.difference, weights / total, confidence) for weights in (least, most)]
    if any(np.isnan(half) for _, half in ends):
        return Prediction(
            prediction.covered, prediction.explained, reason="a case was measured in one block only; measure more"
        )
    ratio = 1 + (ends[0][0] + ends[1][0]) / 2
    low, high = max(0.0, 1 + min(value - half for value, half in ends)), 1 + max(value + half for value, half in ends)
    if high - low > 2 * WIDEST * ratio:
        ends_of = f"{100 * (low - 1):+.2g} to {100 * (high - 1):+.2g} %"
        wide = f"the change could be anything from {ends_of}; measure more blocks"
        return Prediction(prediction.covered, prediction.explained, reason=wide)
    return Prediction(
        covered=prediction.covered,
        explained=prediction.explained,
        ratio=ratio,
        low=low,
        high=high,
        blocks=int((~np.isnan(both.difference)).sum(axis=0).min()),
    )


def _sum(parts: Iterable[Numbers]) -> Numbers:
    """Arrays added up."""
    return np.asarray(np.sum(list(parts), axis=0), dtype=np.float64)


def _obstacle(prediction: Prediction) -> str:
    """Why nothing should be predicted; empty if it may be."""
    if prediction.covered < COVERED:
        return f"only {100 * prediction.covered:.2g} % of the time in MPI is in calls that the campaign measured"
    if prediction.explained < EXPLAINED:
        return (
            f"the times of the campaign account for {100 * prediction.explained:.2g} % of what the calls took: waiting "
            "dominates, or what else the program does to them"
        )
    if prediction.explained > OVERLAPPING:
        return (
            f"by the times of the campaign the calls would take {prediction.explained:.1f} times as long as they did: "
            "they overlap with each other or with the program's own work"
        )
    return ""


def _change(difference: Numbers, weights: Numbers, confidence: float) -> tuple[float, float]:
    """The change of the time as a part of it, and half its interval; NaN if a case that counts has one block."""
    used = weights > 0
    matrix, used_weights = difference[:, used], weights[used]
    ratios = np.exp(np.nanmean(matrix, axis=0))
    if (~np.isnan(matrix)).sum(axis=0).min() < 2:
        return float(used_weights @ (ratios - 1)), nan
    return float(used_weights @ (ratios - 1)), half_width(matrix, used_weights * ratios, confidence)
