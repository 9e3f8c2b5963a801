# SPDX-License-Identifier: BSD-3-Clause
"""The sentences of a study, each beside what the run has."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from isochron.postprocess.formatting import numbers
from isochron.postprocess.kit.section import Section, Source
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.published.checks import AGREES, DIFFERS
from isochron.postprocess.subjects.published.finding import TOLD, by_sentence, case, published
from isochron.postprocess.subjects.published.table import PUBLISHED
from isochron.postprocess.subjects.published.wording import amount

#: More lines of sentences with several cases than these are in the file only.
MAX_LINES = 200


@dataclass(frozen=True)
class Row:
    """A sentence, and what the run has of it, as text; the stack is empty if the sentence compares stacks.

    `cases`: how many cases have this outcome, if there are several; `why`: what is known to make the difference.
    """

    published: str
    place: str
    stack: str
    outcome: str
    agrees: bool
    cases: str
    here: str
    why: str


@dataclass(frozen=True)
class CaseRow:
    """A case of a sentence that has several."""

    name: str
    stack: str
    case: str
    outcome: str
    here: str


@dataclass(frozen=True)
class Study:
    """The sentences of a study, and the cases of those that have several."""

    name: str
    source: str
    text: str
    rows: list[Row]
    cases: list[CaseRow]
    left_out: int


def build(source: Source) -> list[Study] | None:
    """None if the campaign repeats no study."""
    texts = {finding.numbers["study"]: finding.text for finding in source.findings if "sentences" in finding.numbers}
    studies = source.analysis[PUBLISHED].groupby("study", sort=False)
    return [_study(str(name), rows, texts.get(str(name), "")) for name, rows in studies] or None


def _study(name: str, rows: pd.DataFrame, text: str) -> Study:
    lines, cases = [], []
    for sentence in by_sentence(rows):
        ordered = [part for stack in sentence["stack"].unique() for part in by_sentence(_of(sentence, stack))]
        lines += [_row(part) for part in ordered]
        cases += [_case(part, row) for part in ordered if len(part) > 1 for _, row in part.iterrows()]
    first = rows.iloc[0]
    return Study(name, first["source"], text, lines, cases[:MAX_LINES], max(0, len(cases) - MAX_LINES))


def _of(rows: pd.DataFrame, stack: str) -> pd.DataFrame:
    return rows[rows["stack"] == stack]


def _row(part: pd.DataFrame) -> Row:
    """`part`: the lines of a sentence and stack, as `by_sentence` orders them."""
    first = part.iloc[0]
    same = int((part[TOLD] == first[TOLD]).sum())
    several = len(part) > 1
    return Row(
        published=first["published"],
        place=first["place"],
        stack=first["stack"],
        outcome=first[TOLD],
        agrees=first[TOLD] == AGREES,
        cases=f"{same} of {numbers.count(len(part), 'case')}" if several else "",
        here=f"{_range(part)}{case(part, first)}: {first['here']}" if several else first["here"],
        why=first["if_differs"] if first[TOLD] == DIFFERS else "",
    )


def _range(part: pd.DataFrame) -> str:
    """`From 1.08× to 8.91×. For example `, if cases have numbers that differ as printed."""
    values, unit = part["value"].dropna(), part["unit"].iloc[0]
    if values.empty:
        return ""
    low, high = amount(values.min(), unit), amount(values.max(), unit)
    return "" if low == high else f"From {low} to {high}. For example "


def _case(part: pd.DataFrame, row: pd.Series[str]) -> CaseRow:
    return CaseRow(row["sentence"], row["stack"], case(part, row), row["outcome"], row["here"])


PUBLISHED_FINDINGS = Section("published", "Published findings", "published/section.html.j2", build, needs=(PUBLISHED,))

SUBJECT = Subject(
    tables=(PUBLISHED,),
    findings=(published,),
    sections=(PUBLISHED_FINDINGS,),
)
