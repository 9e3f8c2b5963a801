# SPDX-License-Identifier: BSD-3-Clause
"""Figures 1 to 20 of the BXJ study (Luo Hongbing, Zhang Xiaoxia, 2017) as two families: messages, and collectives."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isochron.postprocess.estimate.models.loggp import HOCKNEY, VARIANTS
from isochron.postprocess.estimate.models.parameters import SITUATION
from isochron.postprocess.formatting import numbers
from isochron.postprocess.formatting.labels import simulation_note
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.drawing import Columns, grid, log_axis, name_axes, points, positions, ticks
from isochron.postprocess.kit.figure import INK, MUTED, SERIES, FigureInfo, Mark, Plot, marks, pages
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.views.bxj_table import BXJ_CURVES, BXJ_PING_PONG, BXJ_SENDRECV

#: Panels of one figure; more make a further figure.
MAX_PANELS = 12
#: Colour of the curves by whose parameters they have, and their lines by the model.
COLOURS = {"fitted": INK, "published": SERIES[1]}
DASHES = {"Hockney": "-", "LogP": (0, (1, 1)), "LogGP": (0, (4, 1.5))}
MEASURED = Columns("", "measured_us", "low_us", "high_us")
WHOSE = (
    "Dark curves have this campaign's parameters, coloured ones those published for BXJ at 8 or 12 processes per node, "
    "whichever is nearer"
)
MESSAGES = (
    "Left: time of PingPong, half of the round trip. Middle: its bandwidth, in MiB/s. Right: Sendrecv of all; the "
    f"bands are model estimates, from α + mβ, both ways overlap, to α + 2mβ, they do not. {WHOSE}: full lines are "
    "Hockney's model, dotted ones LogP, broken ones LogGP. Markers are measured."
)
COLLECTIVES = (
    f"Markers are measured times with their intervals (hollow: not reliable). {WHOSE}. Of the algorithm nearest to the "
    "measured points the full line is Hockney's model, the dotted one LogP, the broken one LogGP; thin lines are "
    "Hockney's model of the other algorithms. Where one process sends several messages at once, LogP and LogGP are "
    "lower bounds unless the overhead o is given. Lines only lead the eye from one process count to the next."
)


@dataclass(frozen=True)
class BxjPlotData:
    """`PING_PONG_COLUMNS`, `SENDRECV_COLUMNS` and `CURVE_COLUMNS`."""

    ping_pong: pd.DataFrame
    sendrecv: pd.DataFrame
    curves: pd.DataFrame


def figures(inputs: RunInputs, analysis: Analysis) -> Iterator[Plot]:
    """The figures of the BXJ study; a view that a campaign does not request is an empty table."""
    data = BxjPlotData(analysis[BXJ_PING_PONG], analysis[BXJ_SENDRECV], analysis[BXJ_CURVES])
    yield from plots(data, marks(inputs.campaign.stacks), simulation_note(analysis.launches))


def plots(drawn: BxjPlotData, marks: Mapping[str, Mark], note: str) -> Iterator[Plot]:
    """The figures of each stack, number of processes per node and placement."""
    frames = [frame[SITUATION] for frame in (drawn.ping_pong, drawn.sendrecv, drawn.curves) if len(frame)]
    situations = pd.concat(frames).drop_duplicates().to_dict("records") if frames else []
    for situation in situations:
        data = BxjPlotData(*(_of(frame, situation) for frame in (drawn.ping_pong, drawn.sendrecv, drawn.curves)))
        name = ".".join(str(situation[key]) for key in SITUATION)
        where = f"{situation['stack']}, {situation['processes_per_node']} processes per node{note}"
        mark = marks[situation["stack"]]
        if data.ping_pong["bytes"].nunique() > 1:
            info = FigureInfo(
                file=f"bxj-messages.{name}.svg",
                title=f"Messages as in the BXJ study: {where}",
                caption=MESSAGES,
                section="views-bxj",
            )
            yield Plot(info, partial(messages, data, mark, note))
        yield from _collective_plots(data.curves, (name, where), mark, note)


def _collective_plots(curves: pd.DataFrame, names: tuple[str, str], mark: Mark, note: str) -> Iterator[Plot]:
    counts = curves.groupby(["operation", "bytes"])["processes"].transform("nunique")
    several = curves[counts > 1]
    for number, part in pages(several, ["operation", "bytes"], MAX_PANELS):
        info = FigureInfo(
            file=f"bxj-collectives.{names[0]}{number}.svg",
            title=f"Collectives as in the BXJ study: {names[1]}",
            caption=COLLECTIVES,
            section="views-bxj",
        )
        yield Plot(info, partial(collectives, part, mark, note))


def _of(frame: pd.DataFrame, situation: Mapping[Any, Any]) -> pd.DataFrame:
    return frame[(frame[list(situation)] == pd.Series(situation)).all(axis=1)] if len(frame) else frame


def messages(data: BxjPlotData, mark: Mark, note: str) -> Figure:
    """Three panels against the size: PingPong's time and bandwidth, and Sendrecv within its range."""
    both = bool(len(data.sendrecv))
    figure, panels = grid(2 + both, 3, 2.4)
    first = data.ping_pong["processes"].min()
    rows = data.ping_pong[data.ping_pong["processes"] == first].sort_values("bytes")
    sized = rows[rows["bytes"] > 0]
    places = positions(data.ping_pong["bytes"].tolist())
    x, sized_x = (frame["bytes"].map(places).to_numpy(dtype=float) for frame in (rows, sized))
    for whose, colour in COLOURS.items():
        for variant, dashes in DASHES.items():
            column = f"{whose}_us" if variant == HOCKNEY else f"{whose}_{variant.lower()}_us"
            panels[0].plot(x, rows[column], color=colour, linestyle=dashes, linewidth=0.9)
            rate = sized["one_way_mib_per_s"] * sized["latency_us"] / sized[column]
            panels[1].plot(sized_x, rate, color=colour, linestyle=dashes, linewidth=0.9)
    panels[0].plot(x, rows["latency_us"], color=mark.colour, marker=mark.marker, markersize=4, linewidth=0)
    panels[1].plot(
        sized_x, sized["one_way_mib_per_s"], color=mark.colour, marker=mark.marker, markersize=4, linewidth=0
    )
    panels[0].set_title("PingPong (µs)")
    panels[1].set_title("PingPong (MiB/s)")
    if both:
        _ranges(panels[2], data.sendrecv.sort_values("bytes"), places, mark)
    for axes in panels:
        log_axis(axes, "y")
        ticks(axes, places, {size: numbers.size(size) for size in places}, most=5)
    figure.supxlabel(f"Message size{note}", fontsize=8.5)
    return figure


def _ranges(axes: Axes, rows: pd.DataFrame, places: dict[int, float], mark: Mark) -> None:
    sized = rows[rows["bytes"].isin(list(places))]
    x = sized["bytes"].map(places).to_numpy(dtype=float)
    for (low, high), colour in zip(
        (("overlap_us", "no_overlap_us"), ("published_overlap_us", "published_no_overlap_us")),
        COLOURS.values(),
        strict=True,
    ):
        axes.fill_between(
            x, sized[low].astype(float), sized[high].astype(float), color=colour, alpha=0.2, linewidth=0.8
        )
    axes.plot(x, sized["measured_us"], color=mark.colour, marker=mark.marker, markersize=4, linewidth=0)
    axes.set_title(f"Sendrecv of {int(sized['processes'].iloc[0])} (µs)")


def collectives(rows: pd.DataFrame, mark: Mark, note: str) -> Figure:
    """A panel for each operation and size, processes from left to right. `rows`: `CURVE_COLUMNS` of one situation."""
    cases = list(rows[["operation", "bytes"]].drop_duplicates().itertuples(index=False, name=None))
    figure, panels = grid(len(cases), 3, 2.0)
    for axes, (operation, size) in zip(panels, cases, strict=True):
        case_rows = rows[(rows["operation"] == operation) & (rows["bytes"] == size)].sort_values("processes")
        places = positions(case_rows["processes"].tolist())
        nearest = _nearest(case_rows)
        for algorithm, part in case_rows.groupby("algorithm", sort=False):
            _curves(axes, part, places, nearest=algorithm == nearest)
        measured = case_rows[case_rows["algorithm"] == nearest]
        place = (measured["processes"].map(places).to_numpy(dtype=float), measured["measured_us"].to_numpy(dtype=float))
        points(axes, place, measured, MEASURED, mark, along="y")
        log_axis(axes, "y")
        ticks(axes, places, {count: str(count) for count in places}, most=5)
        axes.set_title(f"{operation}, {numbers.size(size)}" if size else str(operation))
        axes.annotate(nearest, (0.03, 0.94), xycoords="axes fraction", fontsize=7, color=MUTED, va="top")
    name_axes(figure, f"Processes{note}", "Time (µs)")
    return figure


def _nearest(points_of_case: pd.DataFrame) -> str:
    """The algorithm whose model is nearest in the median over the process counts."""
    column = "fitted_hockney_us" if points_of_case["fitted_hockney_us"].notna().all() else "published_hockney_us"
    apart = np.log(points_of_case["measured_us"] / points_of_case[column].astype(float)).abs()
    return str(apart.groupby(points_of_case["algorithm"], sort=False).median().idxmin())


def _curves(axes: Axes, part: pd.DataFrame, places: dict[int, float], *, nearest: bool) -> None:
    x = part["processes"].map(places).to_numpy(dtype=float)
    for whose, colour in COLOURS.items():
        for variant in VARIANTS if nearest else (HOCKNEY,):
            times = part[f"{whose}_{variant.lower()}_us"].astype(float)
            width, alpha = (1.0, 1.0) if nearest else (0.5, 0.6)
            axes.plot(x, times, color=colour, linestyle=DASHES[variant], linewidth=width, alpha=alpha)
