# SPDX-License-Identifier: BSD-3-Clause
"""Times against size, against processes, and of operations without data; reproducibility."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.kit.drawing import Columns, dots, grid, legend, log_axis, positions, series, ticks
from isochron.postprocess.kit.figure import Mark
from isochron.schemas.engine.operations import WITHOUT_DATA

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


def spread(rows: pd.DataFrame, keys: list[str], value: str) -> pd.DataFrame:
    """Median, smallest and largest of `value` over all rows with the same keys: columns mid, low, high.

    `rows`: `keys` and the column `value`.
    """
    table = (
        rows[rows[value] > 0]
        .groupby(keys, sort=False, as_index=False)
        .agg(mid=(value, "median"), low=(value, "min"), high=(value, "max"))
    )
    return table.assign(reliable=True)


def rse(rows: pd.DataFrame, against: str, marks: dict[str, Mark], note: str) -> Figure:
    """RSE in % against `bytes` or `processes`, a panel for each operation.

    Where rows differ in more than that (several points, or several sizes) the marker is their
    median and the bar their range.

    `rows`: stack, operation, `against`, reliable and rse (a fraction).
    """
    rows = rows[rows["reliable"]].assign(rse=100 * rows["rse"])
    table = spread(rows, ["stack", "operation", against], "rse")
    operations = table["operation"].unique().tolist()
    figure, panels = grid(len(operations), 3, 1.9)
    places = positions(table[against].tolist())
    name = {value: numbers.size(value) if against == "bytes" else str(value) for value in places}
    for axes, operation in zip(panels, operations, strict=True):
        series(axes, table[table["operation"] == operation], Columns(against, "mid", "low", "high"), marks, places)
        log_axis(axes, "y")
        ticks(axes, places, name, most=5)
        axes.set_title(operation)
    figure.supxlabel(f"{'Message size' if against == 'bytes' else 'Processes'}{note}", fontsize=8.5)
    figure.supylabel("RSE over launches (%)", fontsize=8.5)
    legend(figure, marks, joined=True, doubtful=False)
    return figure


def first_call_ratio(table: pd.DataFrame, marks: dict[str, Mark], note: str) -> Figure:
    """First call / second call: operations from top to bottom, the range over sizes and points as bar.

    `table`: stack, operation and ratio.
    """
    rows = spread(table, ["stack", "operation"], "ratio")
    operations = rows["operation"].unique().tolist()
    figure, (axes,) = grid(1, 1, 0.4 + len(operations) * (0.18 + 0.08 * len(marks)))
    dots(axes, rows, Columns("operation", "mid", "low", "high"), marks, operations)
    log_axis(axes, "x")
    axes.set_xlabel(f"First call / second call{note}")
    legend(figure, marks, joined=False, doubtful=False)
    return figure
