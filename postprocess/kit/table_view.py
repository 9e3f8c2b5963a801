# SPDX-License-Identifier: BSD-3-Clause
"""A table of any columns as the report shows it: its rows as text by the names of its columns, folded."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan
from typing import Any

import pandas as pd

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import POINT
from isochron.postprocess.kit.table import Table

#: More rows of a table than these are in its file only.
MOST = 300
#: Units of columns by the end of their name.
UNITS = {"_us": "µs", "_mib": "MiB", "mb_per_s": "MB/s", "mib_per_s": "MiB/s"}
#: Columns that are shares of something.
SHARES = ("_share", "overlap", "overlap_min", "overlap_max", "ends_last", "rse")
#: Columns that are whole numbers, or names.
PLAIN = (
    "stack",
    "placement",
    "step",
    "figure",
    "arrival",
    "host",
    "rank",
    "processes",
    "processes_per_node",
    "pairs",
    "messages",
)


@dataclass(frozen=True)
class Part:
    """A table: what stands above it, its file, its columns (name, meaning), rows of text, and how many are left out.

    `constant`: the point of all rows where they have one alone, which the columns then leave out.
    """

    holds: str
    constant: str
    file: str
    columns: list[tuple[str, str]]
    rows: list[list[str]]
    left_out: int

    @property
    def by_stack(self) -> bool:
        """Return True if the first column is the stack, which a report of one stack does without."""
        return self.columns[0][0] == "stack"


def part(table: Table, frame: pd.DataFrame) -> Part:
    """The rows of a table, as far as the page has room. `frame`: with its columns."""
    points = frame[POINT].drop_duplicates() if set(POINT) <= set(table.columns) else frame.iloc[:0]
    alone = len(points) == 1
    names = [name for name in table.columns if not (alone and name in POINT)]
    return Part(
        holds=table.holds,
        constant=f", {labels.point(points.iloc[0].to_dict())}" if alone else "",
        file=table.file,
        columns=[(_heading(name), table.columns[name]) for name in names],
        rows=[_row(names, row) for row in frame.head(MOST).to_dict("records")],
        left_out=max(0, len(frame) - MOST),
    )


def _heading(name: str) -> str:
    """`cost (µs)` for `cost_us`."""
    for end, unit in UNITS.items():
        stem = name.removesuffix(end).strip("_")
        if name.endswith(end) or name.startswith(end):
            return f"{stem.replace('_', ' ') or 'bandwidth'} ({unit})"
    return name.replace("_", " ")


def _row(names: list[str], row: dict[Any, Any]) -> list[str]:
    return [_cell(name)(row[name]) for name in names]


def _cell(name: str) -> Callable[[Any], str]:
    """How a column is written."""
    if name == "operation":
        return lambda value: labels.timed(str(value))
    if name in ("bytes", "bytes_moved"):
        return lambda value: numbers.size(int(value)) if value else numbers.NONE
    if name.endswith(SHARES):
        return numbers.percent
    if name in PLAIN:
        return _plain
    if name.endswith("_mib"):
        return lambda value: numbers.fixed(value, 2)
    if name.endswith("_us"):
        return lambda value: numbers.microseconds(value) if isinstance(value, float) else _number(value)
    return _number


def _number(value: Any) -> str:
    """A count as it is, a measured number in three digits, a name as it is."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return numbers.significant(value)
    return numbers.fixed(value, 0) if isinstance(value, int) else str(value)


def _plain(value: Any) -> str:
    """A name, or a whole number, which a column with gaps holds as a float."""
    if isinstance(value, float):
        return numbers.NONE if isnan(value) else f"{value:g}"
    return str(value)
