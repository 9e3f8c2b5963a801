# SPDX-License-Identifier: BSD-3-Clause
"""The NAS Parallel Benchmarks by placement: the same work side by side, and beside what others have published."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from isochron.postprocess.formatting import numbers
from isochron.postprocess.kit.section import FigureView, Section, Source
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.npb import figure
from isochron.postprocess.subjects.npb.results import PUBLISHED_CASE
from isochron.postprocess.subjects.npb.table import NPB, NPB_NODES, NPB_PUBLISHED
from isochron.schemas.input.programs import load_program_reference, program_reference_path

#: Kernels by the share of communication on the machine of the report of 2001.
SHARES = {
    "EP": "nearly no communication",
    **dict.fromkeys(("BT", "MG", "CG"), "below 20 % communication"),
    **dict.fromkeys(("LU", "SP"), "about 30 % communication, LU in short messages"),
    **dict.fromkeys(("FT", "IS"), "mostly communication, bound by bandwidth"),
}


@dataclass(frozen=True)
class Row:
    """A line as text."""

    stack: str
    placement: str
    per_node: str
    processes: str
    launches: str
    cells: list[str]


@dataclass(frozen=True)
class Part:
    """A kernel at a class."""

    title: str
    share: str
    rows: list[Row]


@dataclass(frozen=True)
class Machine:
    """A published machine, with the cases that both have."""

    title: str
    source: str
    text: str
    rows: list[list[str]]


@dataclass(frozen=True)
class View:
    """All of them."""

    text: str
    parts: list[Part]
    machines: list[Machine]
    figures: list[FigureView]


def build(source: Source) -> View | None:
    """None if the campaign runs none of them."""
    table = source.analysis[NPB]
    if not len(table):
        return None
    parts = [
        Part(f"{kernel}, class {problem}", SHARES[str(kernel)], [_row(row) for row in kernel_rows.to_dict("records")])
        for (kernel, problem), kernel_rows in table.groupby(["kernel", "npb_class"], sort=False)
    ]
    missing = int((table["launches"] < table["launches_planned"]).sum())
    text = (
        f"{numbers.count(int(table['launches'].sum()), 'launch', 'launches')} whose results the programs have verified"
    )
    text += f"; {numbers.count(missing, 'row')} lack launches." if missing else "."
    return View(text, parts, _machines(source), source.figures_of("npb"))


def _row(row: dict[Any, Any]) -> Row:
    cells = [
        numbers.significant(row["seconds"], 4),
        numbers.significant(row["mops_total"], 4),
        numbers.ratio_interval(row["mops_total_low"], row["mops_total_high"]) if row["launches"] > 1 else "",
        numbers.significant(row["mops_per_process"], 4),
        numbers.significant(row["mops_per_processor"], 4),
        numbers.significant(row["speed_up"]),
        numbers.significant(row["efficiency"]),
    ]
    return Row(
        stack=str(row["stack"]),
        placement=str(row["placement"]),
        per_node=str(row["processes_per_node"]),
        processes=str(row["processes"]),
        launches=f"{row['launches']} of {row['launches_planned']}",
        cells=cells,
    )


def _machines(source: Source) -> list[Machine]:
    npb, table = source.inputs.campaign.npb, source.analysis[NPB_PUBLISHED]
    machines = []
    for word in npb.compare_with if npb is not None else []:
        reference, _ = load_program_reference(program_reference_path(word))
        machines.append(_machine(reference.title, reference.source, table[table["machine"] == reference.title]))
    return machines


def _machine(title: str, source: str, table: pd.DataFrame) -> Machine:
    both = table[table["ratio"].notna()]
    cases = both.drop_duplicates([*PUBLISHED_CASE, "stack", "placement"])
    text = f"{numbers.count(len(cases), 'case')} on both machines"
    if len(both):
        text += (
            f"; of their time we take {numbers.significant(both['ratio'].median())} in the median, from "
            f"{numbers.significant(both['ratio'].min())} to {numbers.significant(both['ratio'].max())}"
        )
    names = ("this_mops_per_processor", "other_mops_per_processor", "this_speed_up", "other_speed_up", "ratio")
    rows = [
        [
            f"{row['kernel']} {row['npb_class']}",
            f"{row['processes']} at {row['processes_per_node']}/node",
            str(row["stack"]),
            ": ".join(str(row[name]) for name in ("other_map", "other_nodes") if row[name]),
            *(numbers.significant(row[name]) for name in names),
        ]
        for row in both.to_dict("records")
    ]
    return Machine(title, source, text + ".", rows)


BENCHMARKS = Section("npb", "NAS Parallel Benchmarks", "npb/section.html.j2", build, needs=(NPB, NPB_PUBLISHED))

SUBJECT = Subject(
    tables=(NPB, NPB_NODES, NPB_PUBLISHED),
    figures=(figure.figures,),
    sections=(BENCHMARKS,),
)
