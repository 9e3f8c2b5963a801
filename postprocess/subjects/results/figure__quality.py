# SPDX-License-Identifier: BSD-3-Clause
"""Reproducibility (RSE over launches) and late initialisation (first call against second)."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.kit.drawing__panels import Columns, dots, grid, legend, log_axis, positions, series, ticks
from isochron.postprocess.kit.figure__palette import Mark


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
