# SPDX-License-Identifier: BSD-3-Clause
"""Systematic errors: each with its figure, its table, and the reason for every ratio."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

from isochron.postprocess.formatting import labels__labels as labels
from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.kit.section import FigureView, Section, Source, StackMark
from isochron.postprocess.subjects.systematic.errors__systematic import ERRORS, Error
from isochron.postprocess.subjects.systematic.table__errors import SYSTEMATIC_ERRORS


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


def build(source: Source) -> list[ErrorView] | None:
    """None where the campaign shows no errors."""
    table, marks = source.analysis[SYSTEMATIC_ERRORS], source.marks
    found = []
    for number, own in table.groupby("error"):
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
            for row in own.to_dict("records")
        ]
        figures = [figure for figure in source.figures_of("errors") if f". {number}: " in figure.title]
        known = bool(own[["expected", "published"]].notna().any(axis=None))
        found.append(ErrorView(str(number), ERRORS[str(number)], figures, rows, known))
    return found or None


def _known(value: float) -> str:
    return numbers.NONE if isnan(value) else f"{value:.4g}"


def _case(row: Mapping[Any, Any]) -> str:
    size = labels.size(row)
    parts = [str(row["operation"]), *([size] if row["bytes"] else [])]
    return ", ".join([*parts, *([str(row["quantity"])] if row["quantity"] not in ("time", "first call") else [])])


SYSTEMATIC = Section("errors", "Systematic errors", "errors.html.j2", build, needs=(SYSTEMATIC_ERRORS,))
