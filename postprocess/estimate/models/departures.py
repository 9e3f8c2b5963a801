# SPDX-License-Identifier: BSD-3-Clause
"""Where a curve departs from its nearest model, and which assumption does not hold there."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import exp, log
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.models import cost_models as registry
from isochron.postprocess.estimate.models.cost_models import Costs, Model
from isochron.postprocess.estimate.models.curves import SERIES
from isochron.postprocess.estimate.models.parameters import Parameters
from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import KEYS


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

    `worst`: the ratio that is farthest from 1 from there on, at `worst_at` processes; above 1 if any is.
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
    assumption of the model does not hold, take part only where the model has no others. On a tie the algorithm that
    libraries choose at this size is taken, else the plainest, the first of the registry. `points`:
    `MODEL_POINT_COLUMNS` of one curve.
    """
    scores = {}
    by_size = set(points.loc[points["chosen"].astype(bool), "algorithm"])
    for algorithm, algorithm_points in points.groupby("algorithm", sort=False):
        chosen = judged(algorithm_points)
        if len(chosen):
            scores[str(algorithm)] = float(np.log(chosen["ratio"]).abs().median())
    if not scores:
        return None
    best = min(scores, key=lambda algorithm: (scores[algorithm], algorithm not in by_size))
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


#: A ping-pong this far from its straight line is none.
CROOKED = 0.1

#: Why a curve may leave its model, by the word that tables have for it.
REASONS = {
    "inside-node": "messages between the processes of a node do not cross the network, and the model has all of them "
    "cross it; among the nodes alone it is no slower than what was measured",
    "shared-bandwidth": "bandwidth is shared within the nodes: with the bandwidth that a process has while all send, "
    "the model fits",
    "latency": "the latency of a message is the larger part of the model there, and is another one in the curve",
    "bandwidth": "the time of bytes under way is the larger part of the model there, and is another one in the curve",
    "powers-of-two": "the model holds for powers of two only, and process counts are others",
    "protocol": "ping-pong is no straight line, as where a library changes its protocol",
    "within-node": "α and β are those of a ping-pong within a node, and the messages here cross the network",
    "single-stream": "β is that of a single stream for want of a sendrecv, and all processes send at once",
}


@dataclass(frozen=True)
class Reason:
    """An assumption that does not hold: a key of `REASONS`, and what the curve says of it in numbers."""

    kind: str
    figures: str = ""

    @property
    def text(self) -> str:
        """Both as part of a sentence."""
        return f"{REASONS[self.kind]} ({self.figures})" if self.figures else REASONS[self.kind]


def broken(
    points: pd.DataFrame, model: Model, left: Departure, parameters: Parameters, tolerance: float
) -> list[Reason]:
    """Assumptions that do not hold. `points`: those of the nearest algorithm, from the departure on."""
    gone = points[(points["processes"] >= left.processes) & points["counts"]]
    at = gone.iloc[0].to_dict()
    inside = None if parameters.within_node else _inside(gone, model, parameters, tolerance)
    first = inside or _shared(gone, model, parameters, tolerance) or _term(at, model, parameters.costs(model))
    reasons = [first] if first else []
    if (gone["broken"] == "no power of two").any():
        reasons.append(Reason("powers-of-two"))
    if parameters.worst_residual > CROOKED:
        worst = numbers.percent(parameters.worst_residual)
        reasons.append(Reason("protocol", f"off by {worst} at {numbers.size(int(parameters.worst_residual_bytes))}"))
    if parameters.within_node and (gone["processes"] > gone["processes_per_node"]).any():
        reasons.append(Reason("within-node"))
    if model.bandwidth == "imb" and parameters.imb_source.endswith("for want of a sendrecv"):
        reasons.append(Reason("single-stream"))
    return reasons


def _inside(gone: pd.DataFrame, model: Model, parameters: Parameters, tolerance: float) -> Reason | None:
    """Whether every point is faster than its model, but not than the same among as many processes as there are nodes.

    The model has each message cross the network; some rounds of a tree stay within the nodes.
    """
    for row in gone.to_dict("records"):
        nodes = -(-int(row["processes"]) // int(row["processes_per_node"]))
        if not 1 < nodes < row["processes"]:
            return None
        between = _time(row, model, parameters.costs(model), nodes)
        if not between / (1 + tolerance) <= row["measured_us"] < row["model_us"]:
            return None
    return Reason("inside-node", f"{int(gone.iloc[0]['processes_per_node'])} processes per node")


def _shared(gone: pd.DataFrame, model: Model, parameters: Parameters, tolerance: float) -> Reason | None:
    """Whether the model fits once its stream has no more than a process has while all of the node send."""
    if model.bandwidth != "one_way" or not parameters.imb_mb_per_s < parameters.one_way_mb_per_s:
        return None
    shared = replace(model, bandwidth="imb")
    times = [_time(row, shared, parameters.costs(shared)) for row in gone.to_dict("records")]
    ratios = gone["measured_us"].to_numpy(dtype=float) / times
    if (ratios > 1 + tolerance).any() or (ratios < 1 / (1 + tolerance)).any():
        return None
    return Reason("shared-bandwidth", f"{numbers.significant(parameters.imb_mb_per_s)} MB/s")


def _term(at: Mapping[Any, Any], model: Model, costs: Costs) -> Reason | None:
    """What the larger term of the model would have to be for it to be right. Nothing can be told of a sum that is not
    linear in α and β (the pipelined chain), nor where the other term alone takes longer than was measured.
    """  # fmt: skip
    time = _time(at, model, costs)
    latency = _time(at, model, replace(costs, beta=0.0, gamma=0.0))
    bytes_alone = _time(at, model, replace(costs, alpha=0.0))
    if abs(latency + bytes_alone - time) > 1e-6 * time:
        return None
    measured = float(at["measured_us"])
    if latency >= bytes_alone:
        needed = costs.alpha * (measured - bytes_alone) / latency
        words = f"α were {numbers.significant(needed)} µs instead of {numbers.significant(costs.alpha)} µs"
        reason = Reason("latency", f"as if {words}")
    else:
        needed = bytes_alone / (measured - latency) / costs.beta
        usual = numbers.significant(1 / costs.beta)
        words = f"bandwidth were {numbers.significant(needed)} MB/s instead of {usual} MB/s"
        reason = Reason("bandwidth", f"as if {words}")
    return reason if needed > 0 else None


def _time(row: Mapping[Any, Any], model: Model, costs: Costs, among: int = 0) -> float:
    """Time of the model for a row; `among`: between so many processes, of as many bytes in all."""
    processes = int(row["processes"])
    size = registry.table_bytes(model.operation, int(row["bytes"]), processes)
    return model.time(among or processes, size, costs)


#: Columns of `model-departures.csv`: a line for each curve that leaves its model, the worst first.
DEPARTURE_COLUMNS = {
    "rank": "place in the ranking: slower than the model first; of these, shown by the intervals first; then by size",
    **{name: KEYS[name] for name in SERIES},
    "direction": "`slower` or `faster` than the model",
    "algorithm": "algorithm of the nearest model",
    "from_processes": "process count from which on all points depart",
    "nowhere": "whether that is the smallest one: the curve follows no model",
    "worst_processes": "process count at which it is farthest from the model, of those",
    "times": "by what factor it is slower or faster there; above 1",
    "measured_over_model": "measured / model there",
    "outside": "whether the model lies outside the intervals of the measurements from `from_processes` on",
    "reasons": "why, as far as the data show: words of `models.csv`, separated by semicolons",
    "as_if": "what the curve says of these in numbers, separated by semicolons",
}


def departures(curves: pd.DataFrame) -> pd.DataFrame:
    """`DEPARTURE_COLUMNS`. `curves`: `MODEL_COLUMNS`."""
    gone = curves[curves["leaves_at"].notna() & curves["worst_factor"].notna()]
    ratio = gone["worst_factor"].to_numpy(dtype=np.float64)
    table = gone[SERIES].assign(
        direction=np.where(ratio > 1, "slower", "faster"),
        algorithm=gone["algorithm"],
        from_processes=gone["leaves_at"].astype("int64"),
        nowhere=gone["leaves_at"] == gone["smallest"],
        worst_processes=gone["worst_at"].astype("int64"),
        times=np.exp(np.abs(np.log(ratio))),
        measured_over_model=ratio,
        outside=gone["leaves_outside"].astype(bool),
        reasons=gone["reasons"].fillna(""),
        as_if=gone["as_if"].fillna(""),
    )
    order = ["direction", "outside", "times"]  # `slower` comes after `faster` in the alphabet
    table = table.sort_values(order, ascending=False, kind="stable", ignore_index=True)
    return table.assign(rank=np.arange(1, len(table) + 1))[list(DEPARTURE_COLUMNS)]
