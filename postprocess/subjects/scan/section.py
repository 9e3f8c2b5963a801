# SPDX-License-Identifier: BSD-3-Clause
"""The scan: its map, and every node and link with what was found."""

from dataclasses import dataclass

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.kit.section import FigureView, Section, Source
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.scan import figure
from isochron.postprocess.subjects.scan.finding import slow_places
from isochron.postprocess.subjects.scan.table import SCAN

#: More rows than these are in the file only.
MOST = 200


@dataclass(frozen=True)
class Row:
    """A node or link in one case as text."""

    place: str
    stack: str
    operation: str
    size: str
    time: str
    rate: str
    ratio: str
    p_value: str
    verdict: str


@dataclass(frozen=True)
class View:
    """What was found, the map, and the rows: those first that take longest."""

    text: str
    figures: list[FigureView]
    rows: list[Row]
    left_out: int


def build(source: Source) -> View | None:
    """None if the campaign scans nothing."""
    table = source.analysis[SCAN]
    if not len(table):
        return None
    text = " ".join(finding.text for finding in source.findings if finding.kind == "scan")
    rows = [
        Row(
            place=row["host"] + (f"–{row['peer']}" if row["peer"] else ""),
            stack=row["stack"],
            operation=labels.timed(row["operation"]),
            size=labels.size(row),
            time=numbers.significant(row["time_us"]),
            rate=numbers.significant(row["mb_per_s"]),
            ratio=numbers.ratio(row["ratio"]),
            p_value=numbers.significant(row["p_adjusted"], 2),
            verdict=row["verdict"],
        )
        for row in table.sort_values("ratio", ascending=False, kind="stable").head(MOST).to_dict("records")
    ]
    return View(text, source.figures_of("scan"), rows, max(0, len(table) - MOST))


NODE_SCAN = Section("scan", "Nodes and links", "scan/section.html.j2", build, needs=(SCAN,))

SUBJECT = Subject(
    tables=(SCAN,),
    figures=(figure.figures,),
    findings=(slow_places,),
    sections=(NODE_SCAN,),
)
