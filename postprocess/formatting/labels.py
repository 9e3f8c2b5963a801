# SPDX-License-Identifier: BSD-3-Clause
"""Names of cases and points in sentences and headings, and the note at simulated numbers."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.schemas.engine.contract import HALVED
from isochron.stats.job_components import CANNOT


def point(row: Mapping[Any, Any]) -> str:
    """`8 processes, 4 per node`; the placement only where it is not the usual one."""
    placement = "" if row["placement"] == "packed" else f", {row['placement']}"
    if row["processes"] == row["processes_per_node"]:
        return f"{numbers.count(row['processes'], 'process', 'processes')} on one node{placement}"
    return f"{row['processes']} processes, {row['processes_per_node']} per node{placement}"


def timed(operation: str) -> str:
    """The operation and what its time is, if it is not the whole run: `ping-pong (half round trip)`."""
    return f"{operation} (half round trip)" if operation in HALVED else operation


def case(row: Mapping[Any, Any], inputs: RunInputs) -> str:
    """`bcast at 8 KiB with 8 processes, 4 per node`; the point only if the campaign has several."""
    name = str(row["operation"])
    if row["bytes"]:
        name += f" at {numbers.size(row['bytes'])}"
    if len(inputs.plan.points) > 1:
        name += f" with {point(row)}"
    return name


def size(row: Mapping[Any, Any]) -> str:
    """`8 KiB`, or a dash if the operation has no data."""
    return numbers.size(row["bytes"]) if row["bytes"] else numbers.NONE


def another_job(row: Mapping[Any, Any]) -> str:
    """`[1.1; 1.4]`, where the ratio lies in another job, or that one job does not show it; empty if no job is known.

    `row`: with jobs, next_low and next_high.
    """
    if row["next_low"] > 0:
        return numbers.ratio_interval(row["next_low"], row["next_high"])
    return CANNOT if row["jobs"] == 1 else ""


def from_earlier(runs: int) -> str:
    """`, and the spread between jobs of 20 earlier runs`: what a forecast also rests on; empty without these."""
    return f", and the spread between jobs of {numbers.count(runs, 'earlier run')}" if runs else ""


def odd_job(ratio: float) -> str:
    """`slow job (all stacks), not a library`: a job in which the times of all stacks have this ratio to others."""
    return f"{'slow' if ratio > 1 else 'fast'} job (all stacks), not a library"


def sizes(values: Iterable[int], measured: list[int]) -> str:
    """`8 B to 64 KiB` for neighbouring measured sizes, else a list; empty for 0 alone."""
    chosen = sorted(set(values))
    places = [sorted(measured).index(value) for value in chosen]
    if chosen == [0]:
        return ""
    if len(chosen) > 2 and places == list(range(places[0], places[-1] + 1)):
        return f"{numbers.size(chosen[0])} to {numbers.size(chosen[-1])}"
    return numbers.listing([numbers.size(value) for value in chosen])


def simulation(launches: pd.DataFrame) -> str:
    """`simulated (…)` with simulator, network model, selectors and machine; empty if no launch was.

    `launches`: simulated and simulation.
    """
    rows = launches[launches["simulated"]]
    if not len(rows):
        return ""
    facts: dict[str, set[str]] = {}
    for text in rows["simulation"].dropna():
        for fact in filter(None, str(text).split(",")):
            key, _, value = fact.partition("=")
            facts.setdefault(key.replace("-", " "), set()).add(value)
    words = [f"{key} {' '.join(sorted(values))}" for key, values in facts.items()]
    return f"simulated ({', '.join(words)})" if words else "simulated"


def simulation_note(launches: pd.DataFrame) -> str:
    """The end of a figure's title: ` – simulated (…)`, or nothing for measured launches."""
    simulated = simulation(launches)
    return f" – {simulated}" if simulated else ""
