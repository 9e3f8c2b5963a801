# SPDX-License-Identifier: BSD-3-Clause
"""Which assumption of a model does not hold where a curve leaves it, as far as the campaign's own data can tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.models import cost_models as registry
from isochron.postprocess.estimate.models.cost_models import Costs, Model
from isochron.postprocess.estimate.models.departures__departure import Departure
from isochron.postprocess.estimate.models.parameters__parameters import Parameters
from isochron.postprocess.formatting import numbers__numbers as numbers

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
    found = [first] if first else []
    if (gone["broken"] == "no power of two").any():
        found.append(Reason("powers-of-two"))
    if parameters.worst_residual > CROOKED:
        worst = numbers.percent(parameters.worst_residual)
        found.append(Reason("protocol", f"off by {worst} at {numbers.size(int(parameters.worst_residual_bytes))}"))
    if parameters.within_node and (gone["processes"] > gone["processes_per_node"]).any():
        found.append(Reason("within-node"))
    if model.bandwidth == "all" and parameters.all_to_all_source.endswith("for want of a sendrecv"):
        found.append(Reason("single-stream"))
    return found


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
    if model.bandwidth != "stream" or not parameters.all_to_all_mb_per_s < parameters.bandwidth_mb_per_s:
        return None
    shared = replace(model, bandwidth="all")
    times = [_time(row, shared, parameters.costs(shared)) for row in gone.to_dict("records")]
    ratios = gone["measured_us"].to_numpy(dtype=float) / times
    if (ratios > 1 + tolerance).any() or (ratios < 1 / (1 + tolerance)).any():
        return None
    return Reason("shared-bandwidth", f"{numbers.significant(parameters.all_to_all_mb_per_s)} MB/s")


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
        found = Reason("latency", f"as if {words}")
    else:
        needed = bytes_alone / (measured - latency) / costs.beta
        usual = numbers.significant(1 / costs.beta)
        words = f"bandwidth were {numbers.significant(needed)} MB/s instead of {usual} MB/s"
        found = Reason("bandwidth", f"as if {words}")
    return found if needed > 0 else None


def _time(row: Mapping[Any, Any], model: Model, costs: Costs, among: int = 0) -> float:
    """Time of the model for a row; `among`: between so many processes, of as many bytes in all."""
    processes = int(row["processes"])
    size = registry.table_bytes(model.operation, int(row["bytes"]), processes)
    return model.time(among or processes, size, costs)
