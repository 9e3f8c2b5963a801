# SPDX-License-Identifier: BSD-3-Clause
"""Times over processes: rows are sizes and stacks, columns are process counts, the efficiency stands under the time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from isochron.postprocess.formatting import labels__labels as labels
from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.kit.section import Source, StackMark
from isochron.postprocess.subjects.scaling.table import SCALING

#: Which efficiency a table has, in words, by its column.
EFFICIENCIES = {
    "model_efficiency": "the least time of its cost models / the time",
    "weak_efficiency": "the time at the smallest process count / the time",
}


@dataclass(frozen=True)
class Cell:
    """A time with its efficiency; nothing where the point was not measured."""

    time: str
    efficiency: str
    doubt: bool


@dataclass(frozen=True)
class Row:
    """A size under one stack: `span` rows have that size, 0 where it stands further up; a cell for each count."""

    size: str
    span: int
    mark: StackMark
    cells: list[Cell | None]


@dataclass(frozen=True)
class Table:
    """A table of one number of processes per node."""

    title: str
    efficiency: str
    processes: list[str]
    rows: list[Row]


@dataclass(frozen=True)
class OfOperation:
    """The tables of an operation, and its efficiency at the largest process count."""

    operation: str
    text: str
    tables: list[Table]


def tables(source: Source) -> list[OfOperation]:
    """Every operation with curves, in the campaign's order."""
    found = []
    frame = source.analysis[SCALING]
    for operation, rows in frame.groupby("operation", sort=False):
        kinds = rows.groupby(["curve_per_node", "placement"], sort=False)
        placed = rows["placement"].nunique() > 1
        own = [_table(source, part, per_node, placement if placed else "") for (per_node, placement), part in kinds]
        found.append(OfOperation(labels.timed(str(operation)), _text(rows), own))
    return found


def _which(rows: pd.DataFrame) -> str:
    return "model_efficiency" if rows["model_efficiency"].notna().any() else "weak_efficiency"


def _text(rows: pd.DataFrame) -> str:
    """`efficiency 31 % to 85 % at 1024 processes`."""
    last = rows[rows["reliable"].astype(bool) & (rows["processes"] == rows["processes"].max())]
    values = last[_which(rows)].dropna()
    if not len(values):
        return ""
    low, high = numbers.percent(values.min()), numbers.percent(values.max())
    between = low if low == high else f"{low} to {high}"
    return f"efficiency {between} at {int(last['processes'].iloc[0])} processes"


def _table(source: Source, rows: pd.DataFrame, per_node: Any, placement: Any) -> Table:
    column = _which(rows)
    processes = sorted(rows["processes"].unique().tolist())
    title = f"{per_node} processes per node" if per_node else "on one node"
    lines = []
    for size in sorted(rows["bytes"].unique().tolist()):
        group = rows[rows["bytes"] == size]
        by_stack = dict(list(group.groupby("stack", sort=False)))
        stacks = [stack for stack in source.inputs.campaign.stacks if stack in by_stack]
        for number, stack in enumerate(stacks):
            known = {row["processes"]: row for row in by_stack[stack].to_dict("records")}
            cells = [_cell(known[count], column) if count in known else None for count in processes]
            span = 0 if number else len(stacks)
            lines.append(Row(numbers.size(size) if size else numbers.NONE, span, source.marks[stack], cells))
    where = f"{title}, {placement}" if placement else title
    return Table(where, EFFICIENCIES[column], [str(count) for count in processes], lines)


def _cell(row: dict[Any, Any], column: str) -> Cell:
    return Cell(numbers.significant(row["median_us"]), numbers.percent(row[column]), not row["reliable"])
