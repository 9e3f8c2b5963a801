# SPDX-License-Identifier: BSD-3-Clause
"""Performance guidelines that are violated."""

from collections.abc import Mapping
from typing import Any

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.guidelines.table import GUIDELINES


def violation(row: Mapping[Any, Any], inputs: RunInputs) -> str:
    """`gather at 8 B takes 1.8× [1.6; 2.0] as long as allgather 8 B`, after the stack."""
    factor = numbers.ratio_with_interval(row)
    return f"{row['stack']}: {labels.case(row, inputs)} takes {factor} as long as {row['other']}"


def guidelines(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """How many hold, how many do not, and the worst of these."""
    table = analysis[GUIDELINES]
    if not len(table):
        return []
    broken = table[table["verdict"] == "violated"].sort_values("ratio", ascending=False, kind="stable")
    tests = numbers.count(len(table), "performance guideline")
    threshold = numbers.given_percent(inputs.campaign.analysis.threshold)
    shown = {verdict: int((table["verdict"] == verdict).sum()) for verdict in ("violated", "satisfied", "inconclusive")}
    counts = (
        f"{shown['satisfied']} {numbers.are(shown['satisfied'])} satisfied within {threshold} and "
        f"{shown['inconclusive']} {numbers.are(shown['inconclusive'])} inconclusive"
    )
    if not len(broken):
        text = f"None of {tests} is shown to be violated; {counts}."
        if not (table["test"] != "").any():
            text += " There are too few launches for a violation to be significant."
    else:
        text = (
            f"{len(broken)} of {tests} {numbers.are(len(broken))} violated; {counts}. "
            f"{violation(broken.iloc[0].to_dict(), inputs)}."
        )
    return [
        Finding(
            kind="guidelines",
            severity="result" if len(broken) else "note",
            text=text,
            details=[violation(row, inputs) for row in broken.to_dict("records")],
            numbers={f"guidelines_{verdict}": number for verdict, number in shown.items()},
        )
    ]
