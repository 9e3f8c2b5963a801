# SPDX-License-Identifier: BSD-3-Clause
"""The map of a scan: how much longer each node, or each pair of nodes, takes than the median of all."""

from collections.abc import Iterator

import pandas as pd
from matplotlib.figure import Figure

from isochron.postprocess.estimate.compare.scan import CASE, heat
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.formatting.labels import simulation_note
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.drawing import grid
from isochron.postprocess.kit.figure import INK, FigureInfo, Plot
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.scan.table import SCAN

#: Panels of one figure, and names that fit along an axis.
MAX_PANELS, MAX_NAMES = 12, 24
#: The colours reach from none to so many times the median.
LOW, HIGH = 0.8, 1.25
CAPTION = (
    "Time on each node, or between each two nodes, over the median of all in the same allocation: darker is "
    "longer. At small sizes it is a map of the latency, at large ones of the bandwidth. A frame marks what is "
    "established as slow."
)


def figures(_: RunInputs, analysis: Analysis) -> Iterator[Plot]:
    """The map of the scan."""
    yield from plots(analysis[SCAN], simulation_note(analysis.launches))


def plots(table: pd.DataFrame, note: str) -> Iterator[Plot]:
    """A figure of the scan, if there is one. `table`: `SCAN_COLUMNS`."""
    if len(table):
        title = f"Map of {'links' if (table['unit'] == 'link').any() else 'nodes'}{note}"
        yield Plot(FigureInfo(file="scan.svg", title=title, caption=CAPTION, section="scan"), lambda: drawn(table))


def drawn(table: pd.DataFrame) -> Figure:
    """A panel for each stack and case."""
    groups = list(table.groupby(CASE, sort=False))[:MAX_PANELS]
    square = bool((table["unit"] == "link").any())
    figure, panels = grid(len(groups), 3 if square else 1, 2.3 if square else 0.9)
    image = None
    for axes, (_, case_rows) in zip(panels, groups, strict=True):
        hosts, matrix = heat(case_rows)
        image = axes.imshow(matrix, cmap="YlOrBr", vmin=LOW, vmax=HIGH, aspect="auto", interpolation="nearest")
        step = -(-len(hosts) // MAX_NAMES)
        places = list(range(0, len(hosts), step))
        axes.set_xticks(places, [hosts[place] for place in places], rotation=90, fontsize=6)
        axes.set_yticks(places if square else [], [hosts[place] for place in places] if square else [], fontsize=6)
        axes.grid(visible=False)
        for row in case_rows[case_rows["verdict"] == "slow"].to_dict("records"):
            _frame(axes, hosts, row, square=square)
        stack, operation, size = case_rows[["stack", "operation", "bytes"]].iloc[0]
        axes.set_title(f"{stack}: {labels.timed(str(operation))}{f', {numbers.size(size)}' if size else ''}")
    if image is not None:
        figure.colorbar(image, ax=panels, label="time / median", extend="both", shrink=0.8)
    return figure


def _frame(axes: object, hosts: list[str], row: dict[object, object], *, square: bool) -> None:
    """Around the cells of a slow node or link."""
    from matplotlib.axes import Axes
    from matplotlib.patches import Rectangle

    assert isinstance(axes, Axes)
    one = hosts.index(str(row["host"]))
    cells = [(one, 0)] if not square else []
    if square and row["unit"] == "link":
        other = hosts.index(str(row["peer"]))
        cells = [(one, other), (other, one)]
    if square and row["unit"] == "node":
        cells = [(one, place) for place in range(len(hosts)) if place != one]
    for x, y in cells:
        axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, fill=False, edgecolor=INK, linewidth=1.2))
