# SPDX-License-Identifier: BSD-3-Clause
"""Binding of processes as every node of every launch really had it, from the headers of the raw files."""

from __future__ import annotations

import re

from isochron.postprocess.analysis.analysis import Analysis
from isochron.postprocess.reading.inputs import RunInputs
from isochron.postprocess.report.environment import short_list
from isochron.postprocess.report.model import BindingRow
from isochron.postprocess.words import labels
from isochron.schemas.launch_file import read_header
from isochron.schemas.records import Header


def binding_rows(inputs: RunInputs, analysis: Analysis) -> list[BindingRow]:
    """A row for each stack, point and binding; several of one stack and point: nodes or launches differ."""
    nodes: dict[tuple[str, str, str], set[str]] = {}
    for launch in analysis.launches.to_dict("records"):
        header = read_header(inputs.layout.root / launch["file"])
        for host, binding in by_host(header).items():
            nodes.setdefault((str(launch["stack"]), labels.point(launch), binding), set()).add(host)
    order = {stack: index for index, stack in enumerate(inputs.campaign.stacks)}
    return [
        BindingRow(stack, point, binding, short_list(sorted(hosts)))
        for (stack, point, binding), hosts in sorted(nodes.items(), key=lambda item: order[item[0][0]])
    ]


def by_host(header: Header) -> dict[str, str]:
    """Processors of the processes of each host: `0 | 1`, or `0-1 (2 processes)` where two share them."""
    found: dict[str, list[tuple[str, int]]] = {host.name: [] for host in header.hosts}
    for entry in header.bindings:
        found.setdefault(entry.get("host", ""), []).append((entry.get("cpus", ""), count(entry.get("ranks", ""))))
    return {
        host: " | ".join(_words(*each) for each in sorted(own, key=_first)) or "not known"
        for host, own in found.items()
    }


def count(ranks: str) -> int:
    """How many ranks `0-3,8` are."""
    bounds = [part.partition("-") for part in ranks.split(",") if part]
    return sum(int(last) - int(first) + 1 if last else 1 for first, _, last in bounds)


def _words(cpus: str, ranks: int) -> str:
    return f"{cpus} ({ranks} processes)" if ranks > 1 else cpus


def _first(entry: tuple[str, int]) -> tuple[int, str]:
    """By the first processor."""
    number = re.match(r"\d+", entry[0])
    return (int(number.group()) if number else -1, entry[0])
