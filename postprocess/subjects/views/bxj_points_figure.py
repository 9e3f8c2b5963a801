# SPDX-License-Identifier: BSD-3-Clause
"""All points of all blocking collectives, for all numbers of processes per node, by how each was obtained."""

from collections.abc import Iterator
from functools import partial

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isochron.postprocess.formatting import numbers
from isochron.postprocess.formatting.labels import simulation_note
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.drawing import grid, legend, log_axis, name_axes, positions, ticks
from isochron.postprocess.kit.figure import FigureInfo, Mark, Plot, marks, pages
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.views.bxj_points import BXJ_POINTS, COARSE, MODEL

#: Panels of one figure; more make a further figure.
MAX_PANELS = 12
CAPTION = (
    "Time of each blocking collective against the number of processes, one colour for each number of processes per "
    "node. Full markers were measured, or simulated message by message; hollow ones are of the coarse simulation, "
    "crosses of a model. `view-bxj-points` has the errors of both. Lines only lead the eye."
)


def figures(_inputs: RunInputs, analysis: Analysis) -> Iterator[Plot]:
    """A figure for each stack and placement, of at most `MAX_PANELS` panels."""
    table = analysis[BXJ_POINTS]
    counts = table.groupby(["operation", "bytes"])["processes"].transform("nunique")
    several = table[table["time_us"].notna() & (counts > 1)]
    note = simulation_note(analysis.launches)
    for (stack, placement), rows in several.groupby(["stack", "placement"], sort=False):
        for number, part in pages(rows, ["operation", "bytes"], MAX_PANELS):
            info = FigureInfo(
                file=f"bxj-points.{stack}.{placement}{number}.svg",
                title=f"Every point of every blocking collective: {stack}{note}",
                caption=CAPTION,
                section="views-bxj",
            )
            yield Plot(info, partial(plot, part, note))


def plot(rows: pd.DataFrame, note: str) -> Figure:
    """A panel for each operation and size, processes from left to right. `rows`: `POINT_COLUMNS` with a time."""
    cases = list(rows[["operation", "bytes"]].drop_duplicates().itertuples(index=False, name=None))
    named = rows.assign(per_node=[f"{count} processes per node" for count in rows["processes_per_node"]])
    colours = marks(list(dict.fromkeys(named["per_node"])))
    figure, panels = grid(len(cases), 3, 2.0)
    for axes, (operation, size) in zip(panels, cases, strict=True):
        panel_rows = named[(named["operation"] == operation) & (named["bytes"] == size)]
        places = positions(panel_rows["processes"].tolist())
        for name, curve in panel_rows.groupby("per_node", sort=False):
            _curve(axes, curve.sort_values("processes"), places, colours[str(name)])
        log_axis(axes, "y")
        ticks(axes, places, {count: str(count) for count in places}, most=5)
        axes.set_title(f"{operation}, {numbers.size(size)}" if size else str(operation))
    legend(figure, colours, joined=True, doubtful=False)
    name_axes(figure, f"Processes{note}", "Time (µs)")
    return figure


def _curve(axes: Axes, rows: pd.DataFrame, places: dict[int, float], mark: Mark) -> None:
    x = rows["processes"].map(places)
    axes.plot(x, rows["time_us"], color=mark.colour, linewidth=0.8, alpha=0.7)
    for made, of_kind in rows.groupby("made", sort=False):
        axes.plot(
            of_kind["processes"].map(places),
            of_kind["time_us"],
            color=mark.colour,
            marker="x" if made == MODEL else mark.marker,
            markerfacecolor="none" if made == COARSE else mark.colour,
            markersize=4,
            linewidth=0,
        )
