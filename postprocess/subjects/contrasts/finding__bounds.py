# SPDX-License-Identifier: BSD-3-Clause
"""Times that cannot be: less than a message takes by the campaign's own ping-pong."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.formatting import labels__labels as labels
from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.ingest.inputs__inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table__analysis import Analysis
from isochron.postprocess.subjects.contrasts.table__bounds import BOUNDS


def below_the_bound(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """For results and each contrast: how many of its rows are below their bound, and the worst of them."""
    table = analysis[BOUNDS][analysis[BOUNDS]["bound_us"] > 0]
    ways = table.groupby(["contrast", "scheme"], sort=False)
    return [_finding(inputs, str(contrast), str(scheme), own) for (contrast, scheme), own in ways]


def _finding(inputs: RunInputs, contrast: str, scheme: str, rows: pd.DataFrame) -> Finding:
    own = not contrast
    below = rows[rows["below"]].assign(part=lambda table: table["median_us"] / table["bound_us"])
    rows_shown: dict[str, float | int | str] = {
        "contrast": contrast,
        "scheme": scheme,
        "rows": len(rows),
        "rows_below": len(below),
    }
    called = "a contrast" if contrast == scheme else f"contrast {contrast}"
    name = "this campaign's scheme" if own else f"{called}, shown beside the results"
    if not len(below):
        text = f"No time of {scheme} ({name}) is below the bound that the campaign's own ping-pong implies."
        return Finding(kind="bound", severity="note", text=text, numbers=rows_shown)
    worst = below.sort_values("part", kind="stable").iloc[0]
    text = (
        f"{len(below)} of {numbers.count(len(rows), 'row')} of {scheme} ({name}) {numbers.are(len(below))} below the "
        "physical bound: "
        f"{labels.case(worst.to_dict(), inputs)} is measured as {numbers.significant(worst['median_us'])} µs "
        f"with {worst['stack']}, but by ping-pong between {worst['between']} it takes at least "
        f"{numbers.significant(worst['bound_us'])} µs. "
        + (
            "Do not believe these rows: the runs had no common start."
            if own
            else "Operations that follow each other without a common start overlap, and their average is no duration."
        )
    )
    details = [
        f"{row['stack']}, {labels.case(row, inputs)}: {numbers.significant(row['median_us'])} µs, "
        f"at least {numbers.significant(row['bound_us'])} µs"
        for row in below.to_dict("records")
    ]
    rows_shown |= {"min_share": float(worst["part"]), "median_us": float(worst["median_us"])}
    rows_shown["bound_us"] = float(worst["bound_us"])
    return Finding(
        kind="bound", severity="warning" if own else "result", text=text, details=details, numbers=rows_shown
    )
