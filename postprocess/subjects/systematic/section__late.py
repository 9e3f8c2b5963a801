# SPDX-License-Identifier: BSD-3-Clause
"""First calls: what late initialisation costs, beside the ratios that were published."""

from __future__ import annotations

from dataclasses import dataclass

from isochron.postprocess.formatting import labels__labels as labels
from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.kit.section import FigureView, Section, Source, StackMark
from isochron.postprocess.subjects.systematic.table__late_initialisation import LATE_CALLS, published


@dataclass(frozen=True)
class LateRow:
    """An operation at one size with one stack: first and later calls as text."""

    mark: StackMark
    operation: str
    size: str
    point: str
    launches: str
    first: str
    later: str
    ratio: str
    range: str
    rank0: str
    second: str
    skew: str


@dataclass(frozen=True)
class View:
    """A sentence on all rows, the rows, the published ratios by library, and the figure."""

    text: str
    rows: list[LateRow]
    libraries: list[str]
    published: list[tuple[str, list[str]]]
    figures: list[FigureView]


def build(source: Source) -> View | None:
    """None where no first calls were timed."""
    table = source.analysis[LATE_CALLS]
    if not len(table):
        return None
    marks = source.marks
    rows = [
        LateRow(
            mark=marks[row["stack"]],
            operation=row["operation"],
            size=labels.size(row),
            point=labels.point(row),
            launches=numbers.fixed(row["launches"], 0),
            first=numbers.significant(row["first_us"]),
            later=numbers.significant(row["later_us"]),
            ratio=numbers.ratio(row["ratio"]),
            range=numbers.ratio_interval(row["ratio_min"], row["ratio_max"]),
            rank0=numbers.ratio(row["rank0_ratio"]),
            second=numbers.ratio(row["ratio_to_second"]),
            skew=numbers.significant(row["skew_us"]),
        )
        for row in table.to_dict("records")
    ]
    known = published().pivot_table(index="operation", columns="library", values="ratio", sort=False)
    theirs = [(str(name), list(map(numbers.ratio, row.tolist()))) for name, row in known.iterrows()]
    text = (
        f"The very first call took {numbers.ratio(table['ratio'].min())} to {numbers.ratio(table['ratio'].max())} as "
        "long as later ones, by the medians over launches"
    )
    return View(text, rows, [str(name) for name in known.columns], theirs, source.figures_of("late"))


LATE_INITIALISATION = Section("late", "First calls", "trust/late.html.j2", build, needs=(LATE_CALLS,))
