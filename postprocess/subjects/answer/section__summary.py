# SPDX-License-Identifier: BSD-3-Clause
"""Key figures and findings."""

from __future__ import annotations

from dataclasses import dataclass

from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.section import Section, Source
from isochron.postprocess.subjects.comparison.table import FASTEST
from isochron.postprocess.subjects.results.table import SUMMARY

#: Findings that stand above everything else, in the head of the report.
FIRST = ("incomplete", "simulated")
#: And those that the answer on the first screen is made of.
ANSWERED = ("versions",)


@dataclass(frozen=True)
class KeyFigure:
    """A number that a director looks for."""

    value: str
    label: str


@dataclass(frozen=True)
class View:
    """Key figures, and the findings that do not stand above."""

    key_figures: list[KeyFigure]
    findings: list[Finding]


def build(source: Source) -> View:
    """Always there."""
    return View(
        _key_figures(source), [finding for finding in source.findings if finding.kind not in (*FIRST, *ANSWERED)]
    )


def _key_figures(source: Source) -> list[KeyFigure]:
    rows, leaders, launches = source.analysis[SUMMARY], source.analysis[FASTEST], source.analysis.launches
    planned = len(source.inputs.plan.engine_launches)
    stacks = rows.loc[rows["launches"] > 0, "stack"].nunique()
    figures = [
        KeyFigure(f"{numbers.fixed(len(launches), 0)} of {numbers.fixed(planned, 0)}", "launches measured"),
        KeyFigure(str(stacks), "MPI stack" if stacks == 1 else "MPI stacks"),
        KeyFigure(f"{int(rows['reliable'].sum())} of {len(rows)}", "rows reliable"),
    ]
    if len(source.inputs.campaign.stacks) > 1:
        won = int((leaders["state"] == "established").sum())
        figures.append(KeyFigure(f"{won} of {len(leaders)}", "cases with an established fastest stack"))
    return figures


OVERVIEW = Section("summary", "Summary", "summary.html.j2", build, needs=(SUMMARY, FASTEST))
