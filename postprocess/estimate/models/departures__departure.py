# SPDX-License-Identifier: BSD-3-Clause
"""Which algorithm a curve is nearest to, and from which process count on it leaves that model."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Fit:
    """The nearest algorithm. `factor`: measured and model are apart by this much, in the median over the points."""

    algorithm: str
    factor: float
    fits: bool
    also: list[str]


@dataclass(frozen=True)
class Departure:
    """Where a curve leaves its model for good. `ratio`: measured / model there; `outside`: there and further on.

    `worst`: the ratio that is farthest from 1 from there on, at `worst_at` processes; above 1 where any is.
    `processes` 0: it follows the model to the end. `always`: it is nowhere near. `excursions`: process counts at which
    it departs and comes back.
    """

    processes: int = 0
    ratio: float = float("nan")
    outside: bool = False
    worst: float = float("nan")
    worst_at: int = 0
    always: bool = False
    excursions: tuple[int, ...] = ()


def nearest(points: pd.DataFrame, tolerance: float) -> Fit | None:
    """The algorithm whose median over the process counts of |ln(measured / model)| is smallest.

    A median, so that a curve that leaves its model late still has it. Points that do not count, or at which an
    assumption of the model does not hold, take part only where the model has no others. On a tie the plainest
    algorithm is taken, the first of the registry. `points`: `MODEL_POINT_COLUMNS` of one curve.
    """
    scores = {}
    for algorithm, own in points.groupby("algorithm", sort=False):
        chosen = judged(own)
        if len(chosen):
            scores[str(algorithm)] = float(np.log(chosen["ratio"]).abs().median())
    if not scores:
        return None
    best = min(scores, key=lambda algorithm: scores[algorithm])
    near = log(1 + tolerance)
    also = [algorithm for algorithm, score in scores.items() if algorithm != best and score <= near]
    return Fit(best, exp(scores[best]), scores[best] <= near, also)


def judged(points: pd.DataFrame) -> pd.DataFrame:
    """The points of one algorithm by which it is judged.

    `points`: counts, ratio and broken of `MODEL_POINT_COLUMNS`.
    """
    counting = points[points["counts"] & (points["ratio"] > 0)]
    sound = counting[counting["broken"] == ""]
    return sound if len(sound) else counting


def departure(points: pd.DataFrame) -> Departure:
    """From which process count on every point departs from the model. `points`: those of the nearest algorithm."""
    chosen = judged(points).sort_values("processes", kind="stable")
    departs = chosen["departs"].to_numpy(dtype=bool)
    processes = chosen["processes"].tolist()
    stays = np.flatnonzero(~departs)
    first = int(stays[-1]) + 1 if len(stays) else 0
    excursions = tuple(int(p) for p, far in zip(processes[:first], departs[:first], strict=True) if far)
    if first == len(processes):
        return Departure(excursions=excursions)
    gone = chosen["ratio"].to_numpy(dtype=float)[first:]
    worst = int(gone.argmax() if (gone > 1).any() else gone.argmin())
    return Departure(
        processes=int(processes[first]),
        worst=float(gone[worst]),
        worst_at=int(processes[first + worst]),
        ratio=float(chosen["ratio"].iloc[first]),
        outside=bool(chosen["outside"].iloc[first:].all()),
        always=first == 0,
        excursions=excursions,
    )
