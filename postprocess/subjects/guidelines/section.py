# SPDX-License-Identifier: BSD-3-Clause
"""Performance guidelines that are violated, as advice: what to call instead; the evidence is folded."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.kit.section import Section, Source, StackMark
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.guidelines.finding import guidelines
from isochron.postprocess.subjects.guidelines.table import ADVICE, GUIDELINES


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
class Advice:
    """What to call instead, where, and how much faster that is."""

    mark: StackMark
    text: str
    point: str
    gain: str


@dataclass(frozen=True)
class View:
    """How many there are, in words, what to do about the violated ones, and these."""

    count: str
    advice: list[Advice]
    rows: list[GuidelineRow]


def build(source: Source) -> View | None:
    """None if no guideline could be tested."""
    table = source.analysis[GUIDELINES]
    if not len(table):
        return None
    advice = [_advice(row, source.marks) for row in source.analysis[ADVICE].to_dict("records")]
    return View(count(table), advice, violated(table, source.marks))


def _advice(row: Mapping[Any, Any], marks: Mapping[str, StackMark]) -> Advice:
    """`use allreduce instead of reduce at 256 B and 4 KiB`, `1.26× to 2.45× faster`."""
    least, most = numbers.ratio(row["times_min"]), numbers.ratio(row["times_max"])
    return Advice(
        mark=marks[row["stack"]],
        text=words(row),
        point=labels.point(row),
        gain=f"{most} faster" if least == most else f"{least} to {most} faster",
    )


def words(row: Mapping[Any, Any]) -> str:
    """The advice itself. `row`: of `ADVICE_COLUMNS`."""
    sizes = [numbers.size(int(size)) for size in str(row["sizes"]).split(";") if int(size)]
    at = f" at {numbers.listing(sizes)}" if sizes else ""
    if row["kind"] == "monotony":
        return f"pad {row['operation']}{at.replace(' at ', ' of ')}: {row['instead']} is faster"
    if row["kind"] == "split":
        return f"split {row['operation']}{at.replace(' at ', ' of ')}: {row['instead']} is faster"
    return f"use {' followed by '.join(row['instead'].split(' + '))} instead of {row['operation']}{at}"


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
    parts = [
        f"{int((table['verdict'] == verdict).sum())} {verdict}" for verdict in ("violated", "satisfied", "inconclusive")
    ]
    are = "guideline is" if len(table) == 1 else "guidelines are"
    return f"{numbers.fixed(len(table), 0)} {are} tested: {numbers.listing(parts)}"


PERFORMANCE_GUIDELINES = Section(
    "guidelines", "Guidelines", "guidelines/section.html.j2", build, needs=(ADVICE, GUIDELINES)
)

SUBJECT = Subject(
    tables=(ADVICE, GUIDELINES),
    findings=(guidelines,),
    sections=(PERFORMANCE_GUIDELINES,),
)
