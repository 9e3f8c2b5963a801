# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of the fastest stacks."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import POINT
from isochron.postprocess.kit.section import Section, Source, StackMark
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.comparison.finding import fastest, interim, largest, not_established, tails, versions
from isochron.postprocess.subjects.comparison.table import COMPARISON, FASTEST, TAIL_COMPARISON

#: What a cell with several stacks says of them, by its state.
LABELS = {"tied": "equivalent", "depends": "depends on the regime", "inconclusive": "not established"}


@dataclass(frozen=True)
class MatrixCell:
    """The fastest stack of a case. `state` as in fastest.csv, or `absent`; `lead`: its lead, or one of `LABELS`."""

    state: str
    stacks: list[StackMark]
    lead: str
    interval: str
    columns: int = 1


@dataclass(frozen=True)
class MatrixRow:
    """An operation."""

    operation: str
    cells: list[MatrixCell]


@dataclass(frozen=True)
class Matrix:
    """Operations × sizes at one point."""

    title: str
    sizes: list[str]
    rows: list[MatrixRow]

    @property
    def settled(self) -> bool:
        """Return True if any of its cells says more than that nothing is established."""
        return any(
            cell.state in ("established", "tied", "depends", "only-stack") for row in self.rows for cell in row.cells
        )


ABSENT = MatrixCell("absent", [], "", "")


def build(source: Source) -> list[Matrix] | None:
    """One matrix for each point; none for a single stack, which has nothing to win against."""
    if len(source.inputs.campaign.stacks) < 2:
        return None
    return [_matrix(rows, source.marks) for _, rows in source.analysis[FASTEST].groupby(POINT, sort=False)] or None


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
        return MatrixCell(row["state"], stacks, LABELS.get(row["state"], ""), "", columns)
    interval = numbers.ratio_interval(row["lead_low"], row["lead_high"])
    return MatrixCell(row["state"], stacks, numbers.ratio(row["lead"]), interval, columns)


FASTEST_STACK = Section("fastest", "Fastest stack", "comparison/section.html.j2", build, needs=(FASTEST,))

SUBJECT = Subject(
    tables=(COMPARISON, TAIL_COMPARISON, FASTEST),
    findings=(versions, largest, tails, fastest, not_established, interim),
    sections=(FASTEST_STACK,),
)
