# SPDX-License-Identifier: BSD-3-Clause
"""How operations scale: which curves follow a cost model, and where the others leave theirs."""

from __future__ import annotations

from collections.abc import Mapping
from math import log
from typing import Any

import pandas as pd

from isochron.postprocess.analysis.analysis import Analysis
from isochron.postprocess.findings.model import Finding
from isochron.postprocess.models import registry
from isochron.postprocess.reading.inputs import RunInputs
from isochron.postprocess.tables.models import MODELS
from isochron.postprocess.words import numbers

#: Departures that the sentence itself names; the others are details.
NAMED = 3


def curve(row: Mapping[Any, Any], inputs: RunInputs) -> str:
    """`bcast at 16 KiB, 8 processes per node`; the stack before it where there are several."""
    text = str(row["operation"]) + (f" at {numbers.size(row['bytes'])}" if row["bytes"] else "")
    if row["processes_per_node"] and len(inputs.campaign.processes_per_node) > 1:
        text += f", {row['processes_per_node']} processes per node"
    if len(inputs.campaign.placements) > 1:
        text += f", {row['placement']}"
    return f"{row['stack']}, {text}" if len(inputs.campaign.stacks) > 1 else text


def leaves(row: Mapping[Any, Any]) -> str:
    """`leaves its model, binomial tree, at 4096 processes by 2.1×, outside the interval`; faster is not worse."""
    where = "outside the interval" if row["leaves_outside"] else "within the interval of some point"
    factor = numbers.ratio(row["leaves_factor"])
    if row["leaves_at"] == row["smallest"]:
        return (
            f"is nowhere near a model; the nearest, {row['algorithm']}, is {numbers.ratio(row['typical_factor'])} "
            f"away in the median, {where}"
        )
    begin = f"its model, {row['algorithm']}, at {int(row['leaves_at'])} processes"
    if row["leaves_factor"] < 1:
        return f"is faster than {begin}: {factor} of its time, {where}"
    return f"leaves {begin} by {factor}, {where}"


def scaling(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """Curves that follow a model to the end, and those that leave theirs."""
    curves = analysis[MODELS]
    judged = curves[curves["algorithm"].notna()]
    if not len(judged):
        return _unknown(curves)
    away = judged[judged["leaves_at"].notna()]
    away = away.assign(slower=away["leaves_factor"] > 1, size=away["leaves_factor"].map(lambda each: abs(log(each))))
    away = away.sort_values(["slower", "size"], ascending=False, kind="stable")
    left, never = away[away["leaves_at"] > away["smallest"]], away[away["leaves_at"] == away["smallest"]]
    stays = len(judged) - len(away)
    within = numbers.given_percent(inputs.campaign.analysis.model.tolerance)
    text = (
        f"{stays} of {numbers.count(len(judged), 'curve')} over processes "
        f"{'follows' if stays == 1 else 'follow'} a cost model to the largest process count, within {within}; "
        f"{len(left)} {'leaves its model' if len(left) == 1 else 'leave theirs'}, and {len(never)} "
        f"{'follows' if len(never) == 1 else 'follow'} none."
    )
    first = left if len(left) else never
    for row in first.head(NAMED).to_dict("records"):
        text += f" {curve(row, inputs)} {leaves(row)}."
    shown = {"curves": len(judged), "curves_follow": stays, "curves_leave": len(left), "curves_apart": len(never)}
    return [
        Finding(
            kind="scaling",
            severity="result",
            text=text,
            details=[_detail(row, inputs) for row in pd.concat([left, never]).to_dict("records")],
            numbers=dict(shown),
        )
    ]


def _detail(row: Mapping[Any, Any], inputs: RunInputs) -> str:
    line = f"{curve(row, inputs)} {leaves(row)}"
    if row["largest"] > row["leaves_at"]:
        line += f"; {numbers.ratio(row['largest_factor'])} at {row['largest']}"
    return f"{line}: {row['broken']}" if row["broken"] else line


def _unknown(curves: pd.DataFrame) -> list[Finding]:
    """Models exist for what was measured, but nobody knows α and β."""
    if not curves["operation"].isin({model.operation for model in registry.MODELS}).any():
        return []
    text = (
        "No cost model is drawn, since no parameters are known: measure ping-pong and sendrecv at two or more sizes, "
        "also with one process on each of two nodes, or give analysis.model in the campaign file."
    )
    return [Finding(kind="scaling", severity="note", text=text)]
