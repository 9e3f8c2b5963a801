# SPDX-License-Identifier: BSD-3-Clause
"""What is measured beside the time: the tables of details, each folded, with the file that has all of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

import pandas as pd

from isochron.postprocess.report.section import Section, Source
from isochron.postprocess.tables.contrasts import CONTRASTS
from isochron.postprocess.tables.declaration import Table
from isochron.postprocess.tables.details.arrival import ARRIVAL
from isochron.postprocess.tables.details.bandwidth import BANDWIDTH
from isochron.postprocess.tables.details.costs import COSTS
from isochron.postprocess.tables.details.memory import GROWTH, MEMORY
from isochron.postprocess.tables.details.overlap import OVERLAP
from isochron.postprocess.tables.details.ranks import RANK_TIMES, RANKS
from isochron.postprocess.tables.details.stragglers import STRAGGLERS
from isochron.postprocess.tables.views.msu import MSU_TOPOLOGIES, MSU_TRANSFERS
from isochron.postprocess.tables.views.pmb import PMB_VIEW
from isochron.postprocess.words import labels, numbers

#: More rows of a table than these are in its file only.
MOST = 300
#: Memory that the page shows; the file has all.
FIGURES = ("pss", "private", "dev_shm")
#: Units of columns by the end of their name.
UNITS = {"_us": "µs", "_mib": "MiB", "mb_per_s": "MB/s", "mib_per_s": "MiB/s"}
#: Columns that are shares of something.
SHARES = ("_part", "overlap", "overlap_min", "overlap_max", "ends_last")
#: Columns that are whole numbers, or names.
PLAIN = ("stack", "placement", "step", "figure", "arrival", "host", "rank", "processes", "processes_per_node")


@dataclass(frozen=True)
class Part:
    """A table: what stands above it, its file, its columns (name, meaning), rows of text, and how many are left out."""

    holds: str
    file: str
    columns: list[tuple[str, str]]
    rows: list[list[str]]
    left_out: int


def build(source: Source) -> list[Part] | None:
    """None where nothing of it was measured."""
    parts = []
    for table in TABLES:
        frame = _shown(table, source.analysis[table]) if table.applies(source.inputs.campaign) else pd.DataFrame()
        if len(frame):
            rows = [_row(table.columns, row) for row in frame.head(MOST).to_dict("records")]
            columns = [(_heading(name), meaning) for name, meaning in table.columns.items()]
            parts.append(Part(table.holds, table.file, columns, rows, max(0, len(frame) - MOST)))
    return parts or None


def _shown(table: Table, frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table that the page shows."""
    return frame[frame["figure"].isin(FIGURES)] if table in (MEMORY, GROWTH) else frame


def _heading(name: str) -> str:
    """`cost (µs)` for `cost_us`."""
    for end, unit in UNITS.items():
        stem = name.removesuffix(end).strip("_")
        if name.endswith(end) or name.startswith(end):
            return f"{stem.replace('_', ' ') or 'bandwidth'} ({unit})"
    return name.replace("_", " ")


def _row(columns: Mapping[str, str], row: dict[Any, Any]) -> list[str]:
    return [_cell(name)(row[name]) for name in columns]


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
    return _number


def _number(value: Any) -> str:
    """A count as it is, a measured number in three digits, a name as it is."""
    if isinstance(value, float):
        return numbers.significant(value)
    return numbers.fixed(value, 0) if isinstance(value, int) else str(value)


def _plain(value: Any) -> str:
    """A name, or a whole number, which a column with gaps holds as a float."""
    if isinstance(value, float):
        return numbers.NONE if isnan(value) else f"{value:g}"
    return str(value)


TABLES = (
    CONTRASTS, BANDWIDTH, RANK_TIMES, COSTS, OVERLAP, ARRIVAL, RANKS, STRAGGLERS, MEMORY, GROWTH, PMB_VIEW,
    MSU_TRANSFERS, MSU_TOPOLOGIES,
)  # fmt: skip
DETAILS = Section("details", "Beside the time", "details.html.j2", build, needs=TABLES)
