# SPDX-License-Identifier: BSD-3-Clause
"""Drawings of the nodes that launches took: a map for each placement, with the number of processes on each node."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from isochron.postprocess.kit.drawing__panels import grid
from isochron.postprocess.kit.figure__model import FigureInfo, Plot
from isochron.postprocess.kit.figure__palette import INK, MUTED, SERIES
from isochron.postprocess.subjects.npb.table__nodes import POINT

#: Panels of one figure, and nodes beside each other whose names can be read.
MAX_PANELS, MAX_NAMED = 20, 4
CAPTION = (
    "The nodes as the campaign's map has them, or by name: the number is that of the processes on a node, an empty one "
    "was not used. 0–2: another number in other blocks."
)


def plots(table: pd.DataFrame, note: str) -> Iterator[Plot]:
    """The drawings, where there is more than one node. `table`: `NODE_COLUMNS`."""
    if table["host"].nunique() > 1:
        info = FigureInfo(file="npb-nodes.svg", title=f"Nodes that were used{note}", caption=CAPTION, section="npb")
        yield Plot(info, lambda: drawn(table))


def drawn(table: pd.DataFrame) -> Figure:
    """A panel for each placement, occupancy and number of processes."""
    panels_of = list(table.groupby(POINT, sort=False))[:MAX_PANELS]
    rows, columns = table["row"].max() + 1, table["column"].max() + 1
    figure, panels = grid(len(panels_of), 4, 0.5 + 1.6 * min(rows / columns, 2))
    most = table["most"].max()
    for axes, ((placement, per_node, processes), own) in zip(panels, panels_of, strict=True):
        for node in own.to_dict("records"):
            _node(axes, node, most, named=columns <= MAX_NAMED)
        axes.set_xlim(-0.6, columns - 0.4)
        axes.set_ylim(rows - 0.4, -0.6)
        axes.set_aspect("equal")
        axes.set_axis_off()
        axes.set_title(f"{processes} at {per_node}/node\n{placement}", fontsize=7.5)
    return figure


def _node(axes: Axes, node: dict[object, object], most: int, *, named: bool) -> None:
    """A square, the fuller the more processes; its name below where there is room."""
    x, y, least, greatest = (int(str(node[name])) for name in ("column", "row", "least", "most"))
    colour = INK if greatest else MUTED
    shade = 0.15 + 0.6 * greatest / most if greatest else 0.0
    axes.add_patch(Rectangle((x - 0.4, y - 0.4), 0.8, 0.8, facecolor=SERIES[0], alpha=shade, edgecolor="none"))
    axes.add_patch(Rectangle((x - 0.4, y - 0.4), 0.8, 0.8, fill=False, edgecolor=colour, linewidth=0.7))
    count = str(greatest) if least == greatest else f"{least}–{greatest}"
    if greatest:
        axes.text(x, y - (0.08 if named else 0), count, ha="center", va="center", fontsize=8, color=INK)
    if named:
        short = str(node["host"]).split(".")[0]
        axes.text(x, y + 0.3, short[-10:], ha="center", va="center", fontsize=5, color=MUTED)
