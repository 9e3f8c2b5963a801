# SPDX-License-Identifier: BSD-3-Clause
"""Look of all figures: colours, markers, type. The page's theme replaces the colours (see `svg.themed`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import seaborn as sns

INK = "#1b2027"
MUTED = "#59626e"
GRID = "#dfe3e8"

#: Colours that the colour-blind can tell apart (Okabe and Ito 2008), darkened for thin lines; one a stack.
SERIES = ("#0072b2", "#d55e00", "#009e73", "#b5508c", "#b98500", "#3f9fd8", "#6b4c9a", "#4d4d4d")
#: Markers repeat after the colours do, so that 40 stacks differ.
MARKERS = ("o", "s", "^", "D", "v")

#: CSS variables that stand for the colours where a figure is part of a page.
VARIABLES = {INK: "--ink", MUTED: "--muted", GRID: "--rule", **{c: f"--series-{i}" for i, c in enumerate(SERIES)}}


@dataclass(frozen=True)
class Mark:
    """How a stack is drawn, in every figure and in the report."""

    colour: str
    marker: str


def marks(stacks: list[str]) -> dict[str, Mark]:
    """A mark for each stack, by its place in the campaign."""
    return {
        stack: Mark(SERIES[index % len(SERIES)], MARKERS[index % len(MARKERS)]) for index, stack in enumerate(stacks)
    }


@contextmanager
def look() -> Iterator[None]:
    """Settings under which figures are drawn and saved."""
    settings: dict[Any, Any] = {
        **sns.axes_style("ticks"),
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": 8.5,
        "axes.titlesize": 9,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.labelsize": 8.5,
        "axes.edgecolor": MUTED,
        "axes.labelcolor": INK,
        "axes.titlecolor": INK,
        "axes.linewidth": 0.6,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.facecolor": "none",
        "figure.facecolor": "none",
        "grid.color": GRID,
        "grid.linewidth": 0.6,
        "text.color": INK,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "xtick.major.size": 3,
        "ytick.major.size": 3,
        "legend.frameon": False,
        "svg.fonttype": "none",
        "svg.hashsalt": "isochron",
    }
    with mpl.rc_context(settings):
        yield
