# SPDX-License-Identifier: BSD-3-Clause
"""Late initialisation, and every systematic error with its figure and table."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.kit.section import FigureView, Section, Source, StackMark
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.systematic import figure
from isochron.postprocess.subjects.systematic.errors import ERRORS, Error
from isochron.postprocess.subjects.systematic.finding import late_initialisation, systematic_errors
from isochron.postprocess.subjects.systematic.table import FIRST_CALLS, LATE_CALLS, SYSTEMATIC_ERRORS, published


@dataclass(frozen=True)
class LateRow:
    """An operation at one size with one stack: first and later calls as text."""

    mark: StackMark
    operation: str
    size: str
    point: str
    launches: str
    first: str
    later: str
    ratio: str
    range: str
    rank0: str
    second: str
    rank0_second: str
    skew: str


@dataclass(frozen=True)
class View:
    """A sentence on all rows, the rows, the published ratios by library, and the figure."""

    text: str
    rows: list[LateRow]
    libraries: list[str]
    published: list[tuple[str, list[str]]]
    figures: list[FigureView]


def build_late(source: Source) -> View | None:
    """None if no first calls were timed."""
    table = source.analysis[LATE_CALLS]
    if not len(table):
        return None
    marks = source.marks
    rows = [
        LateRow(
            mark=marks[row["stack"]],
            operation=row["operation"],
            size=labels.size(row),
            point=labels.point(row),
            launches=numbers.fixed(row["launches"], 0),
            first=numbers.significant(row["first_us"]),
            later=numbers.significant(row["later_us"]),
            ratio=numbers.ratio(row["ratio"]),
            range=numbers.ratio_interval(row["ratio_min"], row["ratio_max"]),
            rank0=numbers.ratio(row["rank0_ratio"]),
            second=numbers.ratio(row["ratio_to_second"]),
            rank0_second=numbers.ratio(row["rank0_ratio_to_second"]),
            skew=numbers.significant(row["skew_us"]),
        )
        for row in table.to_dict("records")
    ]
    ratios = published().pivot_table(index="operation", columns="library", values="ratio", sort=False)
    theirs = [(str(name), list(map(numbers.ratio, row.tolist()))) for name, row in ratios.iterrows()]
    text = (
        f"The very first call took {numbers.ratio(table['ratio'].min())} to {numbers.ratio(table['ratio'].max())} as "
        "long as later ones, by the medians over launches"
    )
    return View(text, rows, [str(name) for name in ratios.columns], theirs, source.figures_of("late"))


LATE_INITIALISATION = Section("late", "First calls", "systematic/late.html.j2", build_late, needs=(LATE_CALLS,))


@dataclass(frozen=True)
class ErrorRow:
    """What a wrong and the right way say of a case, as text."""

    mark: StackMark
    case: str
    processes: str
    wrong: str
    right: str
    ratio: str
    range: str
    expected: str
    published: str
    reason: str


@dataclass(frozen=True)
class ErrorView:
    """An error with its number, figures and rows; `known`: whether a ratio is expected or published."""

    number: str
    error: Error
    figures: list[FigureView]
    rows: list[ErrorRow]
    known: bool


def build_errors(source: Source) -> list[ErrorView] | None:
    """None if the campaign shows no errors."""
    table, marks = source.analysis[SYSTEMATIC_ERRORS], source.marks
    views = []
    for number, error_rows in table.groupby("error"):
        rows = [
            ErrorRow(
                mark=marks[row["stack"]],
                case=_case(row),
                processes=str(row["processes"]),
                wrong=numbers.significant(row["wrong_us"]),
                right=numbers.significant(row["right_us"]),
                ratio=numbers.ratio(row["ratio"]),
                range=numbers.ratio_interval(row["ratio_min"], row["ratio_max"]),
                expected=_known(row["expected"]),
                published=_known(row["published"]),
                reason=row["reason"],
            )
            for row in error_rows.to_dict("records")
        ]
        figures = [plot for plot in source.figures_of("errors") if f". {number}: " in plot.title]
        has_reference = bool(error_rows[["expected", "published"]].notna().any(axis=None))
        views.append(ErrorView(str(number), ERRORS[str(number)], figures, rows, has_reference))
    return views or None


def _known(value: float) -> str:
    return numbers.NONE if isnan(value) else f"{value:.4g}"


def _case(row: Mapping[Any, Any]) -> str:
    size = labels.size(row)
    parts = [str(row["operation"]), *([size] if row["bytes"] else [])]
    return ", ".join([*parts, *([str(row["quantity"])] if row["quantity"] not in ("time", "first call") else [])])


SYSTEMATIC = Section(
    "errors", "Systematic errors", "systematic/errors.html.j2", build_errors, needs=(SYSTEMATIC_ERRORS,)
)

SUBJECT = Subject(
    tables=(FIRST_CALLS, LATE_CALLS, SYSTEMATIC_ERRORS),
    figures=(figure.figures,),
    findings=(late_initialisation, systematic_errors),
    sections=(LATE_INITIALISATION, SYSTEMATIC),
)
