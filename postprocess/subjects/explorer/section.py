# SPDX-License-Identifier: BSD-3-Clause
"""The explorer: any part of the results as figure and table, chosen in the page."""

from __future__ import annotations

from dataclasses import dataclass

from isochron.postprocess.kit.section import Section, Source
from isochron.postprocess.subjects.comparison.table import COMPARISON
from isochron.postprocess.subjects.explorer.data import Content, fitted
from isochron.postprocess.subjects.explorer.table import LAUNCH_TIMES, RATES
from isochron.postprocess.subjects.results.table import SUMMARY


@dataclass(frozen=True)
class View:
    """The data as JSON, and what had to be left out."""

    data: str
    left_out: list[str]


def build(source: Source) -> View | None:
    """None if nothing was measured."""
    summary = source.analysis[SUMMARY]
    if not (summary["launches"] > 0).any():
        return None
    asked, stacks = source.inputs.asked.pairs, source.inputs.campaign.stacks
    content = Content(
        stacks=list(source.marks.values()),
        against=asked[0][0] if asked else stacks[0],
        summary=summary,
        rates=source.analysis[RATES],
        comparison=source.analysis[COMPARISON],
        launches=source.analysis[LAUNCH_TIMES],
        threshold=source.inputs.campaign.analysis.threshold,
    )
    return View(*fitted(content))


EXPLORER = Section(
    "explorer", "Explorer", "explorer/section.html.j2", build, needs=(SUMMARY, RATES, COMPARISON, LAUNCH_TIMES)
)
