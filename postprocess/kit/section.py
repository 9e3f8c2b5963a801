# SPDX-License-Identifier: BSD-3-Clause
"""Sections of the report: their declaration, and what they are built from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.figure import MARKERS, SERIES
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis, SavedFrame

#: Characters that look like the markers of the figures.
GLYPHS = dict(zip(MARKERS, "●■▲◆▼", strict=True))


@dataclass(frozen=True)
class StackMark:
    """A stack's name with its glyph and the number of its colour."""

    name: str
    glyph: str
    series: int


def stack_marks(inputs: RunInputs) -> dict[str, StackMark]:
    """The stacks' glyphs and colours: those of the figures."""
    return {
        stack: StackMark(stack, GLYPHS[MARKERS[index % len(MARKERS)]], index % len(SERIES))
        for index, stack in enumerate(inputs.campaign.stacks)
    }


@dataclass(frozen=True)
class FigureView:
    """A figure as inline SVG; `section` and `folded` as in `figures.json`."""

    anchor: str
    title: str
    caption: str
    svg: str
    section: str
    folded: bool = False


@dataclass(frozen=True)
class Source:
    """A run as a section sees it. `analysis`: the tables that the section needs, and no others.

    `files`: the names of the files of `tables/` and what they contain.
    """

    inputs: RunInputs
    analysis: Analysis
    findings: list[Finding]
    figures: list[FigureView]
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def marks(self) -> dict[str, StackMark]:
        """The stacks' glyphs and colours by name."""
        return stack_marks(self.inputs)

    def figures_of(self, section: str) -> list[FigureView]:
        """The figures that stand in a section."""
        return [figure for figure in self.figures if figure.section == section]


@dataclass(frozen=True)
class Section:
    """A section: `template` (in `reports/templates`) shows as `view` what `build` returns; None: no section.

    `anchor` and `heading` are its line in the report's contents; `needs` are the tables that `build` reads; `shows` are
    the names of the figures' sections that it shows, in the order on the page (`()`: the one that its anchor names).
    """

    anchor: str
    heading: str
    template: str
    build: Callable[[Source], object | None]
    needs: tuple[SavedFrame, ...] = ()
    shows: tuple[str, ...] = ()


@dataclass(frozen=True)
class Shown:
    """A section that a run has."""

    anchor: str
    heading: str
    template: str
    view: object
