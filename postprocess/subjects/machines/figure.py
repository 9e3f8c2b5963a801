# SPDX-License-Identifier: BSD-3-Clause
"""Two machines on one axis: time against size, or of operations without sizes against processes."""

from collections.abc import Iterator
from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from isochron.postprocess.formatting import numbers
from isochron.postprocess.formatting.labels import simulation_note
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.drawing import Columns, grid, legend, log_axis, name_axes, positions, series, ticks
from isochron.postprocess.kit.figure import FigureInfo, Plot, marks
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.machines.table import MACHINES

MAX_PANELS = 24
CAPTION = (
    "Lower is faster. Bars are the exact intervals of medians over launches, or the range that was printed. Each panel "
    "is an operation on as many active processes, as many to a node; of ping-pong half of the round trip."
)


def figures(inputs: RunInputs, analysis: Analysis) -> Iterator[Plot]:
    """This run and each other machine."""
    yield from plots(analysis[MACHINES], inputs.campaign.stacks, simulation_note(analysis.launches))


def plots(table: pd.DataFrame, stacks: list[str], note: str) -> Iterator[Plot]:
    """A figure for each other machine. `table`: `MACHINE_TIME_COLUMNS`; `stacks`: of this run."""
    for number, (machine, machine_rows) in enumerate(table.groupby("machine", sort=False), start=1):
        rows = common_panels(both_sides(machine_rows, stacks))
        by_size = bool(rows.groupby("operation")["bytes"].nunique().max() > 1)
        info = FigureInfo(
            file=f"beside.{number}.svg",
            title=f"Beside {machine}{note}",
            caption=CAPTION,
            section="beside",
        )
        yield Plot(info, partial(drawn, rows, note, by_size=by_size))


def both_sides(rows: pd.DataFrame, stacks: list[str]) -> pd.DataFrame:
    """A row for each value of either machine: `stack` says whose it is, `side` which of the two."""
    keys = ["operation", "bytes", "active", "processes_per_node", "reliable"]
    sides = []
    for side, name, whose in (("this", "ours", ""), ("other", "theirs", " (other)")):
        columns = {f"{side}_us": "median_us", f"{side}_low_us": "median_low_us", f"{side}_high_us": "median_high_us"}
        part = rows[[*keys, name, *columns]].rename(columns=columns)
        names = part[name].where(~part[name].isin(stacks), part[name] + whose)
        sides.append(part.assign(stack=names, side=side).drop(columns=name))
    joined = pd.concat(sides, ignore_index=True)
    return joined[joined["median_us"] > 0]


def common_panels(rows: pd.DataFrame) -> pd.DataFrame:
    """Operations and points that both machines have; all if there is none. `rows`: as of `both_sides`."""
    by_size = rows.groupby("operation")["bytes"].nunique().max() > 1
    keys = ["operation", "processes_per_node", *(["active"] if by_size else [])]
    both = rows.groupby(keys)["side"].transform("nunique") > 1
    rows = rows[both] if both.any() else rows
    return rows.drop_duplicates(["operation", "bytes", "active", "processes_per_node", "stack"])


def drawn(rows: pd.DataFrame, note: str, *, by_size: bool) -> Figure:
    """Panels of operation and point against the size, or of operation and processes per node against processes."""
    x, keys = ("bytes", ["operation", "active", "processes_per_node"]) if by_size else (
        "active", ["operation", "processes_per_node"]
    )  # fmt: skip
    panels_of = list(rows.groupby(keys, sort=False))[:MAX_PANELS]
    series_marks = marks(rows["stack"].unique().tolist())
    figure, panels = grid(len(panels_of), 3, 2.1)
    for axes, (key, panel_rows) in zip(panels, panels_of, strict=True):
        places = positions(panel_rows[x].tolist())
        series(axes, panel_rows, Columns(x, "median_us", "median_low_us", "median_high_us"), series_marks, places)
        log_axis(axes, "y")
        ticks(axes, places, {value: numbers.size(value) if by_size else str(value) for value in places}, most=4)
        operation, *point = key
        where = f"{point[0]} × {point[1]}/node" if by_size else f"{point[0]}/node"
        axes.set_title(f"{operation}, {where}")
    name_axes(figure, f"{'Message size' if by_size else 'Acting processes'}{note}", "Time (µs)")
    legend(figure, series_marks, joined=True, doubtful=not rows["reliable"].all())
    return figure
