# SPDX-License-Identifier: BSD-3-Clause
"""Time against size, against processes, and of operations without data."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from isochron.postprocess.figures.palette import Mark
from isochron.postprocess.figures.panels import Columns, dots, grid, legend, log_axis, positions, series, ticks
from isochron.postprocess.formatting import labels, numbers
from isochron.schemas.engine.contract import WITHOUT_DATA

#: Characters that fit below a panel of four beside each other.
CHARACTERS = 22
TIME = ("median_us", "median_low_us", "median_high_us")


def time_by_size(rows: pd.DataFrame, marks: dict[str, Mark], note: str) -> Figure:
    """A panel for each operation; `rows` of the summary at one point, operations with data."""
    operations = rows["operation"].unique().tolist()
    figure, panels = grid(len(operations), 3, 2.3)
    for axes, operation in zip(panels, operations, strict=True):
        own = rows[rows["operation"] == operation]
        places = positions(own["bytes"].tolist())
        series(axes, own, Columns("bytes", *TIME), marks, places)
        log_axis(axes, "y")
        ticks(axes, places, {value: numbers.size(value) for value in places}, most=5)
        axes.set_title(labels.timed(operation))
    figure.supxlabel(f"Message size{note}", fontsize=8.5)
    figure.supylabel("Time (µs)", fontsize=8.5)
    legend(figure, marks, joined=True, doubtful=not rows["reliable"].all())
    return figure


def time_by_processes(rows: pd.DataFrame, marks: dict[str, Mark], note: str) -> Figure:
    """A panel for each operation and size; `rows` of the summary that differ in processes only."""
    known = rows[["operation", "bytes"]].drop_duplicates().itertuples(index=False, name=None)
    cases = sorted(known, key=lambda case: case[0] in WITHOUT_DATA)
    figure, panels = grid(len(cases), 4, 1.75)
    places = positions(rows["processes"].tolist())
    for axes, (operation, size) in zip(panels, cases, strict=True):
        own = rows[(rows["operation"] == operation) & (rows["bytes"] == size)]
        series(axes, own, Columns("processes", *TIME), marks, places)
        log_axis(axes, "y")
        ticks(axes, places, {value: str(value) for value in places}, most=CHARACTERS // (1 + len(str(max(places)))))
        axes.set_title(labels.timed(operation) + (f", {numbers.size(size)}" if size else ""))
    figure.supxlabel(f"Processes{note}", fontsize=8.5)
    figure.supylabel("Time (µs)", fontsize=8.5)
    legend(figure, marks, joined=True, doubtful=not rows["reliable"].all())
    return figure


def without_data(rows: pd.DataFrame, marks: dict[str, Mark], note: str) -> Figure:
    """For each operation without data its time and, where there is one, its RSE; points from top to bottom.

    `rows`: `SUMMARY_COLUMNS` of operations without data.
    """
    rows = rows.assign(point=[labels.point(row) for row in rows.to_dict("records")])
    categories = rows["point"].unique().tolist()
    operations = rows["operation"].unique().tolist()
    height = 0.55 + len(categories) * (0.25 + 0.11 * len(marks))
    beside = 1 + bool((rows["rse"] > 0).any())
    figure, panels = grid(beside * len(operations), beside, height)
    for index, operation in enumerate(operations):
        time, *errors = panels[beside * index : beside * (index + 1)]
        own = rows[rows["operation"] == operation]
        dots(time, own, Columns("point", *TIME), marks, categories)
        log_axis(time, "x")
        time.set_title(operation)
        time.set_xlabel("Time (µs)")
        for error in errors:
            dots(error, own.assign(rse=100 * own["rse"]), Columns("point", "rse"), marks, categories)
            log_axis(error, "x")
            error.set_yticklabels([])
            error.set_xlabel("RSE (%)")
    figure.supxlabel(note.removeprefix(" – "), fontsize=8.5)
    legend(figure, marks, joined=False, doubtful=not rows["reliable"].all())
    return figure
