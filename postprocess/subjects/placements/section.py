# SPDX-License-Identifier: BSD-3-Clause
"""Placements: what differs, what to do, and every established difference."""

from dataclasses import dataclass

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.kit.section import Section, Source
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.placements.finding import (
    MAX_LINES,
    orders,
    places,
    recommendation,
    slower_first,
    times,
    trunk_orders,
)
from isochron.postprocess.subjects.placements.table import PLACEMENT_ADVICE, PLACEMENTS

#: More rows than these are in the file only.
MAX_ROWS = 200


@dataclass(frozen=True)
class PlaceRow:
    """A difference between two places as text."""

    stack: str
    operation: str
    size: str
    processes: str
    slow: str
    fast: str
    times: str


@dataclass(frozen=True)
class View:
    """What is found, in words; advice and rows, largest difference first, and how many of each are in the file only."""

    text: str
    advice: list[str]
    more_advice: int
    rows: list[PlaceRow]
    left_out: int


def build(source: Source) -> View | None:
    """None if no two points differ in place alone."""
    table = source.analysis[PLACEMENTS]
    if not len(table):
        return None
    text = " ".join(finding.text for finding in source.findings if finding.kind == "placements")
    differ = slower_first(table)
    rows = [
        PlaceRow(
            stack=row["stack"],
            operation=labels.timed(row["operation"]),
            size=labels.size(row),
            processes=numbers.fixed(row["processes"], 0),
            slow=row["slow"] if row["placement"] != row["baseline_placement"] else f"{row['slow']}, {row['placement']}",
            fast=row["fast"],
            times=times(row),
        )
        for row in differ.head(MAX_ROWS).to_dict("records")
    ]
    advice = [recommendation(row, source.inputs) for row in source.analysis[PLACEMENT_ADVICE].to_dict("records")]
    more = max(0, len(advice) - MAX_LINES)
    return View(text, advice[:MAX_LINES], more, rows, max(0, len(differ) - MAX_ROWS))


PLACES = Section("placements", "Placements", "placements/section.html.j2", build, needs=(PLACEMENTS, PLACEMENT_ADVICE))

SUBJECT = Subject(
    tables=(PLACEMENT_ADVICE, PLACEMENTS),
    findings=(places, orders, trunk_orders),
    sections=(PLACES,),
)
