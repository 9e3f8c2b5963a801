# SPDX-License-Identifier: BSD-3-Clause
"""Rows of single launches that were measured wholly in another regime of the machine than the rest of their block."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.analysis.analysis import Analysis
from isochron.postprocess.findings.model import Finding
from isochron.postprocess.reading.inputs import RunInputs
from isochron.postprocess.tables.weather import REGIMES
from isochron.postprocess.words import labels, numbers

#: Launches and rows that are named; the table has all.
MOST_LINES, MOST_ROWS = 20, 3


def other_regimes(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """A finding where there are such rows, a line for each launch."""
    table = analysis[REGIMES]
    if not len(table):
        return []
    launches = table.groupby(["stack", "block", "attempt", "launch"], sort=False)
    text = (
        f"{numbers.count(len(table), 'row was', 'rows were')} measured wholly in another regime of the machine than "
        f"the other launches of the block, in {numbers.count(launches.ngroups, 'launch', 'launches')}: a cache line "
        f"took {numbers.ratio(table['ratio'].median())} as long in the median. What these launches say of "
        "their stacks they say of the machine, too, or of where their processes ran."
    )
    lines = [_line(inputs, own) for _, own in launches]
    shown: dict[str, float | int | str] = {"rows": len(table), "launches": launches.ngroups}
    return [Finding(kind="regimes", severity="warning", text=text, details=lines[:MOST_LINES], numbers=shown)]


def _line(inputs: RunInputs, own: pd.DataFrame) -> str:
    first = own.iloc[0]
    cases = [labels.case(row, inputs) for row in own.head(MOST_ROWS).to_dict("records")]
    more = f" and {len(own) - MOST_ROWS} more" if len(own) > MOST_ROWS else ""
    return (
        f"{first['stack']}, block {first['block']}: {numbers.ratio(own['ratio'].median())} in "
        f"{numbers.count(len(own), 'row')} ({numbers.listing(cases)}{more})"
    )
