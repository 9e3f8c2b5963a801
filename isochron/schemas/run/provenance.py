# SPDX-License-Identifier: BSD-3-Clause
"""`launches/<launch>.provenance`: JSON Lines, one about the launch and one about each of its nodes.

Written by reframe_checks/launch/node_facts.sh before the launch starts. Facts are names and texts: which there are
depends on the machine. Launchers may add lines of their own; those are passed over.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from isochron.common.files import read_lines

Facts = dict[str, str]

#: Facts that are another one each time, and so say nothing by being different.
ALWAYS_DIFFERENT = ("host", "time", "boot", "job_id", "node_list", "load_average")


@dataclass(frozen=True)
class Provenance:
    """What was known of a launch, and of each of its nodes by host name."""

    launch: Facts = field(default_factory=dict)
    nodes: dict[str, Facts] = field(default_factory=dict)


def read_provenance(path: Path) -> Provenance:
    """Read one file. What is not there, or cannot be read, is not known: provenance never decides about a launch."""
    launch: Facts = {}
    nodes: dict[str, Facts] = {}
    try:
        lines = read_lines(path)
    except OSError:
        lines = []
    for line in lines:
        facts = _facts(line)
        kind, host = facts.pop("record", ""), facts.get("host", "")
        if kind == "launch":
            launch = facts
        elif kind == "node" and host:
            nodes[host] = facts
    return Provenance(launch, nodes)


def _facts(line: str) -> Facts:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return {str(name): str(value) for name, value in found.items()} if isinstance(found, dict) else {}
