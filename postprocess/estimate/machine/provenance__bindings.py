# SPDX-License-Identifier: BSD-3-Clause
"""Which processors the processes of each launch had, as the launches themselves reported it."""

from __future__ import annotations

import re

import pandas as pd

from isochron.postprocess.ingest.inputs__inputs import KEYS, POINT, RunInputs
from isochron.schemas.run.launch_file import read_header
from isochron.schemas.run.records import Header

#: Several rows of one stack and point: nodes or launches differ.
BINDING_COLUMNS = {
    "stack": KEYS["stack"],
    **{name: KEYS[name] for name in POINT},
    "binding": "processors of the processes of a node",
    "hosts": "nodes that had this binding, separated by commas",
}


def binding_table(inputs: RunInputs, launches: pd.DataFrame) -> pd.DataFrame:
    """`BINDING_COLUMNS`, from the headers of the raw files, in the campaign's order of stacks.

    `launches`: stack, POINT and file of each launch.
    """
    nodes: dict[tuple[str, ...], set[str]] = {}
    for stack, *point, file in launches[["stack", *POINT, "file"]].itertuples(index=False, name=None):
        for host, binding in by_host(read_header(inputs.layout.raw(file))).items():
            nodes.setdefault((stack, *point, binding), set()).add(host)
    order = {stack: index for index, stack in enumerate(inputs.campaign.stacks)}
    rows = [(*key, ",".join(sorted(hosts))) for key, hosts in sorted(nodes.items(), key=lambda item: order[item[0][0]])]
    return pd.DataFrame(rows, columns=pd.Index(BINDING_COLUMNS))


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
