# SPDX-License-Identifier: BSD-3-Clause
"""Rows that were measured again because they were in doubt."""

from __future__ import annotations

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.verdicts.table import AGAIN


def remeasured(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """How the second results compare with the first."""
    table = analysis[AGAIN]
    if not len(table):
        return []
    differing = table[table["outcome"] == "differs"]
    agreeing = len(table) - len(differing)
    text = (
        f"{numbers.count(len(table), 'row')} {'was' if len(table) == 1 else 'were'} in doubt and measured again: "
        f"{agreeing} {'agrees' if agreeing == 1 else 'agree'} with the first result, and {len(differing)} "
        f"{'differs' if len(differing) == 1 else 'differ'}. "
        "Values rest on all launches, the first ones and the further ones."
    )
    lines = [
        f"{row['stack']}, {labels.case(row, inputs)}: {numbers.significant(row['first_median_us'])}{numbers.GAP}µs, "
        f"then {numbers.significant(row['again_median_us'])}{numbers.GAP}µs ({row['outcome']}); {row['reason']}"
        for row in table.to_dict("records")
    ]
    shown: dict[str, float | int | str] = {"rows_again": len(table), "rows_differing": len(differing)}
    severity = "warning" if len(differing) else "note"
    return [Finding(kind="again", severity=severity, text=text, details=lines, numbers=shown)]
