# SPDX-License-Identifier: BSD-3-Clause
"""Times of all stacks side by side, and the figures that are in no other section."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import CASE, POINT, RESULT_KEY
from isochron.postprocess.kit.section import FigureView, Section, Source
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.comparison.table import FASTEST
from isochron.postprocess.subjects.jobs.table import JOBS
from isochron.postprocess.subjects.results import figure
from isochron.postprocess.subjects.results.table import LAUNCH_FACTORS, SCALABILITY, SUMMARY, TAILS
from isochron.postprocess.subjects.turns.table import COMPANY

#: Rows beyond which a table stands in a fold.
MAX_ROWS = 16

#: Columns of the forecast of another job.
FORECAST = ("next_low_us", "next_high_us")
#: Headings of what tells the points of a table apart.
HEADS = {"processes": "Processes", "processes_per_node": "Per node", "placement": "Placement"}


@dataclass(frozen=True)
class ValueCell:
    """A time with its interval. `rank`: `first` (established), `leading` (not established) or empty.

    `further`: where it lies in another job; empty if that is not known.
    """

    value: str
    interval: str
    rank: str
    doubt: str
    further: str = ""


@dataclass(frozen=True)
class ValueRow:
    """What tells the row from others of its table (`TimesTable.columns`), and a cell for each stack."""

    keys: list[str]
    cells: list[ValueCell]


@dataclass(frozen=True)
class TimesTable:
    """An operation's times. `title`: the operation, with what is the same in all rows; `columns`: what is not."""

    operation: str
    title: str
    file: str
    columns: list[str]
    rows: list[ValueRow]

    @property
    def long(self) -> bool:
        """Return True if it stands in a fold."""
        return len(self.rows) > MAX_ROWS


@dataclass(frozen=True)
class TimesView:
    """The tables, a sentence on what company does to their values; empty if they were not measured in turns; the
    most jobs of a row, 0 if they are not known; and what forecasts also rest on."""

    tables: list[TimesTable]
    company: str
    jobs: int
    earlier: str


def build_times(source: Source) -> TimesView:
    """A table for each operation, rows bytes × processes × processes per node and placement."""
    ranks, jobs = _ranks(source.analysis[FASTEST]), source.analysis[JOBS]
    stacks = source.inputs.campaign.stacks
    summary = source.analysis[SUMMARY].merge(jobs[[*RESULT_KEY, *FORECAST]], on=RESULT_KEY, how="left")
    tables = [
        _table(str(operation), rows, stacks, ranks) for operation, rows in summary.groupby("operation", sort=False)
    ]
    most, runs = (int(jobs[name].max()) if len(jobs) else 0 for name in ("jobs", "earlier_runs"))
    return TimesView(tables, _company(source.analysis[COMPANY]), most, labels.from_earlier(runs))


def _company(table: pd.DataFrame) -> str:
    """By how much company makes the times of each stack longer, at the point where it is most."""
    priced = table[table["ratio"].notna()].sort_values("ratio", ascending=False, kind="stable")
    carried = priced[priced["effect"] == "carry-over"]
    priced, what = (carried, "in the first pass of a turn") if len(carried) else (priced, "in turns")
    parts = [
        f"{row['stack']} {numbers.ratio_with_interval(row)}"
        for row in priced.drop_duplicates("stack").to_dict("records")
    ]
    if not len(table):
        return ""
    text = "These times were measured in turns, beside other libraries"
    if not parts:
        return f"{text}; what company costs was not measured"
    return f"{text}: over all cases, those {what} are this many times those without company: {numbers.listing(parts)}"


def _table(operation: str, rows: pd.DataFrame, stacks: list[str], ranks: dict[tuple[Any, ...], str]) -> TimesTable:
    """One operation. A column that has the same in all rows takes room and says nothing: it goes into the title."""
    ordered = rows.sort_values(["bytes", *POINT], kind="stable")
    points = ordered[POINT].drop_duplicates().to_dict("records")
    varying = [name for name in POINT if len({row[name] for row in points}) > 1]
    title, columns = labels.timed(operation), ["Size", *(HEADS[name] for name in varying)]
    if len(points) == 1:
        title += f", {labels.point(points[0])}"
    elif "processes_per_node" not in varying:
        title += f", {points[0]['processes_per_node']} per node"
    lines = []
    for case, group in ordered.groupby(CASE, sort=False):
        row = dict(zip(CASE, case, strict=True))
        keys = [labels.size(row), *(str(row[name]) for name in varying)]
        lines.append(ValueRow(keys, _cells(case, group, stacks, ranks)))
    return TimesTable(labels.timed(operation), title, SCALABILITY.file_of(operation), columns, lines)


#: Rank of the contenders of a case, by its state in fastest.csv.
RANKS = {"established": "first", "inconclusive": "leading", "tied": "leading", "depends": "leading"}


def _ranks(leaders: pd.DataFrame) -> dict[tuple[Any, ...], str]:
    """`first` or `leading` for the stacks of each case that deserve it, keyed by (stack, *case)."""
    ranks = {}
    for row in leaders.to_dict("records"):
        rank = RANKS.get(row["state"], "")
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


def _cells(case: Any, group: pd.DataFrame, stacks: list[str], ranks: dict[tuple[Any, ...], str]) -> list[ValueCell]:
    """The times of a case, one for each stack."""
    by_stack = {row["stack"]: row for row in group.to_dict("records")}
    cells = []
    decimals = _decimals(by_stack.values())
    for stack in stacks:
        if stack not in by_stack:
            cells.append(ValueCell(numbers.NONE, "", "", "not planned"))
            continue
        row = by_stack[stack]
        value, interval = numbers.interval(row["median_us"], row["median_low_us"], row["median_high_us"], decimals)
        doubt = "" if row["reliable"] else row["verdict"]
        ends = [numbers.significant(row[name]) for name in FORECAST]
        further = f"[{'; '.join(ends)}]" if pd.notna(row[FORECAST[0]]) else ""
        cells.append(ValueCell(value, interval, ranks.get((stack, *case), ""), doubt, further))
    return cells


TIMES = Section("times", "Times", "results/section.html.j2", build_times, needs=(SUMMARY, FASTEST, COMPANY, JOBS))


def build_figures(source: Source) -> list[FigureView] | None:
    """None if there is no figure."""
    return source.figures_of("figures") or None


FIGURES = Section("figures", "Figures", "results/figures.html.j2", build_figures)

SUBJECT = Subject(
    tables=(SUMMARY, TAILS, SCALABILITY),
    frames=(LAUNCH_FACTORS,),
    figures=(figure.figures,),
    sections=(TIMES, FIGURES),
)
