# SPDX-License-Identifier: BSD-3-Clause
"""Interference along the run: a cache line between two processes, and a datagram between two hosts."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from matplotlib.figure import Figure

from isochron.postprocess.figures.model import FigureInfo, Plot
from isochron.postprocess.figures.palette import INK, Mark
from isochron.postprocess.figures.panels import grid, legend, log_axis

CAPTION = (
    "What a cache line took from one process of a host to another and back, read between the batches and outside all "
    "slots, without the MPI library. Each marker is the median of a stretch of a launch; its colour is the stack that "
    "was measured meanwhile, crossed out where the machine was in another regime than the launch's quiet one and the "
    "batches were gated. Steps that several stacks share are the machine's; a stack that is slow while the machine "
    "is not is slow itself. Times in all other figures are plain: nothing of this is taken out of them."
)
#: What is added where the network was read.
NETWORK_CAPTION = (
    " The network is a datagram (UDP) from one host to another and back; what an MPI library has read of it, where no "
    "datagram passes, is not shown."
)
#: What is read, and how its axis is called.
READ = {"cache_line_ns": "Cache line, there and back (ns)", "network_us": "Network, there and back (µs)"}
#: Units of the run's time: seconds in one, and from which length of the run it is used.
UNITS = {"h": (3600, 5 * 3600), "min": (60, 300), "s": (1, 0)}


def plots(course: pd.DataFrame, series: dict[str, Mark], note: str) -> Iterator[Plot]:
    """One figure, where a cache line or the network was read. `course`: `COURSE_COLUMNS`."""
    if not len(course):
        return
    caption = CAPTION + (NETWORK_CAPTION if course["network_us"].notna().any() else "")
    info = FigureInfo(
        file="interference.svg", title=f"Interference during the run{note}", caption=caption, section="interference"
    )
    yield Plot(info, lambda: along_the_run(course, series, note))


def along_the_run(course: pd.DataFrame, series: dict[str, Mark], note: str) -> Figure:
    """Time of the run from left to right, a panel for each of `READ`, logarithmic. `course`: `COURSE_COLUMNS`."""
    present = set(course["stack"])
    drawn = {stack: mark for stack, mark in series.items() if stack in present}
    unit, (seconds, _) = next(item for item in UNITS.items() if course["at_s"].max() >= item[1][1])
    read = [name for name in READ if course[name].notna().any()]
    figure, panels = grid(len(read), 1, 2.6)
    for axes, name in zip(panels, read, strict=True):
        for stack, mark in drawn.items():
            own = course[course["stack"] == stack]
            axes.plot(
                own["at_s"] / seconds, own[name], linewidth=0, color=mark.colour, marker=mark.marker, markersize=3,
                markeredgewidth=0, alpha=0.7,
            )  # fmt: skip
        gated = course[course["gated"]] if name == "cache_line_ns" else course.iloc[:0]
        axes.plot(
            gated["at_s"] / seconds, gated[name], linewidth=0, color=INK, marker="x", markersize=4, markeredgewidth=0.6
        )
        log_axis(axes, "y")
        axes.set_ylabel(READ[name])
    panels[-1].set_xlabel(f"Time of the run ({unit}){note}")
    legend(figure, drawn, joined=False, doubtful=False)
    return figure
