# SPDX-License-Identifier: BSD-3-Clause
"""What the launches ran on, and what the plan leaves out."""

from dataclasses import dataclass

import pandas as pd

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.formatting.numbers import distinct, short_list
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.section import Section, Source
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.environment.finding import environment
from isochron.postprocess.subjects.environment.table import BINDINGS, LOADS, PROVENANCE

#: Facts that the report states where all nodes have the same; `provenance.csv` holds all of them.
SHOWN = {
    "kernel": "Kernel",
    "cpu_model": "Processor",
    "cpus_online": "Processors online",
    "numa_nodes": "NUMA nodes",
    "smt": "SMT",
    "frequency_driver": "Frequency driver",
    "governor": "Frequency governor",
    "numa_balancing": "NUMA balancing",
    "transparent_huge_pages": "Transparent huge pages",
}


@dataclass(frozen=True)
class BindingRow:
    """Processors of the processes of a node, and the nodes that had this binding."""

    stack: str
    point: str
    binding: str
    nodes: str


@dataclass(frozen=True)
class NodeDifference:
    """One value of a fact that was not the same everywhere, and where it was so."""

    fact: str
    value: str
    launches: str
    hosts: str
    stacks: str


@dataclass(frozen=True)
class View:
    """Facts (label, text), bindings, what was not the same everywhere, and what was not planned (stack, point, why)."""

    facts: list[tuple[str, str]]
    bindings: list[BindingRow]
    differences: list[NodeDifference]
    skipped: list[tuple[str, str, str]]


def build(source: Source) -> View:
    """Always there."""
    inputs, analysis = source.inputs, source.analysis
    return View(
        facts(inputs, analysis) + common_facts(analysis), binding_rows(analysis), differences(analysis), skipped(inputs)
    )


def facts(inputs: RunInputs, analysis: Analysis) -> list[tuple[str, str]]:
    """Label and text for what all launches have together."""
    launches = analysis.launches
    if not len(launches):
        return []
    campaign_launches = launches[launches["clock_sync"] == inputs.campaign.engine.clock_sync]
    crowded = int(launches["oversubscribed"].sum())
    return [
        ("System", distinct(launches["system"] + ":" + launches["partition"])),
        ("Hosts", short_list(sorted({name for text in launches["hosts"].unique() for name in text.split(",")}))),
        ("Cores per node", str(inputs.plan.cores_per_node)),
        ("Timer", distinct(launches["timer"])),
        (
            "Timer resolution, cost of one reading",
            f"{_worst(launches, 'timer_resolution_us')}, {_worst(launches, 'timer_cost_us')}",
        ),
        ("Clock sources of the nodes", distinct(launches["clock_sources"]) or "not known"),
        ("Clock error after the synchronisation", f"at most {_worst(campaign_launches, 'clock_error_before_us')}"),
        ("Clock error after the runs", f"at most {_worst(campaign_launches, 'clock_error_after_us')}"),
        ("Launches with more processes or threads than cores", f"{crowded} of {len(launches)}"),
        ("Engine", distinct(launches["engine_version"])),
        (
            "Duration of a launch",
            f"{numbers.significant(float(launches['duration_s'].median()))}{numbers.GAP}s in the median",
        ),
        ("Digest of the plan", inputs.plan.digest),
    ]


def _worst(launches: pd.DataFrame, column: str) -> str:
    value = float(launches[column].max())
    return f"{numbers.microseconds(value)}{numbers.GAP}µs" if value == value else "not known"  # noqa: PLR0124


def binding_rows(analysis: Analysis) -> list[BindingRow]:
    """A row for each stack, point and binding; several of one stack and point: nodes or launches differ."""
    return [
        BindingRow(row["stack"], labels.point(row), row["binding"], short_list(row["hosts"].split(",")))
        for row in analysis[BINDINGS].to_dict("records")
    ]


def skipped(inputs: RunInputs) -> list[tuple[str, str, str]]:
    """Stack, point and reason of what was not planned."""
    return [
        (
            skip.stack,
            labels.point(skip.point.model_dump()),
            f"{skip.label}: {skip.reason}" if skip.operation or skip.program else skip.reason,
        )
        for skip in inputs.plan.skipped
    ]


def common_facts(analysis: Analysis) -> list[tuple[str, str]]:
    """Label and value of the facts that were the same in all launches on all nodes."""
    table = analysis[PROVENANCE]
    same = dict(table.loc[~table["differs"], ["fact", "value"]].itertuples(index=False, name=None))
    facts = [(label, same[fact]) for fact, label in SHOWN.items() if fact in same]
    facts += [(f"Network {fact.split('.')[1]}, {fact.split('.')[2]}", same[fact]) for fact in same if _network(fact)]
    loads = analysis[LOADS]["load"]
    if len(loads):
        low, high = numbers.significant(float(loads.median())), numbers.significant(float(loads.max()))
        facts.append(("Load of a node before a launch", f"{low} in the median, {high} at most"))
    return facts


def _network(fact: str) -> bool:
    return fact.startswith(("fabric.", "net.")) and fact.endswith((".driver", ".firmware", ".rate", ".numa_domain"))


def differences(analysis: Analysis) -> list[NodeDifference]:
    """Every value of the facts that were not always the same."""
    table = analysis[PROVENANCE]
    return [
        NodeDifference(row["fact"], row["value"], str(row["launches"]), row["hosts"], row["stacks"])
        for row in table[table["differs"].astype(bool)].to_dict("records")
    ]


ENVIRONMENT = Section(
    "environment", "Environment", "environment/section.html.j2", build, needs=(PROVENANCE, LOADS, BINDINGS)
)

SUBJECT = Subject(
    tables=(PROVENANCE,),
    frames=(LOADS, BINDINGS),
    findings=(environment,),
    sections=(ENVIRONMENT,),
)
