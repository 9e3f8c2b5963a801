# SPDX-License-Identifier: BSD-3-Clause
"""First calls that take much longer than the second."""

from __future__ import annotations

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.systematic.table import FIRST_CALLS

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
