# SPDX-License-Identifier: BSD-3-Clause
"""Time and error of the synchronisers against processes."""

from collections.abc import Iterator

import pandas as pd
from matplotlib.figure import Figure

from isochron.postprocess.estimate.machine.clocks import METHOD
from isochron.postprocess.formatting import numbers
from isochron.postprocess.formatting.labels import simulation_note
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.drawing import Columns, grid, legend, log_axis, positions, series, ticks
from isochron.postprocess.kit.figure import FigureInfo, Plot, marks
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.methods.table import CLOCKS

CAPTION = (
    "Synchronisation by {}. Left: the time that it takes. Right: the largest error directly after it, {}. "
    "Lower is better. Lines only lead the eye."
)
SHOWN = {"phase_ms": "Synchronisation time (ms)", "error_us": "Largest error directly after (µs)"}
ERRORS = {"true": "the true one over all processes", "verified": "as measured again by the engine"}


def figures(_: RunInputs, analysis: Analysis) -> Iterator[Plot]:
    """The synchronisers against processes."""
    yield from plots(analysis[CLOCKS], simulation_note(analysis.launches))


def plots(table: pd.DataFrame, note: str) -> Iterator[Plot]:
    """One figure, if there are several process counts. `table`: `CLOCK_COLUMNS`."""
    if table["processes"].nunique() < 2:
        return
    errors = " or ".join(ERRORS[each] for each in table["errors"].unique())
    info = FigureInfo(
        file="clock-synchronisation.svg",
        title=f"Clock synchronisation against processes{note}",
        caption=CAPTION.format(numbers.listing(table["clock_sync"].unique().tolist()), errors),
        section="methods",
    )
    yield Plot(info, lambda: against_processes(table, note))


def against_processes(table: pd.DataFrame, note: str) -> Figure:
    """Two panels, both axes logarithmic; a line for each synchroniser, stack, place and estimator that there is.

    `table`: `CLOCK_COLUMNS`.
    """
    names = [name for name in METHOD if name != "processes" and table[name].nunique() > 1] or ["clock_sync"]
    # `series` knows its lines by the column `stack`.
    rows = table.assign(stack=table[names].astype(str).agg(", ".join, axis=1), reliable=True)
    lines = marks(rows["stack"].unique().tolist())
    figure, panels = grid(2, 2, 2.6)
    places = positions(rows["processes"].tolist())
    for axes, (value, title) in zip(panels, SHOWN.items(), strict=True):
        series(axes, rows, Columns("processes", value), lines, places)
        log_axis(axes, "y")
        ticks(axes, places, {count: str(count) for count in places}, most=5)
        axes.set_title(title)
    figure.supxlabel(f"Processes{note}", fontsize=8.5)
    legend(figure, lines, joined=True, doubtful=False)
    return figure
