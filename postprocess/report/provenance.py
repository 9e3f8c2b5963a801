# SPDX-License-Identifier: BSD-3-Clause
"""The nodes as they were when launches started: what all have in common, and where they differ."""

from __future__ import annotations

from statistics import median

from isochron.postprocess.analysis.analysis import Analysis
from isochron.postprocess.report.model import NodeDifference
from isochron.postprocess.words import numbers

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


def common_facts(analysis: Analysis) -> list[tuple[str, str]]:
    """Label and value of the facts that were the same in all launches on all nodes."""
    table = analysis.provenance
    same = dict(table.loc[~table["differs"], ["fact", "value"]].itertuples(index=False, name=None))
    facts = [(label, same[fact]) for fact, label in SHOWN.items() if fact in same]
    facts += [(f"Network {fact.split('.')[1]}, {fact.split('.')[2]}", same[fact]) for fact in same if _network(fact)]
    if analysis.loads:
        low, high = numbers.significant(median(analysis.loads)), numbers.significant(max(analysis.loads))
        facts.append(("Load of a node before a launch", f"{low} in the median, {high} at most"))
    return facts


def _network(fact: str) -> bool:
    return fact.startswith(("fabric.", "net.")) and fact.endswith((".driver", ".firmware", ".rate"))


def differences(analysis: Analysis) -> list[NodeDifference]:
    """Every value of the facts that were not always the same."""
    table = analysis.provenance
    return [
        NodeDifference(row["fact"], row["value"], str(row["launches"]), row["hosts"], row["stacks"])
        for row in table[table["differs"].astype(bool)].to_dict("records")
    ]
