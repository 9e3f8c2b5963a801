# SPDX-License-Identifier: BSD-3-Clause
"""This machine beside others: for each of them the ratios in short, its figure, and the rows."""

from dataclasses import dataclass

import pandas as pd

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.kit.section import FigureView, Section, Source
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.machines import figure
from isochron.postprocess.subjects.machines.table import MACHINES
from isochron.schemas.input.reference import load_reference, reference_path

#: More rows than these are in the file only.
MOST = 200


@dataclass(frozen=True)
class Row:
    """A case of both machines as text."""

    names: str
    operation: str
    size: str
    point: str
    ours: str
    theirs: str
    ratio: str
    interval: str


@dataclass(frozen=True)
class Machine:
    """Another machine: where its numbers come from, what its ratios say in short, and its rows."""

    title: str
    source: str
    text: str
    rows: list[Row]
    left_out: int


@dataclass(frozen=True)
class View:
    """All other machines, and their figures."""

    machines: list[Machine]
    figures: list[FigureView]


def build(source: Source) -> View | None:
    """None if the campaign names no other machine."""
    table = source.analysis[MACHINES]
    if not len(table):
        return None
    sources = _sources(source)
    machines = [
        _machine(str(title), sources.get(str(title), "another run"), machine_rows)
        for title, machine_rows in table.groupby("machine", sort=False)
    ]
    return View(machines, source.figures_of("beside"))


def _sources(source: Source) -> dict[str, str]:
    """Who has printed the numbers, by the title of the reference."""
    words = [entry.reference for entry in source.inputs.campaign.analysis.compare_with if entry.reference is not None]
    references = [load_reference(reference_path(word))[0] for word in words]
    return {reference.title: reference.source for reference in references}


def _machine(title: str, source: str, table: pd.DataFrame) -> Machine:
    both = table[table["ratio"].notna()]
    text = f"{numbers.count(len(both), 'case')} on both machines"
    for (ours, theirs), pair_rows in both.groupby(["ours", "theirs"], sort=False):
        text += (
            f"; {ours} takes {numbers.ratio(pair_rows['ratio'].median())} times as long as {theirs} in the median over "
            f"{numbers.count(len(pair_rows), 'case')}, from {numbers.ratio(pair_rows['ratio'].min())} to "
            f"{numbers.ratio(pair_rows['ratio'].max())}"
        )
    rows = [
        Row(
            names=f"{row['ours']} / {row['theirs']}",
            operation=labels.timed(row["operation"]),
            size=numbers.size(row["bytes"]) if row["bytes"] else numbers.NONE,
            point=f"{row['active']} × {row['processes_per_node']}",
            ours=numbers.significant(row["this_us"]),
            theirs=numbers.significant(row["other_us"]),
            ratio=numbers.ratio(row["ratio"]),
            interval=numbers.ratio_interval(row["ratio_low"], row["ratio_high"]),
        )
        for row in both.head(MOST).to_dict("records")
    ]
    return Machine(title, source, text + ".", rows, max(0, len(both) - MOST))


OTHER_MACHINES = Section("beside", "Compared with other machines", "machines/section.html.j2", build, needs=(MACHINES,))

SUBJECT = Subject(
    tables=(MACHINES,),
    figures=(figure.figures,),
    sections=(OTHER_MACHINES,),
)
