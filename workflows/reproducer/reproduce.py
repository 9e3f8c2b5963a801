# SPDX-License-Identifier: BSD-3-Clause
"""The folder of a finding: program, script and report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from isochron.common.files import FileError, open_file, write_atomically
from isochron.common.text import assignments, in_markdown
from isochron.schemas.engine.contract import operation as described
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.provenance import read_provenance
from isochron.workflows.reproducer.commands import Side, script
from isochron.workflows.reproducer.findings import Finding, Setting, explained
from isochron.workflows.reproducer.program import in_words, make_program
from isochron.workflows.reproducer.threads import FLAG

#: Properties of a node in a report, as they are recorded, and what they are called there.
NODE = {
    "cpu_model": "processor",
    "cpus_online": "processors in use",
    "numa_nodes": "NUMA nodes",
    "kernel": "Linux",
    "memory_kib": "memory in KiB",
}


@dataclass(frozen=True)
class Reproducer:
    """What shows a finding: a program, and the two stacks with which it is built.

    `what`: what the program times, in words; `reason`: why the slow stack is slower, empty if that is not known;
    `options`: those with which the engine measured it.
    """

    run: RunLayout
    finding: Finding
    what: str
    program: str
    fast: Side
    slow: Side
    reason: str
    setting: Setting | None
    options: Sequence[str] = ()

    @property
    def folder(self) -> Path:
        """Where it is written."""
        return self.run.reproducers / self.finding.name

    @property
    def source(self) -> str:
        """Name of the program's file."""
        return f"{self.finding.operation}-{self.finding.bytes}.c"

    @property
    def title(self) -> str:
        """What is claimed, as a sentence."""
        return _claim(self.finding, self.what, self.fast.label, self.slow.label)


def make_reproducer(
    run: RunLayout, campaign: Campaign, manifests: Mapping[str, Manifest], finding: Finding
) -> Reproducer:
    """Return the reproducer of a finding. Raises FileError if there is no plain program of it."""
    stacks = [manifests[finding.fast], manifests[finding.slow]]
    for manifest in stacks:
        if manifest.simulation:
            raise FileError(f"{finding.name}: cannot be shown by a program: {manifest.stack} is simulated")
        if manifest.abi:
            raise FileError(f"{finding.name}: cannot be shown by a program: {manifest.stack} has the ABI of MPI 5")
    labels = [f"{one.mpi_library} {one.mpi_version}" for one in stacks]
    if labels[0] == labels[1]:
        labels = [f"{label} ({one.stack})" for label, one in zip(labels, stacks, strict=True)]
    operation, size, processes = finding.operation, finding.bytes, finding.point.processes
    what = in_words(operation, size, campaign.engine)
    program = make_program(
        operation, size, processes, campaign.engine, finding.slow_us, _claim(finding, what, *labels),
        one_node=finding.point.nodes == 1,
    )  # fmt: skip
    shared = campaign.allow_oversubscription and _oversubscribed(run, finding)
    flags = [FLAG] if described(operation).threads else []
    fast, slow = (
        Side(word, label, manifest, finding.point, shared, flags, campaign.threads_of(""))
        for word, label, manifest in zip(("fast", "slow"), labels, stacks, strict=True)
    )
    options = campaign.engine.arguments()
    return Reproducer(run, finding, what, program, fast, slow, *explained(run, finding), options)


def _claim(finding: Finding, what: str, fast: str, slow: str) -> str:
    return f"{what}, {finding.point.processes} processes: {slow} takes {finding.ratio:.3g} times as long as {fast}."


def _first_launch(run: RunLayout, finding: Finding) -> str:
    """Return the first launch of the slow stack at the finding's point. Raises FileError."""
    for launch in Plan.load(run.plan).launches:
        if launch.stack == finding.slow and launch.point == finding.point and run.launch(launch.name).exists():
            return launch.name
    raise FileError(f"{run.root}: no launch of {finding.slow} at {finding.point.label}")


def _oversubscribed(run: RunLayout, finding: Finding) -> bool:
    """Return True if the launches had more processes on a node than cores."""
    with open_file(run.launch(_first_launch(run, finding))) as stream:
        header = json.loads(stream.readline())
    return bool(header["launch"].get("oversubscribed") == "true")


def write_reproducer(one: Reproducer, lines: Sequence[str] = (), outcome: str = "") -> None:
    """Write program, script and report; `lines`: what the program printed here, `outcome`: what that shows."""
    one.folder.mkdir(parents=True, exist_ok=True)
    expected = list(lines) or [
        f"{side.label}: about {time:.3g} us"
        for side, time in ((one.fast, one.finding.fast_us), (one.slow, one.finding.slow_us))
    ]
    write_atomically(one.folder / one.source, one.program)
    shell = one.folder / "run.sh"
    write_atomically(shell, script(one.title, one.source, one.fast, one.slow, one.setting, expected))
    shell.chmod(0o755)
    write_atomically(one.folder / "report.md", report(one, expected, outcome))


def report(one: Reproducer, expected: Sequence[str], outcome: str) -> str:
    """Return the text for the library's tracker, as Markdown."""
    finding, point = one.finding, one.finding.point
    percent = f"{100 * finding.confidence:.3g} %"
    paragraphs = [
        f"# {in_markdown(one.title)}",
        "## What happens",
        f"{point.processes} processes, {point.processes_per_node} on a node. Medians of {finding.launches} launches, "
        "in which all processes start the operation at the same time; it ends with the last one:",
        _table(
            ["library", "median (µs)"],
            [[one.fast.label, f"{finding.fast_us:.4g}"], [one.slow.label, f"{finding.slow_us:.4g}"]],
        ),
        f"Ratio {finding.ratio:.3g}, {percent} interval [{finding.low:.3g}; {finding.high:.3g}].",
        f"Why: {in_markdown(one.reason)}." if one.reason else "",
        "## How to see it",
        f"`{one.source}` is a program in plain MPI. Build and start it with each library:",
        _block("sh", [line for side in (one.fast, one.slow) for line in _generic(one, side)]),
        _with_setting(one),
        "It prints:",
        _block("", list(expected)),
        outcome,
        "## Versions and machine",
        _table(["", one.fast.label, one.slow.label], _versions(one)),
        _table(["machine", ""], _machine(one)),
        f"<details><summary>{one.source}</summary>",
        _block("c", one.program.splitlines()),
        "</details>",
    ]
    return "\n\n".join(filter(None, paragraphs)) + "\n"


def _block(language: str, lines: Sequence[str]) -> str:
    return "\n".join([f"```{language}", *lines, "```"])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = [head, ["---"] * len(head), *([in_markdown(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def _generic(one: Reproducer, side: Side) -> list[str]:
    """Return the two commands with a library, as on any machine."""
    return [
        f"# {side.label}",
        side.anywhere(side.build(one.source, "./program")),
        side.anywhere(side.launch("./program")),
    ]


def _with_setting(one: Reproducer) -> str:
    if one.setting is None:
        return ""
    launch = one.slow.anywhere(one.slow.launch("./program"), one.setting.variables)
    return (
        f"In {one.slow.label} this gives {one.setting.gives_back} of the difference back:\n\n{_block('sh', [launch])}"
    )


def _versions(one: Reproducer) -> list[list[str]]:
    sides = [one.fast.manifest, one.slow.manifest]
    rows = [
        ["version", *(side.mpi_library_version for side in sides)],
        ["compiler", *(side.compiler for side in sides)],
    ]
    variables = [assignments(side.environment.set) for side in sides]
    sources = [side.stack_source for side in sides]
    return [*rows, ["source", *sources], *([["environment", *variables]] if any(variables) else [])]


def _machine(one: Reproducer) -> list[list[str]]:
    """Return what the run recorded of the first node."""
    nodes = read_provenance(one.run.provenance(_first_launch(one.run, one.finding))).nodes
    facts = next(iter(nodes.values()), {})
    return [[words, facts[name]] for name, words in NODE.items() if facts.get(name)]
