# SPDX-License-Identifier: BSD-3-Clause
"""First calls that take much longer than the second; what each wrong way to measure says here."""

from __future__ import annotations

import numpy as np
import pandas as pd

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.systematic.errors import ERRORS, NEAR
from isochron.postprocess.subjects.systematic.table import FIRST_CALLS, SYSTEMATIC_ERRORS

#: A first call is worth a sentence when it takes this many times the second.
NOTABLE_FIRST_CALL = 10.0


def late_initialisation(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """The highest ratio of first to second call."""
    table = analysis[FIRST_CALLS]
    notable = table[table["ratio"] >= NOTABLE_FIRST_CALL].sort_values("ratio", ascending=False, kind="stable")
    if not len(notable):
        return []
    worst = notable.iloc[0]
    text = (
        f"The first call of {labels.case(worst.to_dict(), inputs)} takes {numbers.ratio(worst['ratio'])} as long as "
        f"the second with {worst['stack']}; {numbers.count(len(notable), 'result')} of {len(table)} "
        f"{'has' if len(notable) == 1 else 'have'} a ratio of {NOTABLE_FIRST_CALL:.0f} or more. "
        "By then messages of the engine have opened connections; `first_calls` in a campaign times what opening them "
        "costs. First calls are never part of a result."
    )
    lines = [
        f"{row['stack']}, {labels.case(row, inputs)}: {numbers.ratio(row['ratio'])}"
        for row in notable.head(10).to_dict("records")
    ]
    shown = {"highest_ratio": float(worst["ratio"]), "stack": str(worst["stack"]), "rows_notable": len(notable)}
    return [Finding(kind="first-call", severity="note", text=text, details=lines, numbers=shown)]


def systematic_errors(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """By how much each wrong way to measure is off; nothing if the campaign shows none."""
    table = analysis[SYSTEMATIC_ERRORS]
    ratios = table[table["quantity"].isin(["time", "first call"])].dropna(subset=["ratio"])
    if not len(ratios):
        return []
    lines, off = [], []
    for error, rows in ratios.groupby("error"):
        away = (rows["ratio"] - 1).abs() > NEAR
        lines.append(_wrong_way(str(error), rows["ratio"], int(away.sum())))
        if away.any():
            off.append(ERRORS[str(error)].name)
    worst = ratios.loc[np.log(ratios["ratio"]).abs().idxmax()].to_dict()
    counted = f"{len(off)} of {numbers.count(len(lines), 'wrong way')} to measure"
    near = numbers.given_percent(NEAR)
    text = (
        f"{counted} change a time by more than {near} in some case{': ' if off else ''}{'; '.join(off)}. "
        f"The furthest off is {ERRORS[str(worst['error'])].name}: {numbers.ratio(worst['ratio'])} what the right way "
        f"measures, in {labels.case(worst, inputs)} with {worst['stack']}."
    )
    shown: dict[str, float | int | str | None] = {"ways": len(lines), "off": len(off), "furthest": worst["ratio"]}
    return [Finding(kind="systematic-errors", severity="result", text=text, details=lines, numbers=shown)]


def _wrong_way(error: str, ratios: pd.Series[float], away: int) -> str:
    """`E3, a rotating root: 1.45× in the median, from 0.955× to 2.39×; 6 of 8 cases more than 10 % off`."""
    median, low, high = map(numbers.ratio, ratios.quantile([0.5, 0, 1]))
    return (
        f"{error}, {ERRORS[error].name}: {median} in the median, from {low} to {high}; {away} of "
        f"{numbers.count(len(ratios), 'case')} more than {numbers.given_percent(NEAR)} off"
    )
