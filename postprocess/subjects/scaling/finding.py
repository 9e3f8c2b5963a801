# SPDX-License-Identifier: BSD-3-Clause
"""How operations scale: which curves follow a cost model, and where the others leave theirs."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.models import cost_models as registry
from isochron.postprocess.estimate.models.departures import REASONS
from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.scaling.table import GROWTH, MODEL_DEPARTURES, MODELS

#: Departures that the sentence itself names; the others are details.
NAMED = 3


def curve(row: Mapping[Any, Any], inputs: RunInputs) -> str:
    """`bcast at 16 KiB, 8 processes per node`; the stack before it if there are several."""
    text = str(row["operation"]) + (f" at {numbers.size(row['bytes'])}" if row["bytes"] else "")
    if row["processes_per_node"] and len(inputs.campaign.processes_per_node) > 1:
        text += f", {row['processes_per_node']} processes per node"
    if len(inputs.campaign.placements) > 1:
        text += f", {row['placement']}"
    return f"{row['stack']}, {text}" if len(inputs.campaign.stacks) > 1 else text


def leaves(row: Mapping[Any, Any]) -> str:
    """`is 4.2× slower than its model, binomial tree, at 8192 processes, and beyond it from 4096 on`.

    `row`: of `DEPARTURE_COLUMNS`.
    """
    where = "" if row["outside"] else ", within the interval of some point"
    begin = f"is {numbers.ratio(row['times'])} {row['direction']} than"
    if row["nowhere"]:
        return (
            f"{begin} the nearest model, {row['algorithm']}, at {row['worst_processes']} processes, and follows it "
            f"nowhere{where}"
        )
    since = "" if row["worst_processes"] == row["from_processes"] else f", and leaves it at {row['from_processes']}"
    return f"{begin} its model, {row['algorithm']}, at {row['worst_processes']} processes{since}{where}"


def scaling(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """Curves that follow a model to the end, and those that leave theirs: slower ones first."""
    curves, away = analysis[MODELS], analysis[MODEL_DEPARTURES]
    judged = curves[curves["algorithm"].notna()]
    if not len(judged):
        return _unknown(curves)
    stays, never = len(judged) - len(away), int(away["nowhere"].astype(bool).sum())
    slower = int((away["direction"] == "slower").sum())
    within = numbers.given_percent(inputs.campaign.analysis.model.tolerance)
    text = (
        f"{stays} of {numbers.count(len(judged), 'curve')} over processes "
        f"{'follows' if stays == 1 else 'follow'} a cost model to the largest process count, within {within}; "
        f"{slower} {numbers.are(slower)} slower than that, {len(away) - slower} faster."
    )
    lines = away.to_dict("records")
    for row in lines[:NAMED]:
        text += f" {curve(row, inputs)} {leaves(row)}."
    shown = {
        "curves": len(judged), "curves_follow": stays, "curves_leave": len(away) - never, "curves_apart": never,
        "curves_slower": slower,
    }  # fmt: skip
    details = [f"{curve(row, inputs)} {leaves(row)}" for row in lines]
    return [
        Finding(kind="scaling", severity="result", text=text, details=details + _reasons(away), numbers=dict(shown))
    ]


def _reasons(away: pd.DataFrame) -> list[str]:
    """Each explanation once, with the number of curves that it is of."""
    of_curves = [reasons.split("; ") for reasons in away["reasons"]]
    counts = {kind: sum(kind in reasons for reasons in of_curves) for kind in REASONS}
    return [f"In {numbers.count(count, 'curve')}: {REASONS[kind]}" for kind, count in counts.items() if count]


def _unknown(curves: pd.DataFrame) -> list[Finding]:
    """Models exist for what was measured, but nobody knows α and β."""
    if not curves["operation"].isin({model.operation for model in registry.MODELS}).any():
        return []
    text = (
        "No cost model is drawn, since no parameters are known: measure ping-pong and sendrecv at two or more sizes, "
        "also with one process on each of two nodes, or give analysis.model in the campaign file."
    )
    return [Finding(kind="scaling", severity="note", text=text)]


def superlinear(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """Curves that grow faster than the number of processes, and what is to be expected of them with twice as many."""
    table = analysis[GROWTH]
    rows = table[table["superlinear"].astype(bool)].sort_values("growth", ascending=False, kind="stable")
    if not len(rows):
        return []
    worst = rows.iloc[0].to_dict()
    grows = "grows" if len(rows) == 1 else "grow"
    text = (
        f"{numbers.count(len(rows), 'curve')} {grows} faster than the number of processes, by the fitted form and all "
        f"of its refits' interval: {expected(worst, inputs)}."
    )
    shown = {name: float(worst[name]) for name in ("expected_us", "expected_low_us", "expected_high_us", "growth")}
    return [
        Finding(
            kind="growth",
            severity="result",
            text=text,
            details=[expected(row, inputs) for row in rows.to_dict("records")],
            numbers={"curves": len(rows), "at_processes": int(worst["at_processes"]), **shown},
        )
    ]


def expected(row: Mapping[Any, Any], inputs: RunInputs) -> str:
    """`scan is expected to take 1.24 ms [1.20; 1.31] with 256 processes, 2.31× its time with 128`.

    `row`: of `GROWTH_COLUMNS`.
    """
    unit, scale = ("ms", 1e3) if row["expected_us"] >= 1e3 else ("µs", 1.0)
    time, low, high = (
        numbers.significant(row[name] / scale) for name in ("expected_us", "expected_low_us", "expected_high_us")
    )
    return (
        f"{curve(row, inputs)} is expected to take {time} {unit} [{low}; {high}] with {int(row['at_processes'])} "
        f"processes, {numbers.ratio(row['growth'])} {numbers.ratio_interval(row['growth_low'], row['growth_high'])} "
        f"its time with {int(row['largest'])} ({row['normal_form']})"
    )
