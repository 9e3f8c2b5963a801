# SPDX-License-Identifier: BSD-3-Clause
"""A contrast beside the results, with the least time that ping-pong allows."""

from collections.abc import Iterator
from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from isochron.postprocess.estimate.compare.contrasts import compared
from isochron.postprocess.formatting import numbers
from isochron.postprocess.formatting.labels import simulation_note
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.drawing import Columns, dots, grid, legend, log_axis
from isochron.postprocess.kit.figure import INK, FigureInfo, Plot, marks
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.contrasts.table import BOUNDS
from isochron.postprocess.subjects.results.table import SUMMARY
from isochron.schemas.input.campaign import Campaign

CAPTION = (
    "Time of an operation at the smallest size, in the results and in contrast {contrast}. The upright bar is the "
    "least time that the campaign's own ping-pong between hosts of that point allows: a marker to the left of it is no "
    "duration of an operation, since operations without a common start overlap. Markers are medians over launches."
)


def figures(inputs: RunInputs, analysis: Analysis) -> Iterator[Plot]:
    """Each contrast and the results."""
    yield from plots(analysis[BOUNDS], analysis[SUMMARY], inputs.campaign, simulation_note(analysis.launches))


def plots(table: pd.DataFrame, summary: pd.DataFrame, campaign: Campaign, note: str) -> Iterator[Plot]:
    """A figure for each contrast of the campaign. `table`: `BOUND_COLUMNS`; `summary`: as such."""
    for contrast in campaign.all_contrasts:
        rows = compared(table, summary, contrast)
        if not len(rows):
            continue
        engine = campaign.engine_of(contrast)
        results_name = campaign.engine.scheme if engine.scheme != campaign.engine.scheme else "results"
        names = rows["contrast"].map({"": results_name, contrast: contrast})
        info = FigureInfo(
            file=f"contrast.{contrast}.svg",
            title=f"Beside each other: {numbers.listing([results_name, contrast])}{note}",
            caption=CAPTION.format(contrast=contrast),
        )
        yield Plot(info, partial(beside, rows.assign(way=names), note))


def beside(rows: pd.DataFrame, note: str) -> Figure:
    """A panel for each operation; points from top to bottom, a marker for each stack and way.

    `rows`: `BOUND_COLUMNS` of the cases that both have (`compared`), and `way`, what the results and the contrast are
    called.
    """
    rows = rows.assign(point=_points(rows), stack=rows["way"] + ", " + rows["stack"])
    rows = rows.sort_values(["contrast", "stack"], ascending=[True, True], kind="stable")
    series = marks(rows["stack"].unique().tolist())
    categories = sorted(rows["point"].unique().tolist())
    operations = rows["operation"].unique().tolist()
    figure, panels = grid(len(operations), 2, 0.55 + len(categories) * (0.25 + 0.09 * len(series)))
    for axes, operation in zip(panels, operations, strict=True):
        operation_rows = rows[rows["operation"] == operation]
        columns = Columns("point", "median_us", "median_low_us", "median_high_us")
        dots(axes, operation_rows, columns, series, categories)
        for point, bound in operation_rows.groupby("point")["bound_us"].max().items():
            place = categories.index(str(point))
            axes.plot([bound, bound], [place - 0.4, place + 0.4], color=INK, linewidth=1.4)
        log_axis(axes, "x")
        size = int(operation_rows["bytes"].iloc[0])
        axes.set_title(f"{operation}, {numbers.size(size)}" if size else str(operation))
    figure.supxlabel(f"Time (µs){note}", fontsize=8.5)
    legend(figure, series, joined=False, doubtful=not rows["reliable"].all())
    return figure


def _points(rows: pd.DataFrame) -> pd.Series:
    """What tells the points apart: the placement alone, if they differ in nothing else."""
    if len(rows[["processes", "processes_per_node"]].drop_duplicates()) == 1:
        return rows["placement"]
    return rows["processes"].astype(str) + " × " + rows["processes_per_node"].astype(str) + ", " + rows["placement"]
