# SPDX-License-Identifier: BSD-3-Clause
"""What the machine's regimes did: rows of another regime than their block, claims that hold in one regime only."""

import pandas as pd

from isochron.postprocess.estimate.compare.interference import WHY
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.comparison.table import COMPARISON
from isochron.postprocess.subjects.interference.table import REGIMES

#: Launches and rows that are named; the table has all.
MAX_LINES, MAX_ROWS = 20, 3


def other_regimes(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """A finding if there are such rows, a line for each launch."""
    table = analysis[REGIMES]
    if not len(table):
        return []
    launches = table.groupby(["stack", "block", "attempt", "launch"], sort=False)
    text = (
        f"{numbers.count(len(table), 'result was', 'results were')} measured wholly in another regime of the machine "
        f"than the other launches of the block, in {numbers.count(launches.ngroups, 'launch', 'launches')}: a cache "
        f"line took {numbers.ratio(table['ratio'].median())} as long in the median. What these launches say of "
        "their stacks they say of the machine, too, or of where their processes ran."
    )
    lines = [_line(inputs, launch_rows) for _, launch_rows in launches]
    shown: dict[str, float | int | str] = {"rows": len(table), "launches": launches.ngroups}
    return [Finding(kind="regimes", severity="warning", text=text, details=lines[:MAX_LINES], numbers=shown)]


def by_regime(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """Comparisons that are open since what all launches say does not hold in the quiet regime; none, no finding."""
    table = analysis[COMPARISON]
    lost = table[(table["by_regime"] != "") & table["reason"].str.startswith(tuple(WHY.values()))]
    if not len(lost):
        return []
    are = numbers.are(len(lost))
    text = (
        f"{len(lost)} of {numbers.count(len(table), 'comparison')} {are} left open, since what all launches say "
        "together is not shown in the quiet regime of the machine: the stacks differ by how much another regime slows "
        "them down, or too few launches met the quiet one. The ratios in both stand in comparison.csv."
    )
    lines = [
        f"{row['candidate']} against {row['baseline']}, {labels.case(row, inputs)}: {row['reason']}"
        for row in lost.head(MAX_LINES).to_dict("records")
    ]
    return [Finding(kind="regimes", severity="note", text=text, details=lines, numbers={"comparisons": len(lost)})]


def _line(inputs: RunInputs, rows: pd.DataFrame) -> str:
    first = rows.iloc[0]
    cases = [labels.case(row, inputs) for row in rows.head(MAX_ROWS).to_dict("records")]
    more = f" and {len(rows) - MAX_ROWS} more" if len(rows) > MAX_ROWS else ""
    return (
        f"{first['stack']}, block {first['block']}: {numbers.ratio(rows['ratio'].median())} in "
        f"{numbers.count(len(rows), 'result')} ({numbers.listing(cases)}{more})"
    )
