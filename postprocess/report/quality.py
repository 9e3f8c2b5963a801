# SPDX-License-Identifier: BSD-3-Clause
"""Verdict of every row."""

from __future__ import annotations

from typing import Any

from isochron.postprocess.analysis.analysis import Analysis
from isochron.postprocess.reading.inputs import ROW, RunInputs
from isochron.postprocess.report.model import AgainRow, VerdictRow
from isochron.postprocess.report.results import stack_marks
from isochron.postprocess.words import labels, numbers


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


def again_rows(inputs: RunInputs, analysis: Analysis) -> list[AgainRow]:
    """Rows that were in doubt and were measured again."""
    marks = stack_marks(inputs)
    return [
        AgainRow(
            mark=marks[row["stack"]],
            case=labels.case(row, inputs),
            first=_result(row, "first"),
            again=_result(row, "again"),
            outcome=row["outcome"],
            reason=row["reason"],
        )
        for row in analysis.again.to_dict("records")
    ]


def _result(row: dict[Any, Any], which: str) -> str:
    """`5.31 µs [5.20; 5.44] of 10 launches`."""
    value, low, high = (row[f"{which}_{name}_us"] for name in ("median", "low", "high"))
    text, interval = numbers.interval(value, low, high, numbers.decimals_for(value, low, high))
    return f"{text}{numbers.GAP}µs {interval} of {numbers.count(row[f'{which}_launches'], 'launch', 'launches')}"
