# SPDX-License-Identifier: BSD-3-Clause
"""Launches that were not accepted, and why."""

from dataclasses import dataclass

from isochron.postprocess.formatting import numbers
from isochron.postprocess.kit.section import Section, Source
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.attempts.finding import refused
from isochron.postprocess.subjects.attempts.table import ATTEMPTS


@dataclass(frozen=True)
class AttemptRow:
    """A launch that an attempt did not bring to acceptance, as text."""

    block: str
    attempt: str
    launch: str
    reason: str
    measured: str


@dataclass(frozen=True)
class View:
    """The rows, in the plan's order."""

    rows: list[AttemptRow]


def build(source: Source) -> View | None:
    """None if everything was accepted."""
    rows = [
        AttemptRow(
            block=row["block"],
            attempt=str(row["attempt"]),
            launch=row["launch"] or numbers.NONE,
            reason=row["reason"],
            measured=("yes" if row["measured"] else "no") if row["launch"] else numbers.NONE,
        )
        for row in source.analysis[ATTEMPTS].to_dict("records")
    ]
    return View(rows) if rows else None


REFUSED = Section("attempts", "Refused launches", "attempts/section.html.j2", build, needs=(ATTEMPTS,))

SUBJECT = Subject(
    tables=(ATTEMPTS,),
    findings=(refused,),
    sections=(REFUSED,),
)
