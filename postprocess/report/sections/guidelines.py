# SPDX-License-Identifier: BSD-3-Clause
"""Performance guidelines that are violated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from isochron.postprocess.report.section import Section, Source, StackMark
from isochron.postprocess.tables.guidelines import GUIDELINES
from isochron.postprocess.words import labels, numbers


@dataclass(frozen=True)
class GuidelineRow:
    """A violated guideline."""

    mark: StackMark
    operation: str
    size: str
    point: str
    kind: str
    other: str
    factor: str
    interval: str


@dataclass(frozen=True)
class View:
    """How many there are, in words, and the violated ones."""

    count: str
    rows: list[GuidelineRow]


def build(source: Source) -> View | None:
    """None where no guideline could be tested."""
    table = source.analysis[GUIDELINES]
    return View(count(table), violated(table, source.marks)) if len(table) else None


def violated(table: pd.DataFrame, marks: Mapping[str, StackMark]) -> list[GuidelineRow]:
    """The violated ones of `table` (`GUIDELINE_COLUMNS`), the worst first."""
    broken = table[table["verdict"] == "violated"].sort_values("ratio", ascending=False, kind="stable")
    return [
        GuidelineRow(
            mark=marks[row["stack"]],
            operation=row["operation"],
            size=labels.size(row),
            point=labels.point(row),
            kind=row["kind"],
            other=row["other"],
            factor=numbers.ratio(row["ratio"]),
            interval=numbers.ratio_interval(row["ratio_low"], row["ratio_high"]),
        )
        for row in broken.to_dict("records")
    ]


def count(table: pd.DataFrame) -> str:
    """`230 guidelines are tested: 3 violated, 180 kept and 47 open`. `table`: verdict of each."""
    parts = [f"{int((table['verdict'] == verdict).sum())} {verdict}" for verdict in ("violated", "kept", "open")]
    are = "guideline is" if len(table) == 1 else "guidelines are"
    return f"{numbers.fixed(len(table), 0)} {are} tested: {numbers.listing(parts)}"


PERFORMANCE_GUIDELINES = Section("guidelines", "Guidelines", "guidelines.html.j2", build, needs=(GUIDELINES,))
