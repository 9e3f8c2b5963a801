# SPDX-License-Identifier: BSD-3-Clause
"""Memory of the MPI library that grows with the number of processes, extrapolated."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.details.table import GROWTH, MEMORY

#: Kinds of memory of a process, the one that counts shared pages best first.
FIGURES = ("pss", "private", "rss")
#: How many times the largest process count is extrapolated to.
TIMES = 16
#: Points that a line and its distance from them need, at least; and what it must gain over the measured points.
MIN_POINTS, MIN_SHARE = 3, 0.05


def growing_memory(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """A finding for each stack and placement whose processes need more memory the more of them there are."""
    return [
        _finding(row, inputs)
        for row in _last_steps(analysis[GROWTH], analysis[MEMORY]).to_dict("records")
        if _grows(row, inputs.campaign.processes)
    ]


def _last_steps(lines: pd.DataFrame, memory: pd.DataFrame) -> pd.DataFrame:
    """Of each stack and placement the line after the last step, of the first of `FIGURES` that it has."""
    steps = list(dict.fromkeys(memory["step"]))[-1:]
    chosen = lines[lines["step"].isin(steps) & lines["figure"].isin(FIGURES)]
    ordered = chosen.sort_values("figure", key=lambda names: names.map(FIGURES.index), kind="stable")
    return ordered.drop_duplicates(["stack", "placement"]).sort_index()


def _grows(row: Mapping[Any, Any], processes: list[int]) -> bool:
    """Whether the growth over the measured process counts is more than the line's error and `MIN_SHARE` of all."""
    gained = row["b_mib"] * (max(processes) - min(processes))
    return bool(row["points"] >= MIN_POINTS and gained > max(row["worst_mib"], MIN_SHARE * abs(row["a_mib"])))


def _finding(row: Mapping[Any, Any], inputs: RunInputs) -> Finding:
    further, per_node = TIMES * max(inputs.campaign.processes), max(inputs.campaign.processes_per_node)
    on_node = 0.0 if pd.isna(row["c_mib"]) else row["c_mib"] * per_node
    expected = row["a_mib"] + row["b_mib"] * further + on_node
    growth, there, node, worst = (
        numbers.significant(value)
        for value in (1024 * row["b_mib"], expected, per_node * expected / 1024, row["worst_mib"])
    )
    place = f", {row['placement']}" if len(inputs.campaign.placements) > 1 else ""
    text = (
        f"With {row['stack']}{place} each process takes {growth} KiB more ({row['figure']}, after {row['step']}) for "
        f"every process of the launch. If that goes on, it is {there} MiB with {further} processes, {node} GiB on a "
        f"node with {per_node}: by a line through {int(row['points'])} points, at most {worst} MiB away from them."
    )
    return Finding(
        kind="memory",
        severity="result",
        text=text,
        numbers={
            "stack": row["stack"], "kib_per_process": 1024 * row["b_mib"], "processes": further,
            "expected_mib": expected, "worst_mib": row["worst_mib"],
        },
    )  # fmt: skip
