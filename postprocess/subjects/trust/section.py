# SPDX-License-Identifier: BSD-3-Clause
"""The overview of what can be trusted: grades, timeline, repeatability, known issues, and heat maps."""

from bisect import bisect_left
from dataclasses import dataclass
from math import ceil
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.answer.trust import ISSUES, LARGE_RSE, LARGE_SHARE
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.kit.section import FigureView, Section, Source
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.answer.conditions import Condition, quality
from isochron.postprocess.subjects.answer.table import GRADES
from isochron.postprocess.subjects.trust import figure
from isochron.postprocess.subjects.trust.finding import (
    bimodal,
    incomplete,
    off_launches,
    overhead,
    repeatability,
    simulated,
)
from isochron.postprocess.subjects.trust.table import DETECTABLE, TIMELINE, TRUST, WALL_TIME

#: Shades of the cells: each begins at this value.
SHADES = (0.01, 0.02, 0.05, 0.1, 0.2)


@dataclass(frozen=True)
class Cell:
    """The largest value of an operation at a size. `edges`: sides on which the contour runs, as classes of the page."""

    text: str
    said: str
    shade: int
    edges: str


@dataclass(frozen=True)
class Map:
    """Rows are operations, columns sizes; a cell is None if nothing was measured."""

    title: str
    sizes: list[str]
    lines: list[tuple[str, list[Cell | None]]]


def part_map(rows: pd.DataFrame, column: str, limit: float, title: str) -> Map | None:
    """The largest value over all other columns in each cell, and a contour around those above `limit`.

    `rows`: `TRUST_COLUMNS`. None if nothing is known.
    """
    measured = rows[rows[column].notna()]
    if not len(measured):
        return None
    worst = measured.loc[measured.groupby(["operation", "bytes"], sort=False)[column].idxmax()]
    by_case = {(row["operation"], row["bytes"]): row for row in worst.to_dict("records")}
    operations = measured["operation"].unique().tolist()
    sizes = sorted(measured["bytes"].unique().tolist())
    above = {key for key, row in by_case.items() if row[column] > limit}

    def cell(line: int, place: int) -> Cell | None:
        row = by_case.get((operations[line], sizes[place]))
        if row is None:
            return None
        around = {
            "top": (line - 1, place),
            "bottom": (line + 1, place),
            "left": (line, place - 1),
            "right": (line, place + 1),
        }
        inside = (operations[line], sizes[place]) in above
        edges = [side for side, (y, x) in around.items() if inside and not _in(above, operations, sizes, y, x)]
        return Cell(
            text=numbers.percent(row[column]),
            said=f"{row['stack']}, {labels.point(row)}",
            shade=bisect_left(SHADES, row[column]),
            edges=" ".join(edges),
        )

    lines = [
        (labels.timed(operation), [cell(line, place) for place in range(len(sizes))])
        for line, operation in enumerate(operations)
    ]
    return Map(title, [numbers.size(size) if size else numbers.NONE for size in sizes], lines)


def _in(above: set[tuple[Any, Any]], operations: list[str], sizes: list[int], line: int, place: int) -> bool:
    """Return True if the cell at this place, which may be outside the map, is within the contour."""
    there = 0 <= line < len(operations) and 0 <= place < len(sizes)
    return there and (operations[line], sizes[place]) in above


#: Rows that a cause names; `trust.csv` has all.
MAX_ROWS = 12
#: What of a row is told beside a cause: the column, and how.
SHOWN = {
    "overhead": "overhead_share",
    "clock": "clock_share",
    "RSE": "rse",
    "late starts": "late_share",
}


@dataclass(frozen=True)
class CauseView:
    """A cause with the rows that it concerns, the worst first; `left_out` more stand in the table."""

    meaning: str
    remedy: str
    count: str
    rows: list[str]
    left_out: int


@dataclass(frozen=True)
class DetectableRow:
    """The smallest difference after more blocks."""

    blocks: str
    usual: str
    noisy: str
    cost: str


@dataclass(frozen=True)
class View:
    """All of it, as text."""

    letter: str
    reason: str
    grades: list[Condition]
    course: str
    spent: list[str]
    figures: list[FigureView]
    repeats: list[Map]
    causes: list[CauseView]
    sound: str
    overhead: str
    overhead_near: bool
    overheads: list[Map]
    detectable: list[DetectableRow]
    spread: str


def build(source: Source) -> View | None:
    """None if nothing was measured."""
    rows, several = source.analysis[TRUST], len(source.inputs.campaign.stacks) > 1
    if not len(rows):
        return None
    grade = quality(source.analysis[GRADES])
    causes = [view for cause in ISSUES if (view := _cause(source, rows, cause.name)) is not None]
    return View(
        letter=grade.letter,
        reason=grade.reason,
        grades=grade.conditions,
        course=_course(source.analysis[TIMELINE]),
        spent=_spent(source.analysis[WALL_TIME]),
        figures=source.figures_of("trust"),
        repeats=_maps(rows, "rse", LARGE_RSE, several),
        causes=causes,
        sound=f"{int((rows['issues'] == '').sum())} of {numbers.count(len(rows), 'result')}",
        overhead=next((view.text for view in source.findings if view.kind == "overhead"), ""),
        overhead_near=bool((rows["overhead_share"] > LARGE_SHARE).any()),
        overheads=_maps(rows, "overhead_share", LARGE_SHARE, several),
        detectable=[_detectable(row) for row in source.analysis[DETECTABLE].to_dict("records")],
        spread=_spread(source.analysis[DETECTABLE], in_turns=source.inputs.campaign.replication.design == "turns"),
    )


def _maps(rows: pd.DataFrame, column: str, limit: float, several: bool) -> list[Map]:
    """That of all stacks together, and if there are several one for each."""
    parts = [("all stacks", rows)]
    parts += [(str(stack), stack_rows) for stack, stack_rows in rows.groupby("stack", sort=False)] if several else []
    return [
        heat_map for title, stack_rows in parts if (heat_map := part_map(stack_rows, column, limit, title)) is not None
    ]


def _course(table: pd.DataFrame) -> str:
    """`40 launches in 25 minutes; load 0.4 in the median, 3.2 at most; 4 changes of regime; nothing was gated`."""
    minutes = ceil(float((table["at_s"] + table["duration_s"].fillna(0)).max()) / 60) if len(table) else 0
    parts = [f"{numbers.count(len(table), 'launch', 'launches')} in {numbers.count(minutes, 'minute')}"]
    loads = table["load"].dropna()
    if len(loads):
        usual, most = numbers.significant(float(loads.median()), 2), numbers.significant(float(loads.max()), 2)
        parts.append(f"load {usual} in the median, {most} at most")
    if (table["regime"] != "").any():
        other = int(table["regime"].isin(["slow", "fast"]).sum())
        parts.append(
            f"{numbers.count(int(table['regime_change'].sum()), 'change')} of the machine's regime, "
            f"{numbers.count(other, 'launch', 'launches')} in another one than most"
        )
        gated = int(table["gated_reps"].sum())
        parts.append(f"{numbers.count(gated, 'run')} gated" if gated else "nothing was gated")
    return "; ".join(parts)


def _spent(table: pd.DataFrame) -> list[str]:
    """`58 % measuring: turns of the launches …`: the parts of the run's time; none if they are not known."""
    return [
        f"{numbers.percent(row['share'])} ({numbers.significant(row['seconds'], 2)} s): {row['holds']}"
        for row in table.to_dict("records")
    ]


def _cause(source: Source, rows: pd.DataFrame, name: str) -> CauseView | None:
    cause = next(each for each in ISSUES if each.name == name)
    flagged_rows = rows[[name in causes.split("; ") for causes in rows["issues"]]]
    if not len(flagged_rows):
        return None
    column = SHOWN.get(name)
    ordered = flagged_rows.sort_values(column, ascending=False, kind="stable") if column else flagged_rows
    lines = [_row(source, row, column) for row in ordered.head(MAX_ROWS).to_dict("records")]
    return CauseView(
        cause.meaning,
        cause.remedy,
        numbers.count(len(flagged_rows), "row"),
        lines,
        max(0, len(flagged_rows) - MAX_ROWS),
    )


def _row(source: Source, row: dict[Any, Any], column: str | None) -> str:
    """`openmpi-5.0, bcast at 8 B: 12 %`."""
    name = f"{row['stack']}, {labels.case(row, source.inputs)}"
    return f"{name}: {numbers.percent(row[column])}" if column else name


def _detectable(row: dict[Any, Any]) -> DetectableRow:
    more, minutes = int(row["more_blocks"]), max(1, ceil(row["minutes"]))
    return DetectableRow(
        blocks=f"{row['blocks']}" + ("" if more else " (now)"),
        usual=_difference(row["detectable_ratio"]),
        noisy=_difference(row["noisy_detectable_ratio"]),
        cost=f"{numbers.count(more, 'block')} more, about {numbers.count(minutes, 'minute')}" if more else numbers.NONE,
    )


def _difference(ratio: float) -> str:
    return numbers.percent(ratio - 1) if ratio > 1 else "none"


def _spread(table: pd.DataFrame, *, in_turns: bool) -> str:
    if not len(table):
        return ""
    first = table.iloc[0]
    usual, noisy = numbers.percent(float(first["spread"])), numbers.percent(float(first["noisy_spread"]))
    what = "ratios of blocks spread by {}" if in_turns else "launches spread by {} within a block"
    return f"{what.format(usual)} in a usual case, by {noisy} in a noisy one (a tenth spread more)"


TRUSTED = Section(
    "trust", "Can I trust it?", "trust/section.html.j2", build, needs=(GRADES, TRUST, TIMELINE, WALL_TIME, DETECTABLE)
)

SUBJECT = Subject(
    tables=(TRUST, TIMELINE, WALL_TIME, DETECTABLE),
    figures=(figure.figures,),
    findings=(incomplete, simulated, overhead, repeatability, bimodal, off_launches),
    sections=(TRUSTED,),
)
