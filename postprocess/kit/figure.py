# SPDX-License-Identifier: BSD-3-Clause
"""Figures: their declaration, and the colours and markers that figures and report share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from isochron.schemas.base import FileName, Record

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class FigureInfo(Record):
    """A file of `figures/` with what the report says about it."""

    file: FileName
    title: str
    caption: str
    #: Anchor of the section of the report that shows it.
    section: str = "figures"
    #: Whether it is one more of a kind that is shown, and stands in a fold.
    folded: bool = False


class FigureList(Record):
    """`figures/figures.json`."""

    schema_version: int = 1
    figures: list[FigureInfo]


@dataclass(frozen=True)
class Plot:
    """A figure that is yet to be drawn."""

    info: FigureInfo
    draw: Callable[[], Figure]


def pages(rows: pd.DataFrame, key: list[str], most: int) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each figure of at most `most` panels, one for each combination of `key`, after the end of the name of
    its file: `.1`, `.2` …, or nothing if there is only one.
    """
    panels = rows[key].drop_duplicates()
    for first in range(0, len(panels), most):
        number = f".{first // most + 1}" if len(panels) > most else ""
        yield number, rows.merge(panels.iloc[first : first + most], on=key)


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
