# SPDX-License-Identifier: BSD-3-Clause
"""Times of all stacks beside each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from isochron.postprocess.reading.inputs import CASE, POINT
from isochron.postprocess.report.section import Section, Source
from isochron.postprocess.tables.comparison import FASTEST
from isochron.postprocess.tables.summary import SCALABILITY, SUMMARY
from isochron.postprocess.words import labels, numbers

#: Rows beyond which a table stands in a fold.
MOST_ROWS = 16


@dataclass(frozen=True)
class ValueCell:
    """A time with its interval. `rank`: `first` (established), `leading` (not established) or empty."""

    value: str
    interval: str
    rank: str
    doubt: str


@dataclass(frozen=True)
class ValueRow:
    """Bytes, processes, processes per node (with the placement where it is not `packed`), and a cell for each stack."""

    keys: list[str]
    cells: list[ValueCell]


@dataclass(frozen=True)
class TimesTable:
    """An operation's times."""

    operation: str
    file: str
    rows: list[ValueRow]

    @property
    def long(self) -> bool:
        """Whether it stands in a fold."""
        return len(self.rows) > MOST_ROWS


def build(source: Source) -> list[TimesTable]:
    """A table for each operation, rows bytes × processes × processes per node and placement."""
    ranks = _ranks(source.analysis[FASTEST])
    stacks = source.inputs.campaign.stacks
    tables = []
    for operation, rows in source.analysis[SUMMARY].groupby("operation", sort=False):
        ordered = rows.sort_values(["bytes", *POINT], kind="stable")
        lines = [_value_row(case, group, stacks, ranks) for case, group in ordered.groupby(CASE, sort=False)]
        tables.append(TimesTable(labels.timed(str(operation)), SCALABILITY.file_of(str(operation)), lines))
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


TIMES = Section("times", "Times", "times.html.j2", build, needs=(SUMMARY, FASTEST))
