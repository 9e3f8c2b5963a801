# SPDX-License-Identifier: BSD-3-Clause
"""What a launch takes to start and to end, by stack."""

from dataclasses import dataclass

import pandas as pd

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.kit.section import Section, Source
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.startup.finding import NAMES, startup
from isochron.postprocess.subjects.startup.table import STARTUP


@dataclass(frozen=True)
class StartRow:
    """A step of one stack at one point, as text."""

    stack: str
    point: str
    step: str
    launches: str
    median: str
    interval: str
    longest: str
    ratio: str


@dataclass(frozen=True)
class View:
    """The findings, the stack that others are compared with, and the rows."""

    text: str
    baseline: str
    rows: list[StartRow]


def build(source: Source) -> View | None:
    """None if no launch timed its start."""
    table = source.analysis[STARTUP]
    if not len(table):
        return None
    rows = [
        StartRow(
            stack=row["stack"],
            point=labels.point(row),
            step=NAMES[row["step"]],
            launches=str(row["launches"]),
            median=numbers.significant(row["median_ms"]),
            interval=f"[{numbers.significant(row['low_ms'])}; {numbers.significant(row['high_ms'])}]",
            longest=numbers.significant(row["max_ms"]),
            ratio=numbers.NONE if pd.isna(row["ratio"]) else numbers.ratio_with_interval(row),
        )
        for row in table.to_dict("records")
    ]
    text = " ".join(finding.text for finding in source.findings if finding.kind == "startup")
    return View(text, source.inputs.campaign.stacks[0], rows)


START = Section("startup", "Start and end of a launch", "startup/section.html.j2", build, needs=(STARTUP,))

SUBJECT = Subject(
    tables=(STARTUP,),
    findings=(startup,),
    sections=(START,),
)
