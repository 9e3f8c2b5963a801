# SPDX-License-Identifier: BSD-3-Clause
"""Verdict of every row."""

from __future__ import annotations

from postprocess import labels, numbers
from postprocess.analysis import Analysis
from postprocess.inputs import ROW, RunInputs
from postprocess.report.model import VerdictRow
from postprocess.report.results import stack_marks


def verdict_rows(inputs: RunInputs, analysis: Analysis) -> list[VerdictRow]:
    """Every planned row, in the plan's order."""
    marks = stack_marks(inputs)
    table = analysis.verdicts.merge(analysis.summary[[*ROW, "rse"]], on=ROW, how="left")
    return [
        VerdictRow(
            mark=marks[row["stack"]],
            operation=row["operation"],
            size=numbers.size(row["bytes"]) if row["bytes"] else "–",
            point=labels.point(row),
            launches=f"{row['launches_ok']} of {row['launches']}"
            + (f" ({row['launches_planned']} planned)" if row["launches"] < row["launches_planned"] else ""),
            runs=f"{numbers.fixed(row['runs_valid'], 0)} of {numbers.fixed(row['runs_made'], 0)}",
            late=numbers.fixed(row["runs_late_start"], 0),
            overrun=numbers.fixed(row["runs_overrun"], 0),
            rse=numbers.percent(row["rse"]),
            verdict=row["verdict"],
            reason=row["reason"],
        )
        for row in table.to_dict("records")
    ]
