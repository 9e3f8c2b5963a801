# SPDX-License-Identifier: BSD-3-Clause
"""A machine in two cities: ping-pong, pairs, orders of hosts, and the loop with a rotating root."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from isochron.postprocess.estimate.compare.contrasts import ROTATING
from isochron.postprocess.formatting import numbers
from isochron.postprocess.formatting.labels import simulation_note
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.drawing import Columns, grid, legend, log_axis, name_axes, positions, series, ticks
from isochron.postprocess.kit.figure import INK, FigureInfo, Plot, marks
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.contrasts.figure import beside
from isochron.postprocess.subjects.results.figure import time_by_size
from isochron.postprocess.subjects.views.two_sites_table import (
    BETWEEN,
    PARADOX,
    ROTATING_MATRIX,
    SITES_ORDERS,
    SITES_PAIRS,
    SITES_PING_PONG,
)

#: Sizes for which the rate of many pairs is drawn, the largest ones.
MAX_SIZES = 4
#: Ranks up to which the time of each operation is written into its cell.
MAX_WRITTEN = 16

ORDERS = (
    "Lower is faster. Each line is an order of the same number of hosts: it says how many times the algorithm crosses "
    "from one site to the other. Lines only lead the eye."
)
PING_PONG = "Left: half of the round trip, lower is faster. Right: the rate that it gives, higher is faster."
PAIRS = (
    "All pairs together in each direction, both of each pair sending at the same time; higher is faster. The level "
    "line is what all links between the sites carry together."
)
PARADOX_CAPTION = (
    "Time of an operation at the smallest size: from a common start, and as the mean over processes in a loop with a "
    "rotating root (bars: the least and the greatest mean of a process). The upright bar is the least time that the "
    "campaign's own ping-pong allows whatever host is the root: a mean to the left of it is no duration of an "
    "operation, since operations that follow each other overlap."
)
MATRIX = (
    "The first operations of a loop whose root rotates, from top to bottom, and what each takes on each rank, from "
    "left to right, in ms. Half and half, a rank waits for the other site once in a round of roots, and all other "
    "operations of its loop take what they take inside a site; the mean of the whole loop stands above."
)


def figures(inputs: RunInputs, analysis: Analysis) -> Iterator[Plot]:
    """The figures of the study of two sites; a view that a campaign does not request is an empty table."""
    note = simulation_note(analysis.launches)
    yield from ping_pong_plots(analysis[SITES_PING_PONG], note)
    yield from pair_plots(analysis[SITES_PAIRS], note)
    yield from order_plots(analysis[SITES_ORDERS], note)
    yield from paradox_plots(analysis[PARADOX], inputs.campaign.engine.scheme, note)
    yield from matrix_plots(analysis[ROTATING_MATRIX], note)


def ping_pong_plots(table: pd.DataFrame, note: str) -> Iterator[Plot]:
    """One figure. `table`: `PING_PONG_COLUMNS`; of each stack and pair of sites the first point counts."""
    if not len(table):
        return
    where = table["sites"].where(table["sites"] != "", table["hosts"])
    rows = table.assign(stack=table["stack"] + ", " + where, reliable=True)
    rows = rows.drop_duplicates(["stack", "bytes"])
    info = FigureInfo(
        file="two-sites-ping-pong.svg",
        title=f"Ping-pong inside and between the sites{note}",
        caption=PING_PONG,
        section="views-two-sites",
    )
    yield Plot(info, lambda: ping_pong(rows, note))


def ping_pong(rows: pd.DataFrame, note: str) -> Figure:
    """Time and rate beside each other. `rows`: stack, bytes, time_us, mb_per_s, reliable."""
    drawn = marks(rows["stack"].unique().tolist())
    figure, panels = grid(2, 2, 2.6)
    for axes, value, words in zip(panels, ("time_us", "mb_per_s"), ("Time (µs)", "Rate (MB/s)"), strict=True):
        value_rows = rows[rows[value].gt(0)]
        places = positions(value_rows["bytes"].tolist())
        series(axes, value_rows, Columns("bytes", value), drawn, places)
        log_axis(axes, "y")
        ticks(axes, places, {size: numbers.size(size) for size in places}, most=6)
        axes.set_ylabel(words)
    figure.supxlabel(f"Message size{note}", fontsize=8.5)
    legend(figure, drawn, joined=True, doubtful=False)
    return figure


def pair_plots(table: pd.DataFrame, note: str) -> Iterator[Plot]:
    """One figure, if the number of pairs differs. `table`: `PAIR_COLUMNS`."""
    if table["pairs"].nunique() < 2:
        return
    info = FigureInfo(
        file="two-sites-pairs.svg", title=f"Rate of many pairs of hosts{note}", caption=PAIRS, section="views-two-sites"
    )
    sizes = sorted(table.loc[table["bytes"] > 0, "bytes"].unique())[-MAX_SIZES:]
    rows = table[table["bytes"].isin(sizes)].assign(reliable=True)
    if rows["stack"].nunique() > 1:
        yield Plot(info, lambda: pairs(rows.assign(stack=rows["stack"] + ", " + rows["placement"]), note))
    else:
        yield Plot(info, lambda: pairs(rows.assign(stack=rows["placement"]), note))


def pairs(rows: pd.DataFrame, note: str) -> Figure:
    """A panel for each size. `rows`: `PAIR_COLUMNS`, reliable; `stack` is what tells the lines apart."""
    drawn = marks(rows["stack"].unique().tolist())
    sizes = sorted(rows["bytes"].unique())
    figure, panels = grid(len(sizes), 2, 2.2)
    places = positions(rows["pairs"].tolist())
    across = rows[(rows["sites"] == BETWEEN) & rows["trunk_share"].gt(0)]
    for axes, size in zip(panels, sizes, strict=True):
        series(axes, rows[rows["bytes"] == size], Columns("pairs", "mb_per_s"), drawn, places)
        size_rows = across[across["bytes"] == size]
        if len(size_rows):
            axes.axhline(float((size_rows["mb_per_s"] / size_rows["trunk_share"]).iloc[0]), color=INK, linewidth=1.0)
        log_axis(axes, "y")
        ticks(axes, places, {value: str(value) for value in places})
        axes.set_title(numbers.size(int(size)))
    name_axes(figure, f"Pairs{note}", "All pairs together (MB/s)")
    legend(figure, drawn, joined=True, doubtful=False)
    return figure


def order_plots(table: pd.DataFrame, note: str) -> Iterator[Plot]:
    """A figure for each stack and process count, if orders differ. `table`: `ORDER_COLUMNS`."""
    with_data = table[table["bytes"] > 0]
    for (stack, processes), rows in with_data.groupby(["stack", "processes"], sort=False):
        if rows["placement"].nunique() < 2:
            continue
        info = FigureInfo(
            file=f"two-sites-orders.{stack}.p{processes}.svg",
            title=f"Time by the order of {processes} processes: {stack}{note}",
            caption=ORDERS,
            section="views-two-sites",
        )
        drawn = rows.assign(stack=rows["placement"])
        yield Plot(
            info,
            partial(time_by_size, drawn, marks(drawn["stack"].unique().tolist()), note),
        )


def paradox_plots(table: pd.DataFrame, scheme: str, note: str) -> Iterator[Plot]:
    """One figure. `table`: `PARADOX_COLUMNS`; `scheme`: that of the results."""
    least = table.groupby("operation")["bytes"].transform("min")
    rows = table[(table["bytes"] == least) & table["bound_us"].gt(0)]
    if not len(rows):
        return
    results_rows = rows.assign(
        contrast="", way=scheme, median_us=rows["results_us"], median_low_us=np.nan, median_high_us=np.nan
    )
    loop = rows.assign(
        contrast=ROTATING,
        way=f"{ROTATING} mean",
        median_us=rows["avg_us"],
        median_low_us=rows["min_us"],
        median_high_us=rows["max_us"],
    )
    both = pd.concat([results_rows, loop], ignore_index=True).assign(reliable=True)
    info = FigureInfo(
        file="two-sites-paradox.svg",
        title=f"The mean over ranks of a loop with a rotating root{note}",
        caption=PARADOX_CAPTION,
        section="views-two-sites",
    )
    yield Plot(info, lambda: beside(both, note))


def matrix_plots(table: pd.DataFrame, note: str) -> Iterator[Plot]:
    """A figure for each stack: the first operation at the smallest size. `table`: `MATRIX_COLUMNS`."""
    if not len(table):
        return
    rows = table[table["operation"] == table["operation"].iloc[0]]
    rows = rows[rows["bytes"] == rows["bytes"].min()]
    for (stack, processes), point_rows in rows.groupby(["stack", "processes"], sort=False):
        case = f"{point_rows['operation'].iloc[0]}, {numbers.size(int(point_rows['bytes'].iloc[0]))}"
        info = FigureInfo(
            file=f"two-sites-rotating.{stack}.p{processes}.svg",
            title=f"Rotating root, operation by operation: {case}, {stack}{note}",
            caption=MATRIX,
            section="views-two-sites",
        )
        yield Plot(info, partial(matrices, point_rows, note))


def matrices(rows: pd.DataFrame, note: str) -> Figure:
    """A panel for each order of hosts. `rows`: `MATRIX_COLUMNS` of one case but for the placement."""
    processes = int(rows["processes"].iloc[0])
    columns = [f"rank_{rank}_us" for rank in range(processes)]
    placements = rows["placement"].unique().tolist()
    figure, panels = grid(len(placements), 2, 3.3)
    most = float(rows[columns].to_numpy().max()) / 1e3
    least = most / 1e3
    for axes, placement in zip(panels, placements, strict=True):
        placement_rows = rows[rows["placement"] == placement].sort_values("position")
        cells = placement_rows[placement_rows["position"] < processes][columns].to_numpy() / 1e3
        axes.imshow(np.maximum(cells, least), cmap="Blues", norm=LogNorm(least, most), aspect="auto")
        axes.grid(visible=False)
        if processes <= MAX_WRITTEN:
            for (position, rank), time in np.ndenumerate(cells):
                dark = time > most / 10
                text = f"{time:.1f}" if time >= 1 else f"{time:.2f}".removeprefix("0")
                axes.text(
                    rank, position, text, ha="center", va="center", fontsize=4.5, color="white" if dark else "black"
                )
        axes.set_title(f"{placement}: mean {placement_rows['mean_us'].mean() / 1e3:.3f} ms")
    name_axes(figure, f"Rank{note}", "Operation of the loop")
    return figure
