# SPDX-License-Identifier: BSD-3-Clause
"""How the numbers were made, and how well the clocks were synchronised."""

from __future__ import annotations

from dataclasses import dataclass

from isochron.postprocess.estimate.machine.clocks__timers import timers_in_words
from isochron.postprocess.formatting import labels__labels as labels
from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.kit.section import FigureView, Section, Source
from isochron.postprocess.kit.table__analysis import Analysis
from isochron.postprocess.subjects.environment.table import CLOCKS, TIMERS
from isochron.postprocess.subjects.guidelines.table import GUIDELINES
from isochron.postprocess.subjects.scaling.curves import parameter_rows
from isochron.postprocess.subjects.scaling.table import MODEL_PARAMETERS, MODELS


@dataclass(frozen=True)
class ClockRow:
    """A synchroniser at a point: time, errors and bound, as text."""

    method: str
    stack: str
    point: str
    phase: str
    error: str
    error_end: str
    bound: str
    errors: str
    launches: str


@dataclass(frozen=True)
class View:
    """Synchronisers; what the checks of timers have shown, in words; and which methods the report has made use of."""

    clocks: list[ClockRow]
    figures: list[FigureView]
    timers: str
    guidelines: bool
    models: bool


def build(source: Source) -> View:
    """Always there."""
    return View(
        clocks=clock_rows(source.analysis),
        figures=source.figures_of("methods"),
        timers=timers_in_words(source.analysis[TIMERS]),
        guidelines=len(source.analysis[GUIDELINES]) > 0,
        models=bool(parameter_rows(source)),
    )


def clock_rows(analysis: Analysis) -> list[ClockRow]:
    """Every synchroniser at every point."""
    return [
        ClockRow(
            method=f"{row['clock_sync']}, {row['clock_estimator']}",
            stack=row["stack"],
            point=labels.point(row),
            phase=numbers.significant(row["phase_ms"]),
            error=numbers.significant(row["error_us"]),
            error_end=numbers.significant(row["error_end_us"]),
            bound=numbers.significant(row["bound_us"]),
            errors=row["errors"],
            launches=numbers.fixed(row["launches"], 0),
        )
        for row in analysis[CLOCKS].to_dict("records")
    ]


METHODS = Section(
    "methods",
    "Methods",
    "methods.html.j2",
    build,
    needs=(CLOCKS, TIMERS, GUIDELINES, MODELS, MODEL_PARAMETERS),
)
