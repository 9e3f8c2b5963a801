# SPDX-License-Identifier: BSD-3-Clause
"""Times against size, against processes, and of operations without data; reproducibility."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.formatting.labels import simulation_note
from isochron.postprocess.ingest.inputs import POINT, RunInputs
from isochron.postprocess.kit.drawing import (
    Columns,
    dots,
    grid,
    legend,
    log_axis,
    name_axes,
    positions,
    series,
    spread_over,
    ticks,
)
from isochron.postprocess.kit.figure import FigureInfo, Mark, Plot, marks, pages
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.results import figure as quality
from isochron.postprocess.subjects.results import figure as times
from isochron.postprocess.subjects.results.table import SUMMARY
from isochron.postprocess.subjects.scaling.table import SCALING
from isochron.schemas.engine.contract import WITHOUT_DATA

#: Characters that fit below a panel of four beside each other.
CHARACTERS = 22
TIME = ("median_us", "median_low_us", "median_high_us")


def figures(inputs: RunInputs, analysis: Analysis) -> Iterator[Plot]:
    """Times against size and processes; reproducibility. A scan has its map instead of times at every node."""
    summary, note = measured(analysis), simulation_note(analysis.launches)
    series = measured_marks(inputs, analysis)
    with_data = summary[~summary["operation"].isin(list(WITHOUT_DATA))]
    if inputs.campaign.scan is None:
        yield from _by_size(with_data, series, note)
        others = _no_curves(summary, analysis[SCALING])
        yield from _without_data(others[others["operation"].isin(list(WITHOUT_DATA))], series, note)
        yield from _by_processes(others, series, note)
    yield from _rse(summary, with_data, series, note)


def measured(analysis: Analysis) -> pd.DataFrame:
    """The results that have a time: a part of `SUMMARY`."""
    return analysis[SUMMARY][analysis[SUMMARY]["median_us"] > 0]


def measured_marks(inputs: RunInputs, analysis: Analysis) -> dict[str, Mark]:
    """The marks of the stacks that have results with a time."""
    stacks = set(measured(analysis)["stack"])
    return {stack: mark for stack, mark in marks(inputs.campaign.stacks).items() if stack in stacks}


def time_by_size(rows: pd.DataFrame, marks: dict[str, Mark], note: str) -> Figure:
    """A panel for each operation; `rows` of the summary at one point, operations with data."""
    operations = rows["operation"].unique().tolist()
    figure, panels = grid(len(operations), 3, 2.3)
    for axes, operation in zip(panels, operations, strict=True):
        operation_rows = rows[rows["operation"] == operation]
        places = positions(operation_rows["bytes"].tolist())
        series(axes, operation_rows, Columns("bytes", *TIME), marks, places)
        log_axis(axes, "y")
        ticks(axes, places, {value: numbers.size(value) for value in places}, most=5)
        axes.set_title(labels.timed(operation))
    name_axes(figure, f"Message size{note}", "Time (µs)")
    legend(figure, marks, joined=True, doubtful=not rows["reliable"].all())
    return figure


def time_by_processes(rows: pd.DataFrame, marks: dict[str, Mark], note: str) -> Figure:
    """A panel for each operation and size; `rows` of the summary that differ in processes only."""
    pairs = rows[["operation", "bytes"]].drop_duplicates().itertuples(index=False, name=None)
    cases = sorted(pairs, key=lambda case: case[0] in WITHOUT_DATA)
    figure, panels = grid(len(cases), 4, 1.75)
    places = positions(rows["processes"].tolist())
    for axes, (operation, size) in zip(panels, cases, strict=True):
        case_rows = rows[(rows["operation"] == operation) & (rows["bytes"] == size)]
        series(axes, case_rows, Columns("processes", *TIME), marks, places)
        log_axis(axes, "y")
        ticks(axes, places, {value: str(value) for value in places}, most=CHARACTERS // (1 + len(str(max(places)))))
        axes.set_title(labels.timed(operation) + (f", {numbers.size(size)}" if size else ""))
    name_axes(figure, f"Processes{note}", "Time (µs)")
    legend(figure, marks, joined=True, doubtful=not rows["reliable"].all())
    return figure


def without_data(rows: pd.DataFrame, marks: dict[str, Mark], note: str) -> Figure:
    """For each operation without data its time and, if there is one, its RSE; points from top to bottom.

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
        operation_rows = rows[rows["operation"] == operation]
        dots(time, operation_rows, Columns("point", *TIME), marks, categories)
        log_axis(time, "x")
        time.set_title(operation)
        time.set_xlabel("Time (µs)")
        for error in errors:
            dots(
                error,
                operation_rows.assign(rse=100 * operation_rows["rse"]),
                Columns("point", "rse"),
                marks,
                categories,
            )
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
    name_axes(figure, f"{'Message size' if against == 'bytes' else 'Processes'}{note}", "RSE over launches (%)")
    legend(figure, marks, joined=True, doubtful=False)
    return figure


#: Panels of one figure; more make a further figure.
MAX_PANELS = 24


#: Sizes that a figure against the size needs, where another shows the same times against processes.
MIN_SIZES = 3


#: Points of which each has a figure against the size; of more, all but the largest stand in a fold.
MAX_POINTS = 3


INTERVALS = "Markers are medians over launches; bars are their exact intervals, or the range where launches are few."


def _no_curves(summary: pd.DataFrame, curves: pd.DataFrame) -> pd.DataFrame:
    """The rows that the figures of the section on scalability do not show. `curves`: `SCALING_COLUMNS`."""
    if not len(curves):
        return summary
    keys = ["stack", "operation", "bytes", "placement"]
    drawn = set(curves[[*keys, "curve_per_node"]].itertuples(index=False, name=None))
    each = summary[[*keys, "processes_per_node"]].itertuples(index=False, name=None)
    return summary[[(*key, 0) not in drawn and (*key, per_node) not in drawn for *key, per_node in each]]


def _by_size(rows: pd.DataFrame, series: dict[str, Mark], note: str) -> Iterator[Plot]:
    rows = _not_swept(rows) if rows["bytes"].nunique() < MIN_SIZES else rows
    groups = list(rows.groupby(POINT, sort=False))
    largest = rows["processes"].max() if len(rows) else 0
    for (processes, per_node, placement), point_rows in groups:
        point: dict[str, Any] = {"processes": processes, "processes_per_node": per_node, "placement": placement}
        info = FigureInfo(
            file=f"time-by-size.p{processes}.n{per_node}.{placement}.svg",
            title=f"Time against size: {labels.point(point)}{note}",
            caption=f"Lower is faster. {INTERVALS} Lines only lead the eye from one measured size to the next.",
            folded=len(groups) > MAX_POINTS and point["processes"] < largest,
        )
        yield Plot(info, partial(times.time_by_size, point_rows, series, note))


def _without_data(rows: pd.DataFrame, series: dict[str, Mark], note: str) -> Iterator[Plot]:
    errors = bool((rows["rse"] > 0).any())
    rows = rows if errors else _not_swept(rows)
    if len(rows):
        info = FigureInfo(
            file="without-data.svg",
            title=f"Operations without data: time{' and reproducibility' if errors else ''}{note}",
            caption=f"Left: time; further left is faster. {INTERVALS} Right: relative standard error over launches."
            if errors
            else f"Further left is faster. {INTERVALS}",
        )
        yield Plot(info, lambda: times.without_data(rows, series, note))


def _sweeps(rows: pd.DataFrame) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Points that differ in processes only: on one node all together, on several by processes per node."""
    one_node = bool((rows["processes"] <= rows["processes_per_node"]).all())
    keys = ["placement"] if one_node else ["processes_per_node", "placement"]
    for group, sweep_rows in rows.groupby(keys, sort=False):
        if sweep_rows["processes"].nunique() > 1:
            yield dict(zip(keys, group, strict=True)), sweep_rows


def _not_swept(rows: pd.DataFrame) -> pd.DataFrame:
    """What no figure against processes shows."""
    return rows.drop([index for _, sweep_rows in _sweeps(rows) for index in sweep_rows.index])


def _by_processes(rows: pd.DataFrame, series: dict[str, Mark], note: str) -> Iterator[Plot]:
    for sweep, sweep_rows in _sweeps(rows):
        chosen = sweep_rows[sweep_rows["bytes"].isin(spread_over(sorted(sweep_rows["bytes"].unique().tolist())))]
        where = f"{sweep['processes_per_node']} processes per node" if "processes_per_node" in sweep else "on one node"
        for number, part in pages(chosen, ["operation", "bytes"], MAX_PANELS):
            info = FigureInfo(
                file=f"time-by-processes.{'.'.join(map(str, sweep.values()))}{number}.svg",
                title=f"Time against processes, {where}{note}",
                caption=f"Lower is faster. {INTERVALS} Lines only lead the eye.",
            )
            yield Plot(info, partial(times.time_by_processes, part, series, note))


def _rse(rows: pd.DataFrame, with_data: pd.DataFrame, series: dict[str, Mark], note: str) -> Iterator[Plot]:
    several = (
        "Markers are medians over {}; bars are the range over them. " if len(rows[POINT].drop_duplicates()) > 1 else ""
    )
    caption = (
        "Relative standard error of the mean over launches, s/(mean·√L), of reliable rows. Lower is more reproducible."
    )
    for against, chosen, over in (("bytes", with_data, "points"), ("processes", rows, "sizes and points")):
        with_rse = chosen[chosen["reliable"] & (chosen["rse"] > 0)]
        if len(with_rse) and (against == "bytes" or with_rse["processes"].nunique() > 1):
            info = FigureInfo(
                file=f"rse-by-{against}.svg",
                title=f"Reproducibility against {'size' if against == 'bytes' else 'processes'}{note}",
                caption=f"{several.format(over)}{caption}",
            )
            yield Plot(info, partial(quality.rse, with_rse, against, series, note))
