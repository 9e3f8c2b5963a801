# SPDX-License-Identifier: BSD-3-Clause
"""What the engine itself adds to the values of a run: its overhead."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.estimate.answer.trust__grade import LARGE_SHARE, overhead_in_doubt
from isochron.postprocess.formatting import labels__labels as labels
from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.ingest.inputs__inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table__analysis import Analysis
from isochron.postprocess.subjects.results.table import SUMMARY

NOT_MEASURED = "What the engine itself adds to a time was not measured: these launches are of an older engine."
ENDS = ["overhead_us", "overhead_low_us", "overhead_high_us"]


def overhead(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """What the engine adds to the values; a warning where that is not known well enough."""
    summary = analysis[SUMMARY]
    text = said_of(summary, inputs)
    if not text:
        return []
    reliable = summary[summary["reliable"].astype(bool)]
    doubtful, known_us = int(overhead_in_doubt(reliable).sum()), reliable["overhead_us"].dropna()
    shown: dict[str, float | int | str | None] = {
        "rows_in_doubt": doubtful,
        "overhead_us": float(known_us.median()) if len(known_us) else None,
    }
    return [Finding(kind="overhead", severity="warning" if doubtful else "note", text=text, numbers=shown)]


def said_of(summary: pd.DataFrame, inputs: RunInputs) -> str:
    """How much that is, of how many values it is a large part, and what it does to differences; empty without values.

    `summary`: `SUMMARY_COLUMNS`.
    """
    reliable = summary[summary["reliable"].astype(bool) & (summary["median_us"] > 0)]
    known = reliable[reliable["overhead_us"].notna()]
    if not len(known):
        return NOT_MEASURED if len(reliable) else ""
    text = (
        f"The engine adds {_interval(known[ENDS].median())} to a time{_of_stacks(known)}: what an operation that "
        "returns at once takes, measured in every launch."
    )
    return " ".join([text, *_share(known, inputs), *_doubt(reliable)])


def _interval(ends: pd.Series) -> str:
    """`0.050 µs [0.040; 0.060]`."""
    value, low, high = (float(ends[name]) for name in ENDS)
    shown, within = numbers.interval(value, low, high, max(3, numbers.decimals_for(value, low, high)))
    return f"{shown} µs {within}".rstrip()


def _of_stacks(rows: pd.DataFrame) -> str:
    """Whether that is the same for all stacks: whether the intervals of all have a value in common."""
    stacks = rows.groupby("stack", sort=False)[ENDS].median()
    if len(stacks) < 2:
        return ""
    if stacks["overhead_low_us"].max() <= stacks["overhead_high_us"].min():
        return ", the same for all stacks"
    stacks = stacks.sort_values("overhead_us", kind="stable")
    least, most = stacks.iloc[0], stacks.iloc[-1]
    return f", from {_interval(least)} with {least.name} to {_interval(most)} with {most.name}"


def _share(rows: pd.DataFrame, inputs: RunInputs) -> list[str]:
    """Of how many values it is more than `LARGE_SHARE`, and what follows for differences."""
    parts = rows["overhead_us"] / rows["median_us"]
    large = int((parts > LARGE_SHARE).sum())
    worst = rows.iloc[int(parts.argmax())]
    part, low, high = (float(worst[name] / worst["median_us"]) for name in ENDS)
    name = f"{worst['stack']}, {labels.case(worst.to_dict(), inputs)}"
    if part >= 1:
        return [f"The value of {name} is nothing else."]
    apart = numbers.percent(LARGE_SHARE / (1 - part))
    return [
        f"Without it {large} of {numbers.count(len(rows), 'reliable value')} would be more than "
        f"{numbers.given_percent(LARGE_SHARE)} lower, and that of {name} by {numbers.percent(part)} "
        f"[{numbers.significant(100 * low, 2)}; {numbers.significant(100 * high, 2)}].",
        f"It draws ratios towards 1 by the same part: stacks that are {numbers.given_percent(LARGE_SHARE)} slower than "
        f"that value are {apart} slower without it.",
    ]


def _doubt(rows: pd.DataFrame) -> list[str]:
    """Of how many values it is not known well enough."""
    doubtful = int(overhead_in_doubt(rows).sum())
    if not doubtful:
        return []
    return [
        f"In {numbers.count(doubtful, 'reliable value')} it is not known to {numbers.given_percent(LARGE_SHARE)} of "
        "the value."
    ]
