# SPDX-License-Identifier: BSD-3-Clause
"""Names of cases and points in sentences and headings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from isochron.postprocess.formatting import numbers
from isochron.postprocess.reading.inputs import RunInputs
from isochron.schemas.engine.contract import HALVED


def point(row: Mapping[Any, Any]) -> str:
    """`8 processes, 4 per node`; the placement only where it is not the usual one."""
    placement = "" if row["placement"] == "packed" else f", {row['placement']}"
    if row["processes"] == row["processes_per_node"]:
        return f"{numbers.count(row['processes'], 'process', 'processes')} on one node{placement}"
    return f"{row['processes']} processes, {row['processes_per_node']} per node{placement}"


def timed(operation: str) -> str:
    """The operation and what its time is, where that is not the whole run: `ping-pong (half round trip)`."""
    return f"{operation} (half round trip)" if operation in HALVED else operation


def case(row: Mapping[Any, Any], inputs: RunInputs) -> str:
    """`bcast at 8 KiB with 8 processes, 4 per node`; the point only where the campaign has several."""
    name = str(row["operation"])
    if row["bytes"]:
        name += f" at {numbers.size(row['bytes'])}"
    if len(inputs.plan.points) > 1:
        name += f" with {point(row)}"
    return name


def size(row: Mapping[Any, Any]) -> str:
    """`8 KiB`, or a dash where the operation has no data."""
    return numbers.size(row["bytes"]) if row["bytes"] else numbers.NONE


def sizes(values: Iterable[int], measured: list[int]) -> str:
    """`8 B to 64 KiB` for neighbouring measured sizes, else a list; empty for 0 alone."""
    chosen = sorted(set(values))
    places = [sorted(measured).index(value) for value in chosen]
    if chosen == [0]:
        return ""
    if len(chosen) > 2 and places == list(range(places[0], places[-1] + 1)):
        return f"{numbers.size(chosen[0])} to {numbers.size(chosen[-1])}"
    return numbers.listing([numbers.size(value) for value in chosen])
