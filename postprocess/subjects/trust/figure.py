# SPDX-License-Identifier: BSD-3-Clause
"""The run in order of time: load of the nodes, interference, and launches that were off throughout."""

from collections.abc import Iterator

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isochron.postprocess.formatting.labels import simulation_note
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.drawing import grid, legend, log_axis
from isochron.postprocess.kit.figure import INK, MUTED, FigureInfo, Mark, Plot, marks
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.interference.table import PROBE_SERIES
from isochron.postprocess.subjects.trust.table import TIMELINE

#: What each panel shows, in words; the caption has those that are there.
CAPTIONS = {
    "load": "Load: processes that ran or wanted to, on the node of a launch that had most, before it.",
    "cache_line_ns": "Cache line: from one process of a host to another and back, read between the batches and outside "
    "all slots, without the MPI library; each marker is the median of a stretch of a launch, crossed out where the "
    "machine was in another regime than the launch's quiet one and the batches were gated.",
    "factor": "Launch: its times against those of the other launches, in the median over its rows; 1 is usual.",
}
COLOURS = (
    "Colours are the stacks that were measured meanwhile; grey stretches met another regime of the machine. "
    "Steps that several stacks share are the machine's; a stack that is slow while the machine is not is slow itself. "
    "Times in all other figures are plain: nothing of this is taken out of them."
)
LABELS = {"load": "Load of the node", "cache_line_ns": "Cache line (ns)", "factor": "Launch / usual"}
#: Units of the run's time: seconds in one, and from which length of the run it is used.
UNITS = {"h": (3600, 5 * 3600), "min": (60, 300), "s": (1, 0)}


def figures(inputs: RunInputs, analysis: Analysis) -> Iterator[Plot]:
    """The timeline; simulated launches have none, since they are as fast as the computer that simulates."""
    if not simulation_note(analysis.launches):
        yield from plots(analysis[TIMELINE], analysis[PROBE_SERIES], marks(inputs.campaign.stacks), "")


def plots(table: pd.DataFrame, course: pd.DataFrame, series: dict[str, Mark], note: str) -> Iterator[Plot]:
    """One figure, if there are several launches. `table`: `TIMELINE_COLUMNS`; `course`: `PROBE_SERIES_COLUMNS`."""
    panels = [name for name in ("load", "factor") if table[name].notna().any()]
    if len(course):
        panels.insert(len(panels) - ("factor" in panels), "cache_line_ns")
    if len(table) < 2 or not panels:
        return
    caption = " ".join([*(CAPTIONS[name] for name in panels), COLOURS])
    info = FigureInfo(file="timeline.svg", title=f"The run in order of time{note}", caption=caption, section="trust")
    yield Plot(info, lambda: along_the_run(table, course, panels, series, note))


def along_the_run(
    table: pd.DataFrame, course: pd.DataFrame, shown: list[str], series: dict[str, Mark], note: str
) -> Figure:
    """Time of the run from left to right, a panel below the other. `shown`: keys of `LABELS`."""
    stacks = set(table["stack"])
    drawn = {stack: mark for stack, mark in series.items() if stack in stacks}
    unit, (seconds, _) = next(item for item in UNITS.items() if table["at_s"].max() >= item[1][1])
    figure, panels = grid(len(shown), 1, 1.6)
    for axes, name in zip(panels, shown, strict=True):
        rows = course if name == "cache_line_ns" else table[table[name].notna()]
        for stack, mark in drawn.items():
            stack_rows = rows[rows["stack"] == stack]
            axes.plot(
                stack_rows["at_s"] / seconds, stack_rows[name], linewidth=0, color=mark.colour, marker=mark.marker,
                markersize=3, markeredgewidth=0, alpha=0.7,
            )  # fmt: skip
        _other_regimes(axes, table, seconds)
        if name == "cache_line_ns":
            gated = course[course["gated"].astype(bool)]
            axes.plot(
                gated["at_s"] / seconds, gated[name], linewidth=0, color=INK, marker="x", markersize=4,
                markeredgewidth=0.6,
            )  # fmt: skip
        if name != "load":
            log_axis(axes, "y")
        else:
            axes.set_ylim(bottom=0)
        axes.set_ylabel(LABELS[name])
        axes.set_xlim(*_ends(table, seconds))
    panels[-1].set_xlabel(f"Time of the run ({unit}){note}")
    legend(figure, drawn, joined=False, doubtful=False)
    return figure


def _ends(table: pd.DataFrame, seconds: int) -> tuple[float, float]:
    end = float((table["at_s"] + table["duration_s"].fillna(0)).max()) / seconds
    return -0.02 * end, 1.02 * end


def _other_regimes(axes: Axes, table: pd.DataFrame, seconds: int) -> None:
    """Stretches of launches that follow each other and met another regime than the usual one."""
    table = table.reset_index(drop=True)
    other = table["regime"].isin(["slow", "fast"])
    starts = table["at_s"].to_numpy(dtype=float) / seconds
    ends = starts + table["duration_s"].fillna(0).to_numpy(dtype=float) / seconds
    runs = (other != other.shift()).cumsum()
    for _, run in table[other].groupby(runs[other], sort=False):
        axes.axvspan(starts[run.index[0]], ends[run.index[-1]], color=MUTED, alpha=0.15, linewidth=0)
