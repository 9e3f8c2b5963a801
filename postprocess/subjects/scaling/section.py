# SPDX-License-Identifier: BSD-3-Clause
"""Scalability: the ranking of departures from cost models, times and efficiencies over processes."""

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.models.departures import REASONS
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.kit.section import FigureView, Section, Source, StackMark
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.scaling import figure
from isochron.postprocess.subjects.scaling.curves import (
    CurveRow,
    LargestTable,
    ParameterRow,
    curve_rows,
    largest_tables,
    parameter_rows,
)
from isochron.postprocess.subjects.scaling.finding import scaling, superlinear
from isochron.postprocess.subjects.scaling.table import (
    GROWTH,
    MODEL_DEPARTURES,
    MODEL_PARAMETERS,
    MODEL_POINTS,
    MODELS,
    NORMAL_FORMS,
    SCALING,
)

#: Which efficiency a table has, in words, by its column.
EFFICIENCIES = {
    "model_efficiency": "the least time of its cost models / the time",
    "weak_efficiency": "the time at the smallest process count / the time",
}


@dataclass(frozen=True)
class Cell:
    """A time with its efficiency; nothing if the point was not measured."""

    time: str
    efficiency: str
    doubt: bool


@dataclass(frozen=True)
class Row:
    """A size under one stack: `span` rows have that size, 0 if it stands further up; a cell for each count."""

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
    groups = []
    frame = source.analysis[SCALING]
    for operation, rows in frame.groupby("operation", sort=False):
        kinds = rows.groupby(["curve_per_node", "placement"], sort=False)
        placed = rows["placement"].nunique() > 1
        tables_of_kind = [
            _table(source, part, per_node, placement if placed else "") for (per_node, placement), part in kinds
        ]
        groups.append(OfOperation(labels.timed(str(operation)), _tables_text(rows), tables_of_kind))
    return groups


def _which(rows: pd.DataFrame) -> str:
    return "model_efficiency" if rows["model_efficiency"].notna().any() else "weak_efficiency"


def _tables_text(rows: pd.DataFrame) -> str:
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
            by_processes = {row["processes"]: row for row in by_stack[stack].to_dict("records")}
            cells = [_cell(by_processes[count], column) if count in by_processes else None for count in processes]
            span = 0 if number else len(stacks)
            lines.append(Row(numbers.size(size) if size else numbers.NONE, span, source.marks[stack], cells))
    where = f"{title}, {placement}" if placement else title
    return Table(where, EFFICIENCIES[column], [str(count) for count in processes], lines)


def _cell(row: dict[Any, Any], column: str) -> Cell:
    return Cell(numbers.significant(row["median_us"]), numbers.percent(row[column]), not row["reliable"])


#: Lines on the page; the table has all.
MAX_LINES = 40


@dataclass(frozen=True)
class Line:
    """A curve that leaves its model."""

    rank: str
    mark: StackMark
    case: str
    slower: bool
    times: str
    where: str
    since: str
    sure: bool
    algorithm: str
    letters: str
    as_if: str


@dataclass(frozen=True)
class Explanation:
    """Why curves leave their models, and how many do so for this reason."""

    letter: str
    text: str
    count: str


@dataclass(frozen=True)
class Ranking:
    """A sentence on all curves, the first lines, how many more the table has, and the explanations."""

    text: str
    lines: list[Line]
    left_out: int
    explanations: list[Explanation]


def ranking(source: Source) -> Ranking | None:
    """None if no curve has a model."""
    table, curves = source.analysis[MODEL_DEPARTURES], source.analysis[MODELS]
    judged = int(curves["algorithm"].notna().sum())
    if not judged:
        return None
    named = {kind for reasons in table["reasons"] for kind in reasons.split("; ")}
    kinds = [kind for kind in REASONS if kind in named]
    letters = dict(zip(kinds, ascii_lowercase, strict=False))
    lines = [_line(row, source, letters) for row in table.head(MAX_LINES).to_dict("records")]
    return Ranking(
        _departures_text(source, judged), lines, max(0, len(table) - MAX_LINES), _explanations(source, letters)
    )


def _departures_text(source: Source, judged: int) -> str:
    """`24 of 36 curves follow …; 8 are slower than their models, 4 are faster`."""
    table = source.analysis[MODEL_DEPARTURES]
    slower, within = int((table["direction"] == "slower").sum()), source.inputs.campaign.analysis.model.tolerance
    stay, faster = judged - len(table), len(table) - slower
    return (
        f"{stay} of {numbers.count(judged, 'curve')} over processes "
        f"{'follows its' if stay == 1 else 'follow their'} nearest cost model to the largest process count, within "
        f"{numbers.given_percent(within)}; {slower} {numbers.are(slower)} slower than that, "
        f"{faster} {numbers.are(faster)} faster"
    )


def _line(row: Mapping[Any, Any], source: Source, letters: Mapping[str, str]) -> Line:
    campaign = source.inputs.campaign
    case = str(row["operation"]) + (f", {numbers.size(row['bytes'])}" if row["bytes"] else "")
    if row["processes_per_node"] and len(campaign.processes_per_node) > 1:
        case += f", {row['processes_per_node']} per node"
    if len(campaign.placements) > 1:
        case += f", {row['placement']}"
    return Line(
        rank=str(row["rank"]),
        mark=source.marks[row["stack"]],
        case=case,
        slower=row["direction"] == "slower",
        times=f"{numbers.ratio(row['times'])} {row['direction']}",
        where=f"at {row['worst_processes']}",
        since="everywhere" if row["nowhere"] else f"from {row['from_processes']} on",
        sure=bool(row["outside"]),
        algorithm=row["algorithm"],
        letters=", ".join(letters[kind] for kind in row["reasons"].split("; ") if kind in letters),
        as_if=row["as_if"],
    )


def _explanations(source: Source, letters: Mapping[str, str]) -> list[Explanation]:
    reasons = [text.split("; ") for text in source.analysis[MODEL_DEPARTURES]["reasons"]]
    return [
        Explanation(letter, REASONS[kind], numbers.count(sum(kind in text for text in reasons), "curve"))
        for kind, letter in letters.items()
    ]


@dataclass(frozen=True)
class View:
    """The ranking, a table for each operation and number of processes per node, figures, and what models rest on."""

    ranking: Ranking | None
    operations: list[OfOperation]
    figures: list[FigureView]
    parameters: list[ParameterRow]
    curves: list[CurveRow]
    largest: list[LargestTable]


def build(source: Source) -> View | None:
    """None if no curve has enough process counts."""
    curves = curve_rows(source)
    if not curves:
        return None
    return View(
        ranking=ranking(source),
        operations=tables(source),
        figures=source.figures_of("scalability"),
        parameters=parameter_rows(source),
        curves=curves,
        largest=largest_tables(source),
    )


CURVES = Section(
    "scalability",
    "Scalability",
    "scaling/section.html.j2",
    build,
    needs=(MODELS, MODEL_DEPARTURES, MODEL_PARAMETERS, SCALING),
)

SUBJECT = Subject(
    tables=(SCALING, MODELS, MODEL_DEPARTURES, MODEL_POINTS, MODEL_PARAMETERS, GROWTH),
    frames=(NORMAL_FORMS,),
    figures=(figure.figures,),
    findings=(scaling, superlinear),
    sections=(CURVES,),
)
