# SPDX-License-Identifier: BSD-3-Clause
"""Time diagrams of MPIPerf (Kurnosov, 2012): slots, and what each process does in them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from isochron.postprocess.formatting import labels__labels as labels
from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.ingest.inputs__inputs import POINT
from isochron.postprocess.kit.drawing__panels import grid
from isochron.postprocess.kit.figure__model import FigureInfo, Plot
from isochron.postprocess.kit.figure__palette import GRID, MUTED, SERIES

#: Panels of one figure; more make a further figure.
MAX_PANELS = 12
CAPTION = (
    "The first runs of a launch in global time, a line for each process: a bar lasts from the process' start to its "
    "end, hollow where the run is not valid. Stripes are the slots, in which a run has to start and end; schemes "
    "without slots have none, and a bar of a loop holds all its operations. Where the bars of a run begin beneath each "
    "other, the processes have started together."
)
#: Beside the operation, what a panel is of.
OF = ["scheme", "timer", "buffers"]


def plots(table: pd.DataFrame, note: str) -> Iterator[Plot]:
    """A figure for each stack and point, of the smallest size with data. `table`: `DIAGRAM_COLUMNS`."""
    size = table[table["bytes"] > 0].groupby("operation")["bytes"].min()
    chosen = table[table["bytes"] == table["operation"].map(size).fillna(0)]
    for (stack, processes, per_node, placement), own in chosen.groupby(["stack", *POINT], sort=False):
        point = {"processes": processes, "processes_per_node": per_node, "placement": placement}
        panels = own[["operation", *OF]].drop_duplicates()
        for first in range(0, len(panels), MAX_PANELS):
            part = own.merge(panels.iloc[first : first + MAX_PANELS], on=["operation", *OF])
            number = f".{first // MAX_PANELS + 1}" if len(panels) > MAX_PANELS else ""
            info = FigureInfo(
                file=f"mpiperf-diagram.{stack}.p{processes}.n{per_node}.{placement}{number}.svg",
                title=f"Time diagram, {stack}: {labels.point(point)}{note}",
                caption=CAPTION,
                section="views-mpiperf",
            )
            yield Plot(info, partial(diagram, part, note))


def diagram(table: pd.DataFrame, note: str) -> Figure:
    """A panel for each operation and setting. `table`: `DIAGRAM_COLUMNS`."""
    keys = table[["operation", *OF]].drop_duplicates()
    told = [name for name in OF if keys[name].nunique() > 1]
    figure, panels = grid(len(keys), 2, 0.7 + 0.16 * min(table["rank"].nunique(), 16))
    for axes, key in zip(panels, keys.to_dict("records"), strict=True):
        own = table[(table[list(key)] == pd.Series(key)).all(axis=1)]
        _panel(axes, own)
        size = int(own["bytes"].iloc[0])
        what = [str(key["operation"]), *([numbers.size(size)] if size else []), *(str(key[name]) for name in told)]
        axes.set_title(", ".join(what))
    handles = [
        Patch(facecolor=SERIES[0], edgecolor=SERIES[0], label="valid run"),
        Patch(facecolor="none", edgecolor=SERIES[1], label="not valid"),
        Patch(facecolor=GRID, label="slot"),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=3, handlelength=1.6, columnspacing=1.4)
    figure.supxlabel(f"Global time (µs){note}", fontsize=8.5)
    figure.supylabel("Process", fontsize=8.5)
    return figure


def _panel(axes: Axes, own: pd.DataFrame) -> None:
    slots = own.drop_duplicates("rep").dropna(subset=["slot_us"])
    for number, (begin, end) in enumerate(zip(slots["slot_us"], slots["slot_end_us"], strict=True)):
        if number % 2 == 0:
            axes.axvspan(begin, end, color=GRID, linewidth=0)
        axes.axvline(begin, color=MUTED, linewidth=0.5)
        axes.axvline(end, color=MUTED, linewidth=0.5, linestyle=(0, (2, 2)))
    for valid, colour, fill in ((True, SERIES[0], SERIES[0]), (False, SERIES[1], "none")):
        rows = own[own["valid"].astype(bool) == valid]
        axes.barh(
            rows["rank"], rows["end_us"] - rows["start_us"], left=rows["start_us"], height=0.6, color=fill,
            edgecolor=colour, linewidth=0.7,
        )  # fmt: skip
    ranks = sorted(own["rank"].unique().tolist())
    axes.set_yticks(ranks[:: max(1, len(ranks) // 8)])
    axes.set_ylim(max(ranks) + 0.6, min(ranks) - 0.6)
    axes.grid(visible=False)
