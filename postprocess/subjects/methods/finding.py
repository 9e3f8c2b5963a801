# SPDX-License-Identifier: BSD-3-Clause
"""A timer of the campaign that is too coarse or too slow, and what to write instead."""

import pandas as pd

from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.methods.table import TIMERS
from isochron.postprocess.subjects.results.table import SUMMARY

#: Verdicts on a timer that measures, but not well.
POOR = ("coarse", "slow")


def poor_timers(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """A warning if the timer of the results is coarse or slow on a node, with a better one if there is one."""
    table, timer = analysis[TIMERS], inputs.campaign.engine.timer
    poor = table[(table["timer"] == timer) & table["verdict"].isin(POOR)]
    if not len(poor):
        return []
    worst = poor.iloc[int((poor["resolution_us"] + poor["cost_us"]).argmax())]
    step, cost = float(worst["resolution_us"]), float(worst["cost_us"])
    text = (
        f"The timer of this campaign, {timer}, is {numbers.distinct(poor['verdict']).replace(', ', ' and ')} on "
        f"{numbers.count(poor['host'].nunique(), 'node')}: its step is {numbers.microseconds(step)} µs, and a reading "
        f"takes {numbers.microseconds(cost)} µs{_of_the_shortest(analysis[SUMMARY], max(step, cost))}. "
    )
    better = _better(table)
    if better is None:
        text += "No other timer that was tested is good on all nodes."
    else:
        name, better_step, better_cost = better
        text += (
            f"Write `engine: {{timer: {name}}}` instead: a step of {numbers.microseconds(better_step)} µs, and "
            f"{numbers.microseconds(better_cost)} µs for a reading."
        )
    return [
        Finding(
            kind="timers",
            severity="warning",
            text=text,
            numbers={"timer": timer, "step_us": step, "cost_us": cost, "nodes": poor["host"].nunique()},
        )
    ]


def _of_the_shortest(summary: pd.DataFrame, error: float) -> str:
    """What the larger of both is of the shortest result."""
    times = summary.loc[summary["median_us"] > 0, "median_us"]
    return f", {numbers.percent(error / times.min())} of the shortest result" if len(times) else ""


def _better(table: pd.DataFrame) -> tuple[str, float, float] | None:
    """The timer that is good on all nodes with the least of step and cost: its name and the largest of each, µs."""
    nodes, good = table["host"].nunique(), []
    for timer, rows in table.groupby("timer", sort=False):
        if len(rows) == nodes and (rows["verdict"] == "good").all():
            good.append((str(timer), float(rows["resolution_us"].max()), float(rows["cost_us"].max())))
    return min(good, key=lambda figures: max(figures[1:]), default=None)
