# SPDX-License-Identifier: BSD-3-Clause
"""Recorded properties of launches and nodes, and the checks of the nodes' timers.

Written by reframe_checks/launch/node_facts.sh before the launch starts. Properties are names and texts, which depend on
the machine. Lines that a launcher adds are ignored.
"""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from isochron.common.files import read_lines
from isochron.schemas.run.manifest import TransportReport

Facts = dict[str, str]

#: Properties that differ between all launches, so that a difference is not reported.
ALWAYS_DIFFERENT = ("host", "time", "boot", "job_id", "node_list", "load_average")

#: What carried the messages of a launch: kind of line, its member, and beginning of files; and where it is not known.
TRANSPORT, UNKNOWN = "transport", "not known"


@dataclass(frozen=True)
class Provenance:
    """Recorded properties of a launch, and of its nodes by host name."""

    launch: Facts = field(default_factory=dict)
    nodes: dict[str, Facts] = field(default_factory=dict)


def read_provenance(path: Path) -> Provenance:
    """Read one file. Missing or unreadable files and lines are ignored: a launch never depends on its provenance."""
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
            launch = facts | launch
        elif kind == TRANSPORT:
            launch = launch | facts
        elif kind == "node" and host:
            nodes[host] = facts
    return Provenance(launch, nodes)


def read_transport(attempt: Path, stack: str, report: TransportReport | None) -> str:
    """Return what carried the messages of a stack in an attempt, as its library printed it, or `not known`.

    Empty: the library was not asked.
    """
    path = attempt / f"{TRANSPORT}-{stack}.out"
    if report is None or not path.is_file():
        return ""
    try:
        return report.read(read_lines(path)) or UNKNOWN
    except OSError:
        return UNKNOWN


def transport_line(transport: str) -> str:
    """Return the line of a launch's file with what carried its messages."""
    return f"{json.dumps({'record': TRANSPORT, TRANSPORT: transport}, ensure_ascii=False)}\n"


def _facts(line: str) -> Facts:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return {str(name): str(value) for name, value in document.items()} if isinstance(document, dict) else {}


#: Verdicts of the engine, best first.
VERDICTS = ("good", "coarse", "slow", "unusable", "refused")

_NUMBER = r"(-?[\d.]+|-)"
_LINE = re.compile(rf"(\S+) +(\S*) +(\S+) +{_NUMBER} +{_NUMBER} +{_NUMBER} +({'|'.join(VERDICTS)})(?:: (.*))?")


@dataclass(frozen=True)
class TimerVerdict:
    """One timer on one node; figures in ns and parts per million, none if the timer was refused."""

    host: str
    clock_source: str
    timer: str
    resolution_ns: float | None
    cost_ns: float | None
    rate_ppm: float | None
    verdict: str
    reason: str


def read_timers(path: Path) -> list[TimerVerdict]:
    """Read the verdicts of one file. A missing file and other lines, which launchers may add, are ignored."""
    try:
        lines = read_lines(path)
    except OSError:
        return []
    return [_verdict(match) for line in lines if (match := _LINE.fullmatch(line))]


def _verdict(match: re.Match[str]) -> TimerVerdict:
    host, source, timer, resolution, cost, rate, verdict, reason = match.groups()
    return TimerVerdict(
        host, source, timer, _number(resolution), _number(cost), _number(rate), verdict, (reason or "").strip()
    )


def _number(text: str) -> float | None:
    return None if text == "-" else float(text)
