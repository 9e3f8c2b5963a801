# SPDX-License-Identifier: BSD-3-Clause
"""How far starts were apart, and what was discarded because of that."""

from __future__ import annotations

from dataclasses import dataclass

from isochron.postprocess.formatting import labels__labels as labels
from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.kit.section import Section, Source, StackMark
from isochron.postprocess.subjects.verdicts.table__starts import STARTS

#: Share of discarded runs from which a row is worth a word.
MUCH = 0.1


@dataclass(frozen=True)
class StartRow:
    """A row of the results: its starts as text."""

    mark: StackMark
    operation: str
    size: str
    point: str
    runs: str
    late: str
    overrun: str
    slot: str
    skew: str
    part: str


@dataclass(frozen=True)
class View:
    """A sentence on all rows, and the rows, those with the most discarded runs first."""

    text: str
    rows: list[StartRow]


def build(source: Source) -> View | None:
    """None where nothing was measured."""
    table = source.analysis[STARTS]
    if not len(table):
        return None
    much, apart = int((table["discarded"] > MUCH).sum()), float(table["start_skew_us"].median())
    text = (
        f"Starts were {numbers.significant(apart)}{numbers.GAP}µs apart in the median over rows. In {much} of "
        f"{numbers.count(len(table), 'row')} more than {numbers.given_percent(MUCH)} of the runs were discarded"
    )
    marks = source.marks
    rows = [
        StartRow(
            mark=marks[row["stack"]],
            operation=row["operation"],
            size=labels.size(row),
            point=labels.point(row),
            runs=numbers.fixed(row["reps_made"], 0),
            late=numbers.percent(row["late_start"]),
            overrun=numbers.percent(row["overrun"]),
            slot=numbers.significant(row["slot_us"]),
            skew=numbers.significant(row["start_skew_us"]),
            part=numbers.percent(row["skew_share"]),
        )
        for row in table.sort_values("discarded", ascending=False, kind="stable").to_dict("records")
    ]
    return View(text, rows)


STARTS_OF_ROWS = Section("starts", "Starts", "trust/starts.html.j2", build, needs=(STARTS,))
