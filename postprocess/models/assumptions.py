# SPDX-License-Identifier: BSD-3-Clause
"""Which assumption of a model does not hold where a curve leaves it, as far as the campaign's own data can tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from isochron.postprocess.models import registry
from isochron.postprocess.models.departure import Departure
from isochron.postprocess.models.parameters import GIVEN, Parameters
from isochron.postprocess.models.registry import Costs, Model
from isochron.postprocess.words import numbers

#: A ping-pong this far from its straight line is none.
CROOKED = 0.1


def broken(points: pd.DataFrame, model: Model, left: Departure, parameters: Parameters, tolerance: float) -> list[str]:
    """Assumptions that do not hold. `points`: those of the nearest algorithm, from the departure on."""
    gone = points[(points["processes"] >= left.processes) & points["counts"]]
    at = gone.iloc[0].to_dict()
    inside = "" if parameters.within_node else _inside(gone, model, parameters, tolerance)
    found = [inside or _shared(gone, model, parameters, tolerance) or _term(at, model, parameters.costs(model))]
    if (gone["broken"] == "no power of two").any():
        found.append("the model holds for powers of two only, and process counts are others")
    if parameters.worst_residual > CROOKED:
        found.append(
            f"ping-pong is no straight line (off by {numbers.percent(parameters.worst_residual)} at "
            f"{numbers.size(int(parameters.worst_residual_bytes))}), as where a library changes its protocol"
        )
    if parameters.within_node and (gone["processes"] > gone["processes_per_node"]).any():
        found.append("α and β are those of a ping-pong within a node, and the messages here cross the network")
    if model.bandwidth == "all" and parameters.all_to_all_source.endswith("for want of a sendrecv"):
        found.append("β is that of a single stream for want of a sendrecv, and all processes send at once")
    return [text for text in found if text]


def _inside(gone: pd.DataFrame, model: Model, parameters: Parameters, tolerance: float) -> str:
    """Whether every point is faster than its model, but not than the same among as many processes as there are nodes.

    The model has each message cross the network; some rounds of a tree stay within the nodes.
    """
    for row in gone.to_dict("records"):
        nodes = -(-int(row["processes"]) // int(row["processes_per_node"]))
        if not 1 < nodes < row["processes"]:
            return ""
        between = _time(row, model, parameters.costs(model), nodes)
        if not between / (1 + tolerance) <= row["measured_us"] < row["model_us"]:
            return ""
    at = gone.iloc[0]
    return (
        f"messages between the {int(at['processes_per_node'])} processes of a node do not cross the network, and the "
        "model has all of them cross it; among the nodes alone it is no slower than what was measured"
    )


def _shared(gone: pd.DataFrame, model: Model, parameters: Parameters, tolerance: float) -> str:
    """Whether the model fits once its stream has no more than a process has while all of the node send."""
    if model.bandwidth != "stream" or not parameters.all_to_all_mb_per_s < parameters.bandwidth_mb_per_s:
        return ""
    shared = replace(model, bandwidth="all")
    times = [_time(row, shared, parameters.costs(shared)) for row in gone.to_dict("records")]
    ratios = gone["measured_us"].to_numpy(dtype=float) / times
    if (ratios > 1 + tolerance).any() or (ratios < 1 / (1 + tolerance)).any():
        return ""
    return (
        "bandwidth is shared within the nodes: with the "
        f"{numbers.significant(parameters.all_to_all_mb_per_s)} MB/s that a process has while all send, the model fits"
    )


def _term(at: Mapping[Any, Any], model: Model, costs: Costs) -> str:
    """What the larger term of the model would have to be for it to be right. Nothing can be told of a sum that is not
    linear in α and β (the pipelined chain), nor where the other term alone takes longer than was measured.
    """  # fmt: skip
    time = _time(at, model, costs)
    latency = _time(at, model, replace(costs, beta=0.0, gamma=0.0))
    bytes_alone = _time(at, model, replace(costs, alpha=0.0))
    if abs(latency + bytes_alone - time) > 1e-6 * time:
        return ""
    measured = float(at["measured_us"])
    if latency >= bytes_alone:
        needed = costs.alpha * (measured - bytes_alone) / latency
        share, what = latency / time, f"as if α were {numbers.significant(needed)} µs"
        given = f"instead of {numbers.significant(costs.alpha)} µs"
        name = "the latency of a message"
    else:
        needed = bytes_alone / (measured - latency) / costs.beta
        share, what = bytes_alone / time, f"as if bandwidth were {numbers.significant(needed)} MB/s"
        given = f"instead of {numbers.significant(1 / costs.beta)} MB/s"
        name = "the time of bytes under way"
    if needed <= 0:
        return ""
    return f"{name} is {numbers.percent(share)} of the model there; the curve is {what} {given}"


def _time(row: Mapping[Any, Any], model: Model, costs: Costs, among: int = 0) -> float:
    """Time of the model for a row; `among`: between so many processes, of as many bytes in all."""
    processes = int(row["processes"])
    size = registry.table_bytes(model.operation, int(row["bytes"]), processes)
    return model.time(among or processes, size, costs)


def origin(parameters: Parameters) -> str:
    """Where α and β come from, in words."""
    sources = dict.fromkeys([parameters.alpha_source, parameters.bandwidth_source, parameters.all_to_all_source])
    return GIVEN if list(sources) == [GIVEN] else numbers.listing(list(sources))
