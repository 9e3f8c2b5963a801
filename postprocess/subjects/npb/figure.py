# SPDX-License-Identifier: BSD-3-Clause
"""NPB against processes, beside published results; and maps of the nodes that launches took."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from isochron.postprocess.formatting.labels import simulation_note
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.drawing import Columns, grid, legend, log_axis, name_axes, positions, series, ticks
from isochron.postprocess.kit.figure import INK, MUTED, SERIES, FigureInfo, Mark, Plot, marks
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.npb.table import NPB, NPB_NODES, NPB_PUBLISHED, POINT

#: Panels of one figure.
NPB_MAX_PANELS = 16
INTERVALS = "Bars are exact intervals of medians over launches, or the range where launches are few."
PANELS = ["kernel", "npb_class"]


def figures(_: RunInputs, analysis: Analysis) -> Iterator[Plot]:
    """Rates and speed-ups of the kernels, and the nodes that were used."""
    note = simulation_note(analysis.launches)
    yield from npb_plots(analysis[NPB], analysis[NPB_PUBLISHED], note)
    yield from node_plots(analysis[NPB_NODES], note)


@dataclass(frozen=True)
class Curves:
    """A figure of a run's kernels: its column in `npb.csv`, title, caption and axis; `ideal`: of perfect scaling."""

    column: str
    title: str
    caption: str
    label: str
    ideal: Callable[[NDArray[np.int64]], NDArray[np.int64]] | None = None


CURVES = (
    Curves("mops_total", "Total rate", "10⁶ operations a second of all processes; higher is better.", "Mop/s total"),
    Curves(
        "speed_up",
        "Speed-up",
        "Higher is better; the broken line is a speed-up of one per process.",
        "Speed-up",
        lambda counts: counts,
    ),
    Curves("efficiency", "Efficiency", "Speed-up per process; the broken line is 1.", "Efficiency", np.ones_like),
)
#: Rates of both machines: what is compared, its caption and its axis.
PUBLISHED_RATES = {
    "mops_per_processor": (
        "10⁶ operations a second per processor; higher is faster. A node left half empty counts whole.",
        "Mop/s per processor",
    ),
    "mops_total": ("10⁶ operations a second of all processes; higher is faster.", "Mop/s total"),
}
MAPS = " Bars of published rates are the range over the nodes that were used."


def npb_plots(table: pd.DataFrame, beside: pd.DataFrame, note: str) -> Iterator[Plot]:
    """The figures of a run, of curves if a kernel has several numbers of processes. Tables: as their CSV files."""
    with_rates = _named(table[table["mops_total"] > 0])
    if len(with_rates) and with_rates.groupby(PANELS)["processes"].nunique().max() > 1:
        for curves in CURVES:
            info = FigureInfo(
                file=f"npb-{curves.column.replace('_', '-')}.svg",
                title=f"{curves.title} of the NAS Parallel Benchmarks{note}",
                caption=f"{curves.caption} {INTERVALS}",
                section="npb",
            )
            yield Plot(info, partial(against_processes, with_rates, curves, note))
    for number, (machine, machine_rows) in enumerate(beside.groupby("machine", sort=False), start=1):
        for column, (caption, label) in PUBLISHED_RATES.items():
            sides = both_sides(machine_rows, str(machine), column)
            if sides["side"].nunique() > 1:
                info = FigureInfo(
                    file=f"npb-published-{column.replace('_', '-')}.{number}.svg",
                    title=f"{label} of the NAS Parallel Benchmarks beside {machine}{note}",
                    caption=caption + MAPS,
                    section="npb",
                )
                yield Plot(info, partial(rates, sides, label, note))


def _named(table: pd.DataFrame) -> pd.DataFrame:
    """The rows with a name of their curve: the stack, and what of occupancy and placement differs."""
    names = table["stack"].astype(str)
    if table["processes_per_node"].nunique() > 1:
        names = names + ", " + table["processes_per_node"].astype(str) + "/node"
    if table["placement"].nunique() > 1:
        names = names + ", " + table["placement"]
    return table.assign(curve=names, reliable=True)


def _panels(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    return [
        (f"{kernel} {problem}", kernel_rows) for (kernel, problem), kernel_rows in rows.groupby(PANELS, sort=False)
    ][:NPB_MAX_PANELS]


def against_processes(rows: pd.DataFrame, curves: Curves, note: str) -> Figure:
    """A panel for each kernel and class, a curve for each stack, occupancy and placement."""
    panels_of, column = _panels(rows), curves.column
    curve_marks = marks(list(dict.fromkeys(rows["curve"])))
    shown = rows.assign(stack=rows["curve"])
    for name in ("low", "high"):
        shown[f"efficiency_{name}"] = shown[f"speed_up_{name}"] / shown["processes"]
    figure, panels = grid(len(panels_of), 3, 2.1)
    for axes, (title, panel_rows) in zip(panels, panels_of, strict=True):
        part = shown.loc[panel_rows.index]
        places = positions(part["processes"].tolist())
        series(axes, part, Columns("processes", column, f"{column}_low", f"{column}_high"), curve_marks, places)
        if curves.ideal is not None:
            counts = np.array(sorted(places))
            at = [places[int(count)] for count in counts]
            axes.plot(at, curves.ideal(counts), color=MUTED, linewidth=0.8, linestyle=(0, (4, 2)))
        if column == "efficiency":
            axes.set_ylim(bottom=0)
        else:
            log_axis(axes, "y")
        ticks(axes, places, {value: str(value) for value in places}, most=5)
        axes.set_title(title)
    _finish(figure, curve_marks, curves.label, note)
    return figure


def both_sides(rows: pd.DataFrame, machine: str, column: str) -> pd.DataFrame:
    """A row for each rate of either machine, which `curve` names; of published ones the range over maps of nodes.

    `rows`: `NPB_PUBLISHED_COLUMNS` of one machine; `column`: of `PUBLISHED_RATES`.
    """
    ours = _named(rows[rows[f"this_{column}"] > 0]).drop_duplicates([*PANELS, "curve", "processes"])
    ours = ours.assign(side="ours", **dict.fromkeys(("value", "low", "high"), ours[f"this_{column}"]))
    theirs = _named(rows[rows[f"other_{column}"] > 0].assign(stack=machine, placement=""))
    cases = theirs.drop_duplicates([*PANELS, "curve", "processes", "other_map"]).groupby(
        [*PANELS, "curve", "processes"], sort=False, as_index=False
    )
    over_maps = cases[f"other_{column}"].agg(["median", "min", "max"])
    theirs = over_maps.rename(columns={"median": "value", "min": "low", "max": "high"})
    joined = pd.concat([ours, theirs.assign(side="theirs", reliable=True)], ignore_index=True)
    columns = [*PANELS, "processes", "curve", "value", "low", "high", "side", "reliable"]
    both = joined.groupby(PANELS)["side"].transform("nunique") > 1
    return joined.loc[both, columns]


def rates(sides: pd.DataFrame, label: str, note: str) -> Figure:
    """A panel for each kernel and class that both machines have."""
    curve_marks = marks(list(dict.fromkeys(sides["curve"])))
    panels_of = _panels(sides)
    figure, panels = grid(len(panels_of), 3, 2.1)
    for axes, (title, panel_rows) in zip(panels, panels_of, strict=True):
        places = positions(panel_rows["processes"].tolist())
        columns = Columns("processes", "value", "low", "high")
        series(axes, panel_rows.assign(stack=panel_rows["curve"]), columns, curve_marks, places)
        log_axis(axes, "y")
        ticks(axes, places, {value: str(value) for value in places}, most=5)
        axes.set_title(title)
    _finish(figure, curve_marks, label, note)
    return figure


def _finish(figure: Figure, curve_marks: dict[str, Mark], label: str, note: str) -> None:
    name_axes(figure, f"Processes{note}", label)
    legend(figure, curve_marks, joined=True, doubtful=False)


#: Panels of one figure, and nodes beside each other whose names can be read.
NODE_MAX_PANELS, MAX_NAMED = 20, 4
CAPTION = (
    "The nodes as the campaign's map has them, or by name: the number is that of the processes on a node, an empty one "
    "was not used. 0–2: another number in other blocks."
)


def node_plots(table: pd.DataFrame, note: str) -> Iterator[Plot]:
    """The drawings, if there is more than one node. `table`: `NODE_COLUMNS`."""
    if table["host"].nunique() > 1:
        info = FigureInfo(file="npb-nodes.svg", title=f"Nodes that were used{note}", caption=CAPTION, section="npb")
        yield Plot(info, lambda: drawn(table))


def drawn(table: pd.DataFrame) -> Figure:
    """A panel for each placement, occupancy and number of processes."""
    panels_of = list(table.groupby(POINT, sort=False))[:NODE_MAX_PANELS]
    rows, columns = table["row"].max() + 1, table["column"].max() + 1
    figure, panels = grid(len(panels_of), 4, 0.5 + 1.6 * min(rows / columns, 2))
    most = table["most"].max()
    for axes, ((placement, per_node, processes), panel_rows) in zip(panels, panels_of, strict=True):
        for node in panel_rows.to_dict("records"):
            _node(axes, node, most, named=columns <= MAX_NAMED)
        axes.set_xlim(-0.6, columns - 0.4)
        axes.set_ylim(rows - 0.4, -0.6)
        axes.set_aspect("equal")
        axes.set_axis_off()
        axes.set_title(f"{processes} at {per_node}/node\n{placement}", fontsize=7.5)
    return figure


def _node(axes: Axes, node: dict[object, object], most: int, *, named: bool) -> None:
    """A square, the fuller the more processes; its name below if there is room."""
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
