# SPDX-License-Identifier: BSD-3-Clause
"""How much of a nonblocking operation a computation hides, against the length of the computation."""

from collections.abc import Iterator
from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.formatting.labels import simulation_note
from isochron.postprocess.ingest.inputs import POINT, RunInputs
from isochron.postprocess.kit.drawing import Columns, grid, legend, name_axes, points
from isochron.postprocess.kit.figure import MUTED, FigureInfo, Mark, Plot, marks, pages
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.details.table import OVERLAP

#: Panels of one figure; more make a further figure.
MAX_PANELS = 12
CAPTION = (
    "Share of a nonblocking operation's time that a computation between its start and its wait hides, against the "
    "length of the computation, as a multiple of the operation's own time. At 100 % the operation costs nothing beside "
    "the computation; at 0 % both follow each other. Markers are medians over launches, bars the range over them. "
    "Higher is better; lines only lead the eye."
)


def figures(inputs: RunInputs, analysis: Analysis) -> Iterator[Plot]:
    """Overlap of nonblocking operations with a computation."""
    yield from plots(analysis[OVERLAP], marks(inputs.campaign.stacks), simulation_note(analysis.launches))


def plots(table: pd.DataFrame, marks: dict[str, Mark], note: str) -> Iterator[Plot]:
    """A figure for each point: a panel for each operation and size. `table`: `OVERLAP_COLUMNS`."""
    for (processes, per_node, placement), point_rows in table.groupby(POINT, sort=False):
        point = {"processes": processes, "processes_per_node": per_node, "placement": placement}
        for number, part in pages(point_rows, ["operation", "bytes"], MAX_PANELS):
            info = FigureInfo(
                file=f"overlap.p{processes}.n{per_node}.{placement}{number}.svg",
                title=f"Overlap with a computation: {labels.point(point)}{note}",
                caption=CAPTION,
                section="details",
            )
            yield Plot(info, partial(overlap, part, marks, note))


def overlap(rows: pd.DataFrame, marks: dict[str, Mark], note: str) -> Figure:
    """`rows`: `OVERLAP_COLUMNS` of one point."""
    present = {stack: mark for stack, mark in marks.items() if stack in set(rows["stack"])}
    cases = rows[["operation", "bytes"]].drop_duplicates().itertuples(index=False, name=None)
    panels_of = list(cases)
    figure, panels = grid(len(panels_of), 3, 1.9)
    shares = ["overlap", "overlap_min", "overlap_max"]
    percent = rows.assign(reliable=True, **{name: 100 * rows[name] for name in shares})
    for axes, (operation, size) in zip(panels, panels_of, strict=True):
        axes.axhline(100, color=MUTED, linewidth=0.6)
        axes.axhline(0, color=MUTED, linewidth=0.6)
        for stack, mark in present.items():
            case = (percent["operation"] == operation) & (percent["bytes"] == size) & (percent["stack"] == stack)
            stack_share = percent[case].sort_values("share")
            place = (stack_share["share"].to_numpy(dtype=float), stack_share["overlap"].to_numpy(dtype=float))
            axes.plot(*place, color=mark.colour, linewidth=0.8, alpha=0.7)
            points(axes, place, stack_share, Columns("share", *shares), mark, along="y")
        axes.set_title(f"{operation}, {numbers.size(size)}" if size else str(operation))
    name_axes(figure, f"Length of the computation / time of the operation{note}", "Hidden (%)")
    legend(figure, present, joined=True, doubtful=False)
    return figure
