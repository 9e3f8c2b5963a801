# SPDX-License-Identifier: BSD-3-Clause
"""What is known of a figure beside its picture; `figures/figures.json` lists all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from isochron.schemas.base import FileName, Record

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class FigureInfo(Record):
    """A file of `figures/` with what the report says about it."""

    file: FileName
    title: str
    caption: str
    #: Section of the report that it stands in.
    section: Literal[
        "figures", "scalability", "trust", "methods", "beside", "scan", "late", "errors", "details", "tools",
        "views-mpiperf", "views-bxj", "views-two-sites", "npb",
    ] = "figures"  # fmt: skip
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
