# SPDX-License-Identifier: BSD-3-Clause
"""What is measured beside the time: the tables of details, each folded, with the file that has all of it."""

from dataclasses import dataclass

import pandas as pd

from isochron.postprocess.kit.section import FigureView, Section, Source
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.kit.table import Table
from isochron.postprocess.kit.table_view import Part, part
from isochron.postprocess.subjects.contrasts.table import CONTRASTS
from isochron.postprocess.subjects.details import figure
from isochron.postprocess.subjects.details.finding import growing_memory
from isochron.postprocess.subjects.details.ranks import ARRIVAL, RANK_TIMES, RANKS, STRAGGLERS
from isochron.postprocess.subjects.details.table import BANDWIDTH, COSTS, GROWTH, MEMORY, OVERLAP

#: Memory that the page shows; the file has all.
FIGURES = ("pss", "private", "dev_shm")


@dataclass(frozen=True)
class View:
    """The tables, and the figures that belong to them."""

    parts: list[Part]
    figures: list[FigureView]


def build(source: Source) -> View | None:
    """None if nothing of it was measured."""
    shown = {table: _shown(table, source.analysis[table]) for table in TABLES if table.applies(source.inputs.campaign)}
    parts = [part(table, frame) for table, frame in shown.items() if len(frame)]
    return View(parts, source.figures_of("details")) if parts else None


def _shown(table: Table, frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of a table that the page shows."""
    return frame[frame["figure"].isin(FIGURES)] if table in (MEMORY, GROWTH) else frame


TABLES = (CONTRASTS, BANDWIDTH, RANK_TIMES, COSTS, OVERLAP, ARRIVAL, RANKS, STRAGGLERS, MEMORY, GROWTH)
DETAILS = Section("details", "Other measurements", "details/section.html.j2", build, needs=TABLES)

SUBJECT = Subject(
    tables=(BANDWIDTH, RANK_TIMES, COSTS, OVERLAP, ARRIVAL, RANKS, STRAGGLERS, MEMORY, GROWTH),
    figures=(figure.figures,),
    findings=(growing_memory,),
    sections=(DETAILS,),
)
