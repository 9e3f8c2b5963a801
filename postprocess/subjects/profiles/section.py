# SPDX-License-Identifier: BSD-3-Clause
"""Programs that were profiled: what each stack would make of their time in MPI, and what is left out of that."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from isochron.postprocess.formatting import numbers
from isochron.postprocess.kit.section import Section, Source
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.kit.table_view import Part, part
from isochron.postprocess.subjects.profiles.finding import profiled, sentence
from isochron.postprocess.subjects.profiles.table import CALLS, PROGRAMS

#: Calls that are named as left out.
MOST = 5


@dataclass(frozen=True)
class Program:
    """A program: a sentence for each stack, which leads, and what is left out."""

    name: str
    text: str
    sentences: list[str]
    leader: str
    left: list[str]


@dataclass(frozen=True)
class View:
    """All programs, and their calls."""

    programs: list[Program]
    calls: Part


def build(source: Source) -> View | None:
    """None if the campaign names no profile."""
    table, calls = source.analysis[PROGRAMS], source.analysis[CALLS]
    if not len(table):
        return None
    programs = [
        _program(program_rows, calls[calls["profile"] == name])
        for name, program_rows in table.groupby("profile", sort=False)
    ]
    return View(programs, part(CALLS, calls))


def _program(program_rows: pd.DataFrame, calls: pd.DataFrame) -> Program:
    rows = program_rows.to_dict("records")
    first = rows[0]
    ran = f" under {first['baseline']}" if first["baseline"] else ""
    text = (
        f"{numbers.count(int(first['processes']), 'process', 'processes')}{ran}, "
        f"{numbers.significant(first['mpi_seconds'])} s of each in MPI in the mean (profile {first['profile']})."
    )
    return Program(
        name=str(first["program"]),
        text=text,
        sentences=[sentence(row) for row in rows],
        leader=_leader(program_rows),
        left=_left(calls),
    )


def _leader(rows: pd.DataFrame) -> str:
    """Which stack the program should run under, as far as that is shown."""
    predicted = rows[rows["verdict"] != "not-predicted"]
    if not len(predicted):
        return ""
    leading = [str(stack) for stack in predicted.loc[predicted["leads"].astype(bool), "candidate"]]
    if not (predicted["ratio_high"] < 1).any():
        leading.insert(0, str(predicted["baseline"].iloc[0]))
    if len(leading) == 1:
        return f"The least time in MPI: {leading[0]}."
    return f"The least time in MPI: {numbers.listing(leading)}; none of them is shown to take less than the others."


def _left(calls: pd.DataFrame) -> list[str]:
    out = calls[calls["reason"] != ""]
    return [_left_line(row) for row in out.sort_values("time_share", ascending=False).head(MOST).to_dict("records")]


def _left_line(row: Mapping[Any, Any]) -> str:
    size = f" of {numbers.size(int(row['bytes']))}" if row["bytes"] else ""
    between = f" between {int(row['processes'])}" if row["processes"] else ""
    return f"{row['call']}{size}{between}, {numbers.percent(row['time_share'])} of the time in MPI: {row['reason']}"


PROFILED = Section("profiled", "Profiled programs", "profiles/section.html.j2", build, needs=(PROGRAMS, CALLS))

SUBJECT = Subject(
    tables=(PROGRAMS, CALLS),
    findings=(profiled,),
    sections=(PROFILED,),
)
