# SPDX-License-Identifier: BSD-3-Clause
"""Scalability: what leaves its cost model, times and efficiency over processes, and what the models rest on."""

from __future__ import annotations

from dataclasses import dataclass

from isochron.postprocess.kit.section import FigureView, Section, Source
from isochron.postprocess.subjects.scaling.curves import (
    CurveRow,
    LargestTable,
    ParameterRow,
    curve_rows,
    largest_tables,
    parameter_rows,
)
from isochron.postprocess.subjects.scaling.section__departures import Ranking, ranking
from isochron.postprocess.subjects.scaling.section__tables import OfOperation, tables
from isochron.postprocess.subjects.scaling.table import MODEL_DEPARTURES, MODEL_PARAMETERS, MODELS, SCALING


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
    """None where no curve has enough process counts."""
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
    "scaling/scalability.html.j2",
    build,
    needs=(MODELS, MODEL_DEPARTURES, MODEL_PARAMETERS, SCALING),
)
