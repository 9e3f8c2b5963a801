# SPDX-License-Identifier: BSD-3-Clause
"""Time against processes: small multiples, each stack with its nearest cost model as a band."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isochron.postprocess.estimate.models.curves import SERIES as KEYS
from isochron.postprocess.estimate.models.normal_form import NormalForm
from isochron.postprocess.estimate.models.results import forms_by_curve
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.formatting.labels import simulation_note
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.drawing import (
    Columns,
    grid,
    legend,
    log_axis,
    name_axes,
    positions,
    series,
    spread_over,
    step,
    ticks,
)
from isochron.postprocess.kit.figure import FigureInfo, Mark, Plot, pages
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.results.figure import measured_marks
from isochron.postprocess.subjects.scaling.table import MODEL_POINTS, MODELS, NORMAL_FORMS, SCALING
from isochron.schemas.engine.contract import WITHOUT_DATA

MEASURED = Columns("processes", "median_us", "median_low_us", "median_high_us")
#: Panels of one figure, and beside each other; more make a further figure.
MAX_PANELS, COLUMNS = 24, 4
#: Characters that fit below a panel.
CHARACTERS = 22

CAPTION = (
    "Lower is faster. Markers are measured times with their intervals (hollow: not reliable). The band in a stack's "
    "colour is the cost model nearest to its curve, {} to either side; where no model is known, a light line is the "
    "fitted form. A broken line marks the process count from which on a stack is slower than its band. Models are "
    "drawn at the measured process counts; lines only lead the eye."
)


@dataclass(frozen=True)
class ScalingPlotData:
    """`SCALING_COLUMNS`, `MODEL_COLUMNS`, `MODEL_POINT_COLUMNS`, the fitted form of each curve (`SERIES`) that has one.

    `tolerance`: how far from a model a curve still follows it.
    """

    rows: pd.DataFrame
    curves: pd.DataFrame
    points: pd.DataFrame
    forms: Mapping[tuple[Any, ...], NormalForm]
    tolerance: float


def figures(inputs: RunInputs, analysis: Analysis) -> Iterator[Plot]:
    """Every curve over processes with its nearest cost model."""
    forms, tolerance = forms_by_curve(analysis[NORMAL_FORMS]), inputs.campaign.analysis.model.tolerance
    data = ScalingPlotData(analysis[SCALING], analysis[MODELS], analysis[MODEL_POINTS], forms, tolerance)
    yield from plots(data, measured_marks(inputs, analysis), simulation_note(analysis.launches))


def plots(drawn: ScalingPlotData, marks: Mapping[str, Mark], note: str) -> Iterator[Plot]:
    """A figure for each number of processes per node and placement: a panel for each operation and some sizes."""
    if not len(drawn.rows):
        return
    sizes = spread_over(sorted(drawn.rows["bytes"].unique().tolist()))
    shown = drawn.rows[drawn.rows["bytes"].isin(sizes)]
    kinds = shown.groupby(["curve_per_node", "placement"], sort=False)
    folded = False
    for (per_node, placement), rows in kinds:
        where = f"{per_node} processes per node" if per_node else "on one node"
        where += "" if placement == "packed" else f", {placement}"
        for number, part in pages(rows, ["operation", "bytes"], MAX_PANELS):
            info = FigureInfo(
                file=f"scaling.{per_node}.{placement}{number}.svg",
                title=f"Time against processes and the nearest cost models, {where}{note}",
                caption=CAPTION.format(numbers.given_percent(drawn.tolerance)),
                section="scalability",
                folded=folded,
            )
            yield Plot(info, partial(multiples, drawn, part, dict(marks), note))
            folded = True


def multiples(drawn: ScalingPlotData, rows: pd.DataFrame, marks: dict[str, Mark], note: str) -> Figure:
    """`rows`: those of `SCALING_COLUMNS` of one number of processes per node and placement."""
    pairs = rows[["operation", "bytes"]].drop_duplicates().itertuples(index=False, name=None)
    cases = sorted(pairs, key=lambda case: case[0] in WITHOUT_DATA)
    figure, panels = grid(len(cases), COLUMNS, 1.55)
    places = positions(rows["processes"].tolist())
    for axes, (operation, size) in zip(panels, cases, strict=True):
        case_rows = rows[(rows["operation"] == operation) & (rows["bytes"] == size)]
        for curve in _curves(drawn, case_rows):
            _model(axes, drawn, curve, marks, places)
        series(axes, case_rows, MEASURED, marks, places)
        log_axis(axes, "y")
        ticks(axes, places, {value: str(value) for value in places}, most=CHARACTERS // (1 + len(str(max(places)))))
        axes.set_title(labels.timed(operation) + (f", {numbers.size(size)}" if size else ""))
    name_axes(figure, f"Processes{note}", "Time (µs)")
    legend(figure, marks, joined=True, doubtful=not rows["reliable"].all())
    return figure


def _curves(drawn: ScalingPlotData, rows: pd.DataFrame) -> list[dict[Any, Any]]:
    """The curves (`MODEL_COLUMNS`) of the rows of one panel."""
    keys = rows.rename(columns={"processes_per_node": "_", "curve_per_node": "processes_per_node"})[KEYS]
    return drawn.curves.merge(keys.drop_duplicates(), on=KEYS).to_dict("records")


def _model(
    axes: Axes, drawn: ScalingPlotData, curve: Mapping[Any, Any], marks: Mapping[str, Mark], places: Mapping[int, float]
) -> None:
    """The band of the nearest model, and where the curve leaves it upwards; else the fitted form."""
    colour = marks[curve["stack"]].colour
    if not isinstance(curve["algorithm"], str):
        form = drawn.forms.get(tuple(curve[name] for name in KEYS))
        if form:
            processes = np.array(sorted(places), dtype=float)
            times = form.times(processes)
            axes.plot(np.log2(processes[times > 0]), times[times > 0], color=colour, linewidth=2.6, alpha=0.25)
        return
    points = _of(drawn.points, curve)
    points = points[points["algorithm"] == curve["algorithm"]].sort_values("processes")
    x, time = points["processes"].map(places).to_numpy(dtype=float), points["model_us"].to_numpy(dtype=float)
    factor = 1 + drawn.tolerance
    axes.fill_between(x, time / factor, time * factor, color=colour, alpha=0.22, linewidth=0)
    if curve["leaves_at"] > curve["smallest"] and curve["worst_factor"] > 1:
        apart = 0.4 * step(list(places.values()))
        axes.axvline(places[int(curve["leaves_at"])] - apart, color=colour, linewidth=0.8, linestyle=(0, (2, 2)))


def _of(points: pd.DataFrame, curve: Mapping[Any, Any]) -> pd.DataFrame:
    """The points of a curve; 0 processes per node stand for any."""
    keys = [name for name in KEYS if not (name == "processes_per_node" and curve[name] == 0)]
    return points[np.logical_and.reduce([points[name] == curve[name] for name in keys])]
