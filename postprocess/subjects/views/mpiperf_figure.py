# SPDX-License-Identifier: BSD-3-Clause
"""Figures of MPIPerf (Kurnosov, 2012): time diagrams, wait patterns, buffers, reproducibility."""

from collections.abc import Iterator
from functools import partial

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.formatting.labels import simulation_note
from isochron.postprocess.ingest.inputs import POINT, RunInputs
from isochron.postprocess.kit.drawing import Columns, grid, legend, log_axis, name_axes, positions, series, ticks
from isochron.postprocess.kit.figure import GRID, INK, MUTED, SERIES, FigureInfo, Plot, marks, pages
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.results import figure as quality
from isochron.postprocess.subjects.views.mpiperf_table import (
    MPIPERF_BUFFERS,
    MPIPERF_DIAGRAM,
    MPIPERF_PATTERNS,
    MPIPERF_RSE,
    NO_COLLECTIVES,
)
from isochron.schemas.engine.contract import WAIT_PATTERNS, base_operation

PATTERNS = (
    "Wait patterns, in which each process waits a known time, by timer. The broken line is what a perfect measurement "
    "has: as many µs as processes, and 0 where nobody waits. Markers are medians over launches of the trimmed means, "
    "bars the range over launches. A timer whose line leaves the broken one is not to be measured with."
)
BUFFERS = (
    "The same operations on buffers that are in the cache and on buffers that are not. Lower is faster. Markers are "
    "medians over launches, bars the range over launches; lines only lead the eye."
)
RSE = (
    "Relative standard error of the mean over launches, s/(M·√L), of every scheme, timer and kind of buffers that the "
    "campaign measured with. Lower is more reproducible. Markers are medians over {}, bars the range over them."
)


def labelled(rows: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """`rows` as `series` takes them: `stack` holds the value of the first of `names`, and of the others that differ."""
    first, *others = names
    named = [first, *(name for name in others if rows[name].nunique() > 1)]
    return rows.assign(stack=rows[named].astype(str).agg(", ".join, axis=1), reliable=True)


def figures(_: RunInputs, analysis: Analysis) -> Iterator[Plot]:
    """The figures of MPIPerf; a view that a campaign does not request is an empty table."""
    note = simulation_note(analysis.launches)
    yield from pattern_plots(analysis[MPIPERF_PATTERNS], note)
    yield from buffer_plots(analysis[MPIPERF_BUFFERS], note)
    yield from rse_plots(analysis[MPIPERF_RSE], note)
    yield from diagram_plots(analysis[MPIPERF_DIAGRAM], note)


def pattern_plots(table: pd.DataFrame, note: str) -> Iterator[Plot]:
    """One figure. `table`: `PATTERN_COLUMNS`."""
    if len(table):
        info = FigureInfo(
            file="mpiperf-wait-patterns.svg",
            title=f"Wait patterns by timer{note}",
            caption=PATTERNS,
            section="views-mpiperf",
        )
        yield Plot(info, lambda: wait_patterns(table, note))


def wait_patterns(table: pd.DataFrame, note: str) -> Figure:
    """A panel for each pattern, processes from left to right; a line for each timer, and scheme and stack that differ.

    `table`: `PATTERN_COLUMNS`.
    """
    at_several = table.groupby("processes")[["processes_per_node", "placement"]].nunique().max()
    places_too = [name for name, count in at_several.items() if count > 1]
    rows = labelled(table, ["timer", "stack", "scheme", "buffers", *map(str, places_too)])
    lines = marks(rows["stack"].unique().tolist())
    patterns = rows["operation"].unique().tolist()
    figure, panels = grid(len(patterns), 3, 2.4)
    places = {count: float(count) for count in sorted(rows["processes"].unique().tolist())}
    for axes, pattern in zip(panels, patterns, strict=True):
        pattern_rows = rows[rows["operation"] == pattern]
        true = pattern_rows.drop_duplicates("processes").sort_values("processes")
        axes.plot(true["processes"], true["true_us"], color=INK, linewidth=1.0, linestyle=(0, (4, 2)), marker="_")
        series(axes, pattern_rows, Columns("processes", "t_us", "t_min_us", "t_max_us"), lines, places)
        low, high = axes.get_ylim()
        axes.set_ylim(min(0.0, low), high + 0.05 * high)
        ticks(axes, places, {count: str(count) for count in places}, most=6)
        axes.set_title(pattern)
    name_axes(figure, f"Processes n{note}", "T (µs)")
    legend(figure, lines, joined=True, doubtful=False)
    return figure


def buffer_plots(table: pd.DataFrame, note: str) -> Iterator[Plot]:
    """A figure for each point. `table`: `BUFFER_COLUMNS`."""
    for (processes, per_node, placement), point_rows in table[table["bytes"] > 0].groupby(POINT, sort=False):
        point = {"processes": processes, "processes_per_node": per_node, "placement": placement}
        info = FigureInfo(
            file=f"mpiperf-buffers.p{processes}.n{per_node}.{placement}.svg",
            title=f"Warm and cold buffers: {labels.point(point)}{note}",
            caption=BUFFERS,
            section="views-mpiperf",
        )
        yield Plot(info, partial(buffers, point_rows, note))


def buffers(table: pd.DataFrame, note: str) -> Figure:
    """A panel for each operation, sizes from left to right; warm and cold of each stack. `table`: `BUFFER_COLUMNS`."""
    kinds = [
        table.assign(buffers=kind, **{name: table[f"{kind}{name}"] for name in ("_us", "_min_us", "_max_us")})
        for kind in ("warm", "cold")
    ]
    rows = labelled(pd.concat(kinds, ignore_index=True), ["buffers", "stack", "scheme", "timer"])
    lines = marks(rows["stack"].unique().tolist())
    operations = rows["operation"].unique().tolist()
    figure, panels = grid(len(operations), 3, 2.3)
    places = positions(rows["bytes"].tolist())
    for axes, operation in zip(panels, operations, strict=True):
        operation_rows = rows[rows["operation"] == operation]
        series(axes, operation_rows, Columns("bytes", "_us", "_min_us", "_max_us"), lines, places)
        log_axis(axes, "y")
        ticks(axes, places, {size: numbers.size(size) for size in places}, most=5)
        axes.set_title(labels.timed(operation))
    name_axes(figure, f"Message size{note}", "Time (µs)")
    legend(figure, lines, joined=True, doubtful=False)
    return figure


def rse_plots(table: pd.DataFrame, note: str) -> Iterator[Plot]:
    """A figure for each stack, of the collectives, against processes if they differ, else against the size.

    `table`: `RSE_COLUMNS`.
    """
    others = [*NO_COLLECTIVES, *WAIT_PATTERNS]
    collectives = table[(table["rse"] > 0) & ~table["operation"].map(base_operation).isin(others)]
    if not len(collectives):
        return
    against = "processes" if collectives["processes"].nunique() > 1 else "bytes"
    for stack, stack_rows in collectives.groupby("stack", sort=False):
        info = FigureInfo(
            file=f"mpiperf-rse.{stack}.svg",
            title=f"Reproducibility over launches, schemes beside each other, {stack}{note}",
            caption=RSE.format("sizes and points" if against == "processes" else "points"),
            section="views-mpiperf",
        )
        yield Plot(info, partial(rse, stack_rows, against, note))


def rse(table: pd.DataFrame, against: str, note: str) -> Figure:
    """A panel for each operation; a line for each scheme, and timer and buffers that differ.

    `table`: `RSE_COLUMNS` of one stack; `against`: `processes` or `bytes`.
    """
    rows = labelled(table, ["scheme", "timer", "buffers"])
    return quality.rse(rows, against, marks(rows["stack"].unique().tolist()), note)


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


def diagram_plots(table: pd.DataFrame, note: str) -> Iterator[Plot]:
    """A figure for each stack and point, of the smallest size with data. `table`: `DIAGRAM_COLUMNS`."""
    size = table[table["bytes"] > 0].groupby("operation")["bytes"].min()
    chosen = table[table["bytes"] == table["operation"].map(size).fillna(0)]
    for (stack, processes, per_node, placement), point_rows in chosen.groupby(["stack", *POINT], sort=False):
        point = {"processes": processes, "processes_per_node": per_node, "placement": placement}
        for number, part in pages(point_rows, ["operation", *OF], MAX_PANELS):
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
    varying = [name for name in OF if keys[name].nunique() > 1]
    figure, panels = grid(len(keys), 2, 0.7 + 0.16 * min(table["rank"].nunique(), 16))
    for axes, key in zip(panels, keys.to_dict("records"), strict=True):
        panel_rows = table[(table[list(key)] == pd.Series(key)).all(axis=1)]
        _panel(axes, panel_rows)
        size = int(panel_rows["bytes"].iloc[0])
        what = [str(key["operation"]), *([numbers.size(size)] if size else []), *(str(key[name]) for name in varying)]
        axes.set_title(", ".join(what))
    handles = [
        Patch(facecolor=SERIES[0], edgecolor=SERIES[0], label="valid run"),
        Patch(facecolor="none", edgecolor=SERIES[1], label="not valid"),
        Patch(facecolor=GRID, label="slot"),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=3, handlelength=1.6, columnspacing=1.4)
    name_axes(figure, f"Global time (µs){note}", "Process")
    return figure


def _panel(axes: Axes, panel_rows: pd.DataFrame) -> None:
    slots = panel_rows.drop_duplicates("rep").dropna(subset=["slot_us"])
    for number, (begin, end) in enumerate(zip(slots["slot_us"], slots["slot_end_us"], strict=True)):
        if number % 2 == 0:
            axes.axvspan(begin, end, color=GRID, linewidth=0)
        axes.axvline(begin, color=MUTED, linewidth=0.5)
        axes.axvline(end, color=MUTED, linewidth=0.5, linestyle=(0, (2, 2)))
    for valid, colour, fill in ((True, SERIES[0], SERIES[0]), (False, SERIES[1], "none")):
        rows = panel_rows[panel_rows["valid"].astype(bool) == valid]
        axes.barh(
            rows["rank"], rows["end_us"] - rows["start_us"], left=rows["start_us"], height=0.6, color=fill,
            edgecolor=colour, linewidth=0.7,
        )  # fmt: skip
    ranks = sorted(panel_rows["rank"].unique().tolist())
    axes.set_yticks(ranks[:: max(1, len(ranks) // 8)])
    axes.set_ylim(max(ranks) + 0.6, min(ranks) - 0.6)
    axes.grid(visible=False)
