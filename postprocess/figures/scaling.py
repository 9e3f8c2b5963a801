# SPDX-License-Identifier: BSD-3-Clause
"""Time against processes with the curves of the cost models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isochron.postprocess.figures.model import FigureInfo, Plot
from isochron.postprocess.figures.palette import INK, MUTED, SERIES, Mark
from isochron.postprocess.figures.panels import Columns, grid, log_axis, points, positions, ticks
from isochron.postprocess.models.curves import SERIES as KEYS
from isochron.postprocess.models.normal_form import NormalForm
from isochron.postprocess.words import numbers

MEASURED = Columns("processes", "measured_us", "low_us", "high_us")
#: Lines of the models that are not the nearest one, in the registry's order.
DASHES = ((0, (4, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)), (0, (8, 2)))
#: Panels of one figure; more make a further figure.
MOST_PANELS = 16

CAPTION = (
    "Markers are measured times with their intervals (hollow: not believed). The full line is the model nearest "
    "to the curve, broken lines are those of the other algorithms, and the light line is the fitted normal form. A "
    "vertical line marks the process count from which on the curve departs from its nearest model, and by what factor. "
    "Models are drawn at the measured process counts; lines only lead the eye."
)


@dataclass(frozen=True)
class Drawn:
    """`MODEL_COLUMNS`, `MODEL_POINT_COLUMNS`, and the fitted form of each curve (`SERIES`) that has one."""

    curves: pd.DataFrame
    points: pd.DataFrame
    forms: Mapping[tuple[Any, ...], NormalForm]


def plots(results: Drawn, marks: Mapping[str, Mark], note: str) -> Iterator[Plot]:
    """A figure for each stack, processes per node and placement: a panel for each operation and size."""
    judged = results.curves[results.curves["algorithm"].notna()]
    for (stack, per_node, placement), curves in judged.groupby(
        ["stack", "processes_per_node", "placement"], sort=False
    ):
        where = f"{per_node} processes per node" if per_node else "on one node"
        for first in range(0, len(curves), MOST_PANELS):
            part = curves.iloc[first : first + MOST_PANELS]
            number = f".{first // MOST_PANELS + 1}" if len(curves) > MOST_PANELS else ""
            info = FigureInfo(
                file=f"models.{stack}.{per_node}.{placement}{number}.svg",
                title=f"{stack} against cost models, {where}{note}",
                caption=CAPTION,
                section="scalability",
            )
            mark = marks[str(stack)]
            yield Plot(info, lambda part=part, mark=mark: models(results, part, mark, note))  # type: ignore[misc]


def models(results: Drawn, curves: pd.DataFrame, mark: Mark, note: str) -> Figure:
    """`curves`: rows of `MODEL_COLUMNS`, one panel each, with a legend of its own at its side."""
    figure, panels = grid(len(curves), 2, 1.85)
    for axes, curve in zip(panels, curves.to_dict("records"), strict=True):
        own = _of(results.points, curve)
        form = results.forms.get(tuple(curve[name] for name in KEYS))
        _panel(axes, own, curve, form, mark)
        axes.set_title(
            f"{curve['operation']}, {numbers.size(curve['bytes'])}" if curve["bytes"] else curve["operation"]
        )
    figure.supxlabel(f"Processes{note}", fontsize=8.5)
    figure.supylabel("Time (µs)", fontsize=8.5)
    return figure


def _of(points: pd.DataFrame, curve: Mapping[Any, Any]) -> pd.DataFrame:
    """The points of a curve; 0 processes per node stand for any."""
    keys = [name for name in KEYS if not (name == "processes_per_node" and curve[name] == 0)]
    return points[np.logical_and.reduce([points[name] == curve[name] for name in keys])]


def _panel(axes: Axes, own: pd.DataFrame, curve: Mapping[Any, Any], form: NormalForm | None, mark: Mark) -> None:
    places = positions(own["processes"].tolist())
    if form:
        processes = np.array(sorted(places), dtype=float)
        times = form.times(processes)
        shown = times > 0
        x = np.log2(processes[shown])
        axes.plot(x, times[shown], color=MUTED, linewidth=2.6, alpha=0.3, label="normal form")
    others = iter(DASHES)
    for algorithm, rows in own.groupby("algorithm", sort=False):
        nearest = algorithm == curve["algorithm"]
        style = {"linestyle": "-", "color": INK} if nearest else {"linestyle": next(others), "color": MUTED}
        x = rows["processes"].map(places).to_numpy(dtype=float)
        axes.plot(x, rows["model_us"], linewidth=1.1 if nearest else 0.9, label=_broken(str(algorithm)), **style)
    rows = own[own["algorithm"] == curve["algorithm"]].assign(believed=lambda table: table["counts"])
    place = (rows["processes"].map(places).to_numpy(dtype=float), rows["measured_us"].to_numpy(dtype=float))
    points(axes, place, rows, MEASURED, mark, along="y")
    log_axis(axes, "y")
    ticks(axes, places, {value: str(value) for value in places}, most=5)
    if curve["leaves_at"] > curve["smallest"]:
        x = places[int(curve["leaves_at"])]
        axes.axvline(x, color=SERIES[1], linewidth=0.8, linestyle=(0, (2, 2)))
        text = numbers.ratio(curve["leaves_factor"])
        axes.annotate(
            text, (x, 0.03), xycoords=("data", "axes fraction"), xytext=(-2, 0), textcoords="offset points",
            ha="right", fontsize=7.5, color=SERIES[1],
        )  # fmt: skip
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.03), fontsize=7, handlelength=2.0, borderaxespad=0.3)


def _broken(name: str) -> str:
    """A long name on two lines."""
    return name.replace(" + ", " +\n").replace(" or ", "\nor ")
