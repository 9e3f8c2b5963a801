# SPDX-License-Identifier: BSD-3-Clause
"""Jobs: where the spread comes from, a bar for each operation; and where values lie in another job."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.compare.job_nodes import cannot_in_words, slow_in_words
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.kit.section import Section, Source
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.kit.table_view import Part, part
from isochron.postprocess.subjects.jobs.finding import another_job, changed, named_nodes, odd_jobs
from isochron.postprocess.subjects.jobs.table import (
    JOB_CHANGES,
    JOB_LIST,
    JOB_NODES,
    JOB_RATIOS,
    JOB_SHARES,
    JOB_UNITS,
    JOBS,
)

#: Stages in words: alone, and where it contains the next one.
WORDS = {"job": "jobs", "launch": "launches of a job", "rest": "parts of a launch"}
CONTAINS = "jobs and their launches"


@dataclass(frozen=True)
class Piece:
    """A part of a bar: where it begins and how wide it is, in % of the bar, and the standard deviation that it is."""

    stage: int
    begin: float
    width: float
    words: str
    spread: str


@dataclass(frozen=True)
class Bar:
    """Of an operation, or one of its sizes."""

    label: str
    pieces: list[Piece]


@dataclass(frozen=True)
class View:
    """The number of jobs, what they show of nodes, the bars of operations and of their sizes, and the tables."""

    jobs: int
    nodes: str
    bars: list[Bar]
    sizes: list[Bar]
    tables: list[Part]


def build(source: Source) -> View | None:
    """None if no row has several jobs."""
    jobs, ratios, shares = (source.analysis[table] for table in (JOBS, JOB_RATIOS, JOB_SHARES))
    listed, nodes = source.analysis[JOB_LIST], source.analysis[JOB_NODES]
    listed = listed.assign(hosts=[numbers.short_list(hosts.split(",")) for hosts in listed["hosts"]])
    if not len(shares):
        return None
    operations = shares[shares["bytes"].isna()]
    sizes = shares[shares["bytes"].notna() & shares["operation"].duplicated(keep=False)]
    several = [len(rows) > 2 for _, rows in shares.groupby("operation", sort=False)]
    frames = ((JOB_LIST, listed), (JOB_NODES, nodes), (JOBS, jobs), (JOB_RATIOS, ratios))
    tables = [part(table, frame) for table, frame in frames if len(frame)]
    known = int(jobs["jobs"].max())
    return View(known, _of_nodes(nodes), _bars(operations), _bars(sizes) if any(several) else [], tables)


def _of_nodes(nodes: pd.DataFrame) -> str:
    """What the jobs show of their nodes; empty if no jobs can be compared."""
    if not len(nodes):
        return ""
    slow = ". ".join(slow_in_words(nodes))
    return slow or cannot_in_words(nodes).capitalize() or "No node is established as slower than the others"


def _bars(shares: pd.DataFrame) -> list[Bar]:
    return [Bar(_label(row), _pieces(row)) for row in shares.to_dict("records")]


def _label(row: dict[Any, Any]) -> str:
    size = f", {numbers.size(int(row['bytes']))}" if row["bytes"] > 0 else ""
    return f"{labels.timed(str(row['operation']))}{size}"


def _pieces(row: dict[Any, Any]) -> list[Piece]:
    pieces, begin = [], 0.0
    for stage, (name, words) in enumerate(WORDS.items()):
        width = 100 * row[f"{name}_share"]
        if not width > 0:
            continue
        said = CONTAINS if name == "job" and pd.isna(row["launch_share"]) else words
        pieces.append(Piece(stage, round(begin, 2), round(width, 2), said, numbers.percent(row[f"{name}_sd"])))
        begin += width
    return pieces


JOBS_SECTION = Section(
    "jobs", "Jobs", "jobs/section.html.j2", build, needs=(JOBS, JOB_LIST, JOB_NODES, JOB_RATIOS, JOB_SHARES)
)

SUBJECT = Subject(
    tables=(JOB_LIST, JOB_NODES, JOBS, JOB_RATIOS, JOB_CHANGES),
    frames=(JOB_SHARES, JOB_UNITS),
    findings=(another_job, changed, odd_jobs, named_nodes),
    sections=(JOBS_SECTION,),
)
