# SPDX-License-Identifier: BSD-3-Clause
"""Matrix of the fastest stacks and scalability tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from isochron.postprocess.analysis.analysis import Analysis
from isochron.postprocess.figures.style import MARKERS, SERIES
from isochron.postprocess.reading.inputs import CASE, POINT, RunInputs
from isochron.postprocess.report.model import (
    Matrix,
    MatrixCell,
    MatrixRow,
    ScalabilityTable,
    StackMark,
    ValueCell,
    ValueRow,
)
from isochron.postprocess.tables import outputs
from isochron.postprocess.words import labels, numbers

#: Characters that look like the markers of the figures.
GLYPHS = dict(zip(MARKERS, "●■▲◆▼", strict=True))

ABSENT = MatrixCell("absent", [], "", "")


def stack_marks(inputs: RunInputs) -> dict[str, StackMark]:
    """The stacks' glyphs and colours: those of the figures."""
    return {
        stack: StackMark(stack, GLYPHS[MARKERS[index % len(MARKERS)]], index % len(SERIES))
        for index, stack in enumerate(inputs.campaign.stacks)
    }


def matrices(inputs: RunInputs, analysis: Analysis) -> list[Matrix]:
    """One matrix for each point; none for a single stack, which has nothing to win against."""
    if len(inputs.campaign.stacks) < 2:
        return []
    marks = stack_marks(inputs)
    return [_matrix(rows, marks) for _, rows in analysis.leaders.groupby(POINT, sort=False)]


def _matrix(rows: pd.DataFrame, marks: dict[str, StackMark]) -> Matrix:
    sizes = sorted({int(size) for size in rows["bytes"] if size}) or [0]
    cells = {(row["operation"], row["bytes"]): _cell(row, marks) for row in rows.to_dict("records")}
    lines = []
    for operation in rows["operation"].unique().tolist():
        line = [cells.get((operation, size), ABSENT) for size in sizes]
        if (operation, 0) in cells:
            line = [_cell(rows[rows["operation"] == operation].iloc[0].to_dict(), marks, columns=len(sizes))]
        lines.append(MatrixRow(operation, line))
    names = [numbers.size(size) for size in sizes] if sizes != [0] else ["no data"]
    return Matrix(labels.point(rows.iloc[0].to_dict()), names, lines)


def _cell(row: dict[Any, Any], marks: dict[str, StackMark], columns: int = 1) -> MatrixCell:
    stacks = [marks[name] for name in str(row["contenders"]).split(",") if name]
    if row["state"] != "established":
        return MatrixCell(row["state"], stacks, "", "", columns)
    interval = numbers.ratio_interval(row["lead_low"], row["lead_high"])
    return MatrixCell(row["state"], stacks, numbers.ratio(row["lead"]), interval, columns)


def scalability_tables(inputs: RunInputs, analysis: Analysis) -> list[ScalabilityTable]:
    """A table for each operation, rows bytes × processes × processes per node and placement."""
    ranks = _ranks(analysis.leaders)
    tables = []
    for operation, rows in analysis.summary.groupby("operation", sort=False):
        ordered = rows.sort_values(["bytes", *POINT], kind="stable")
        lines = [
            _value_row(case, group, inputs.campaign.stacks, ranks) for case, group in ordered.groupby(CASE, sort=False)
        ]
        tables.append(ScalabilityTable(str(operation), outputs.scalability_file(str(operation)), lines))
    return tables


def _ranks(leaders: pd.DataFrame) -> dict[tuple[Any, ...], str]:
    """`first` or `leading` for the stacks of each case that deserve it, keyed by (stack, *case)."""
    ranks = {}
    for row in leaders.to_dict("records"):
        rank = {"established": "first", "open": "leading", "equal": "leading"}.get(row["state"], "")
        for stack in str(row["contenders"]).split(","):
            ranks[(stack, *(row[name] for name in CASE))] = rank
    return ranks


def _decimals(rows: Iterable[dict[Any, Any]]) -> int:
    """Decimals for a whole row of the table, so that its values can be compared: the middle of what each allows."""
    each = sorted(
        numbers.decimals_for(row["median_us"], row["median_low_us"], row["median_high_us"])
        for row in rows
        if row["median_us"] > 0
    )
    return each[len(each) // 2] if each else 0


def _value_row(case: Any, group: pd.DataFrame, stacks: list[str], ranks: dict[tuple[Any, ...], str]) -> ValueRow:
    by_stack = {row["stack"]: row for row in group.to_dict("records")}
    cells = []
    decimals = _decimals(by_stack.values())
    for stack in stacks:
        if stack not in by_stack:
            cells.append(ValueCell(numbers.NONE, "", "", "not planned"))
            continue
        row = by_stack[stack]
        value, interval = numbers.interval(row["median_us"], row["median_low_us"], row["median_high_us"], decimals)
        doubt = "" if row["believed"] else row["verdict"]
        cells.append(ValueCell(value, interval, ranks.get((stack, *case), ""), doubt))
    _, size, processes, per_node, placement = case
    a_node = str(per_node) if placement == "packed" else f"{per_node}, {placement}"
    return ValueRow([numbers.size(size) if size else "–", str(processes), a_node], cells)
