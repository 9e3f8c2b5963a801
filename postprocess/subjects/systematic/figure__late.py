# SPDX-License-Identifier: BSD-3-Clause
"""Late initialisation: the very first call of a launch against later ones, beside the published ratios."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.kit.drawing__panels import Columns, dots, grid, legend, log_axis
from isochron.postprocess.kit.figure__model import FigureInfo, Plot
from isochron.postprocess.kit.figure__palette import INK, MUTED, Mark
from isochron.postprocess.subjects.systematic.table__late_initialisation import published

CAPTION = (
    "How much longer the very first call of a launch takes than later ones, on the slowest process: before it there is "
    "MPI_Init and nothing else. Markers are medians over launches, bars the range over them. Without colour: ratios of "
    "first to second call as published in 2012, on another machine."
)
#: How the published libraries are drawn, one after the other.
PUBLISHED = (Mark(MUTED, "P"), Mark(INK, "X"))


def plots(table: pd.DataFrame, series: dict[str, Mark], note: str) -> Iterator[Plot]:
    """One figure, where first calls were timed. `table`: `LATE_COLUMNS`."""
    rows = table[table["ratio"] > 0]
    if not len(rows):
        return
    info = FigureInfo(
        file="late-initialisation.svg",
        title=f"The very first call of a launch against later ones{note}",
        caption=CAPTION,
        section="late",
    )
    present = set(rows["stack"])
    own = {stack: mark for stack, mark in series.items() if stack in present}
    yield Plot(info, lambda: late_ratios(rows, own, note))


def late_ratios(rows: pd.DataFrame, series: dict[str, Mark], note: str) -> Figure:
    """Operation and size from top to bottom, a marker with its range for each stack, and the published ones.

    `rows`: `LATE_COLUMNS`.
    """
    rows = rows.assign(case=[_case(row) for row in rows.to_dict("records")], reliable=True)
    several = len(rows[["processes", "processes_per_node", "placement"]].drop_duplicates()) > 1
    if several:
        rows["case"] += [f", {row['processes']} × {row['processes_per_node']}" for row in rows.to_dict("records")]
    cases = rows[["case", "operation"]].drop_duplicates()
    theirs = published().merge(cases, on="operation").rename(columns={"library": "stack"})
    theirs = theirs.assign(reliable=True, ratio_min=theirs["ratio"], ratio_max=theirs["ratio"])
    libraries = theirs["stack"].unique().tolist()
    shown = {**series, **dict(zip(libraries, PUBLISHED, strict=False))}
    categories = cases["case"].tolist()
    figure, (axes,) = grid(1, 1, 0.4 + len(categories) * (0.18 + 0.08 * len(shown)))
    both = pd.concat([rows, theirs], ignore_index=True)
    dots(axes, both, Columns("case", "ratio", "ratio_min", "ratio_max"), shown, categories)
    log_axis(axes, "x")
    axes.set_xlabel(f"First call / later calls{note}")
    legend(figure, shown, joined=False, doubtful=False)
    return figure


def _case(row: Mapping[Any, Any]) -> str:
    size = int(row["bytes"])
    return f"{row['operation']}, {numbers.size(size)}" if size else str(row["operation"])
