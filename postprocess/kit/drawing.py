# SPDX-License-Identifier: BSD-3-Clause
"""Drawing: the style of all figures, and small multiples, a grid of panels with one legend."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil, floor, log2, log10
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from isochron.postprocess.formatting import numbers
from isochron.postprocess.kit.figure import GRID, INK, MUTED, Mark


@contextmanager
def figure_settings() -> Iterator[None]:
    """Settings under which figures are drawn and saved."""
    import seaborn as sns  # takes seconds: only a process that draws loads it

    settings: dict[Any, Any] = {
        **sns.axes_style("ticks"),
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": 8.5,
        "axes.titlesize": 9,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.labelsize": 8.5,
        "axes.edgecolor": MUTED,
        "axes.labelcolor": INK,
        "axes.titlecolor": INK,
        "axes.linewidth": 0.6,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.facecolor": "none",
        "figure.facecolor": "none",
        "grid.color": GRID,
        "grid.linewidth": 0.6,
        "text.color": INK,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "xtick.major.size": 3,
        "ytick.major.size": 3,
        "legend.frameon": False,
        "svg.fonttype": "none",
        "svg.hashsalt": "isochron",
    }
    with mpl.rc_context(settings):
        yield


#: Width of every figure, inches.
WIDTH = 7.4
#: Characters that fit above all panels; the marker of a label is as wide as so many.
CHARACTERS, MARKER = 100, 5
#: Height of a row of the legend (inches).
ROW = 0.17
#: Ends of a logarithmic axis are at least this factor apart.
MIN_SPAN = 1.1
#: Sizes for which time is drawn against processes.
MAX_SIZES = 4


@dataclass(frozen=True)
class Columns:
    """Names of the columns that a panel shows; the interval may be absent."""

    x: str
    value: str
    low: str | None = None
    high: str | None = None


def grid(count: int, columns: int, height: float) -> tuple[Figure, list[Axes]]:
    """A figure with `count` panels of the given height (inches), at most `columns` beside each other."""
    import seaborn as sns

    columns = min(columns, count)
    rows = ceil(count / columns)
    figure = Figure(figsize=(WIDTH, rows * height + 0.75), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for unused in panels[count:]:
        figure.delaxes(unused)
    sns.despine(figure)
    return figure, panels[:count]


def name_axes(figure: Figure, below: str, left: str) -> None:
    """Write what the axes of all panels are."""
    figure.supxlabel(below, fontsize=8.5)
    figure.supylabel(left, fontsize=8.5)


def legend(figure: Figure, marks: dict[str, Mark], *, joined: bool, doubtful: bool) -> None:
    """The stacks above all panels; `doubtful` adds what a hollow marker means.

    The figure grows by the rows beyond the first, for which `grid` has room: panels keep their height.
    """
    handles = [
        Line2D([], [], color=mark.colour, marker=mark.marker, linewidth=0.8 if joined else 0, markersize=5, label=stack)
        for stack, mark in marks.items()
    ]
    if doubtful:
        label = "hollow: not reliable"
        handles.append(
            Line2D([], [], color=MUTED, marker="o", markerfacecolor="none", linewidth=0, markersize=5, label=label)
        )
    longest = max((len(str(handle.get_label())) for handle in handles), default=0)
    columns = max(1, min(len(handles), 5, CHARACTERS // (longest + MARKER)))
    figure.set_figheight(figure.get_figheight() + ROW * max(0, ceil(len(handles) / columns) - 1))
    # matplotlib fills column by column; this order reads row by row.
    by_row = [handle for column in range(columns) for handle in handles[column::columns]]
    figure.legend(handles=by_row, loc="outside upper left", ncols=columns, handlelength=1.6, columnspacing=1.4)


def positions(values: list[int]) -> dict[int, float]:
    """Places on an axis: log2, and 0 one step left of the smallest other value."""
    ordered = sorted(set(values))
    places = {value: log2(value) for value in ordered if value > 0}
    if 0 in ordered:
        places[0] = min(places.values()) - step(list(places.values())) if places else 0.0
    return places


def spread_over(sizes: list[int]) -> list[int]:
    """At most `MAX_SIZES` of the sizes with data, spread from smallest to largest; and 0. `sizes`: ascending."""
    data = [size for size in sizes if size]
    if len(data) > MAX_SIZES:
        data = [data[round(index * (len(data) - 1) / (MAX_SIZES - 1))] for index in range(MAX_SIZES)]
    return [0, *data]


def step(places: list[float]) -> float:
    """Smallest distance between neighbours, 1 if there are none."""
    return float(np.diff(np.sort(places)).min()) if len(places) > 1 else 1.0


def series(axes: Axes, rows: pd.DataFrame, columns: Columns, marks: dict[str, Mark], places: dict[int, float]) -> None:
    """One light line with markers and intervals for each stack, set a little apart from each other.

    `rows`: stack, reliable and the columns that `columns` names.
    """
    apart = 0.07 * step(list(places.values()))
    for index, (stack, mark) in enumerate(marks.items()):
        stack_rows = rows[(rows["stack"] == stack) & rows[columns.value].gt(0)].sort_values(columns.x)
        if not len(stack_rows):
            continue
        x = stack_rows[columns.x].map(places).to_numpy(dtype=float) + apart * (index - (len(marks) - 1) / 2)
        axes.plot(x, stack_rows[columns.value], color=mark.colour, linewidth=0.8, alpha=0.7)
        points(axes, (x, stack_rows[columns.value].to_numpy(dtype=float)), stack_rows, columns, mark, along="y")


def dots(axes: Axes, rows: pd.DataFrame, columns: Columns, marks: dict[str, Mark], categories: list[str]) -> None:
    """Categories (`columns.x`) from top to bottom, a dot with its interval for each stack; nothing is joined.

    `rows`: stack, reliable and the columns that `columns` names.
    """
    for index, (stack, mark) in enumerate(marks.items()):
        stack_rows = rows[(rows["stack"] == stack) & rows[columns.value].gt(0)]
        places = np.array([categories.index(name) for name in stack_rows[columns.x]], dtype=float)
        y = places + 0.7 * ((index + 0.5) / len(marks) - 0.5)
        points(axes, (stack_rows[columns.value].to_numpy(dtype=float), y), stack_rows, columns, mark, along="x")
    axes.set_yticks(range(len(categories)), categories)
    axes.set_ylim(len(categories) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    for edge in range(len(categories) - 1):
        axes.axhline(edge + 0.5, color=MUTED, linewidth=0.3)


def points(
    axes: Axes, place: tuple[np.ndarray, np.ndarray], rows: pd.DataFrame, columns: Columns, mark: Mark, *, along: str
) -> None:
    """Markers with intervals along the axis of values; hollow if the row is not reliable.

    `rows`: reliable and the columns that `columns` names, a row for each place.
    """
    reliable = rows["reliable"].to_numpy(dtype=bool)
    for chosen, fill in ((reliable, mark.colour), (~reliable, "none")):
        if not chosen.any():
            continue
        error = {}
        if columns.low and columns.high:
            value, low, high = (
                rows.loc[chosen, name].to_numpy(dtype=float) for name in (columns.value, columns.low, columns.high)
            )
            error[f"{along}err"] = np.nan_to_num(np.clip([value - low, high - value], 0, None))
        axes.errorbar(
            place[0][chosen], place[1][chosen], **error, fmt=mark.marker, color=mark.colour, markersize=4,
            markerfacecolor=fill, markeredgewidth=0.9, elinewidth=0.9, capsize=1.5,
        )  # fmt: skip


def log_axis(axes: Axes, which: str) -> None:
    """A logarithmic axis with plain numbers, not so narrow that a small difference fills it."""
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    axis = axes.xaxis if which == "x" else axes.yaxis
    low, high = sorted(axis.get_view_interval())
    if high < MIN_SPAN * low:
        low, high = ((low * high * factor) ** 0.5 for factor in (1 / MIN_SPAN, MIN_SPAN))
        (axes.set_xlim if which == "x" else axes.set_ylim)(low, high)
    axis.set_major_locator(FixedLocator(log_ticks(low, high)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.9g}".replace(",", numbers.GAP)))


def log_ticks(low: float, high: float) -> list[float]:
    """Round numbers between `low` and `high`: the coarsest steps that give at least three, else linear ones."""
    decades = range(floor(log10(low)), floor(log10(high)) + 1)
    for digits in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7)):
        inside = [digit * 10.0**decade for decade in decades for digit in digits if low <= digit * 10.0**decade <= high]
        if len(inside) >= 3:
            return inside[:: ceil(len(inside) / 7)]
    linear = MaxNLocator(nbins=3, steps=[1, 2, 5, 10]).tick_values(low, high)
    return [float(tick) for tick in linear if low <= tick <= high]


def ticks(axes: Axes, places: dict[int, float], labels: dict[int, str], most: int = 8) -> None:
    """Label the measured places, every second (third …) if there are too many."""
    ordered = sorted(places, key=lambda value: places[value])
    shown = ordered[:: ceil(len(ordered) / most)]
    axes.set_xticks([places[value] for value in shown], [labels[value] for value in shown])
    margin = 0.4 * step(list(places.values()))
    axes.set_xlim(min(places.values()) - margin, max(places.values()) + margin)
