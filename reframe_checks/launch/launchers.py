# SPDX-License-Identifier: BSD-3-Clause
"""The command that starts the processes of a launch: the launcher of the stack, or that of the site's partition.

ReFrame's `launcher` of the partition decides. With `local`, `mpirun` and `mpiexec` the launcher in the stack's
declaration is used. A launcher in `SITE` starts all stacks that support it.
"""

from __future__ import annotations

import re

from isochron.common.files import FileError
from isochron.schemas.input.placement import is_dealt
from isochron.schemas.input.turns import SITE_LAUNCHERS
from isochron.schemas.run.manifest import Launcher
from isochron.schemas.run.plan import Point

#: Name of the stack's launcher among those of a launch.
OWN = "stack"

#: The launchers of SITE_LAUNCHERS: arguments for a packed launch, then those that name the host of each rank. Without
#: the latter it starts packed launches only. Only `srun` needs the interface by which ranks connect. `--relative=0`: on
#: the first nodes of a larger allocation, as every launch of its session; Slurm would choose others for each.
SITE: dict[str, tuple[list[str], list[str] | None]] = {
    "srun": (
        ["srun", "--mpi={pmi}", "--nodes={nodes}", "--ntasks={processes}", "--kill-on-bad-exit=1",
         "--ntasks-per-node={processes_per_node}", "--distribution=block", "--cpu-bind=cores", "--relative=0"],
        ["srun", "--mpi={pmi}", "--nodes={nodes}", "--ntasks={processes}", "--kill-on-bad-exit=1",
         "--distribution=arbitrary", "--nodelist={host_file}", "--cpu-bind=cores"],
    ),
    "alps": (["aprun", "-n", "{processes}", "-N", "{processes_per_node}", "-cc", "cpu"], None),
    "lrun": (["lrun", "-n", "{processes}", "-T", "{processes_per_node}"], None),
}  # fmt: skip

#: Added to a site's launcher if a node has more processes than cores.
OVERCOMMIT = {"srun": ["--overcommit", "--cpu-bind=none"]}

#: Launchers that can start several launches on the same processors at once, and their options for it.
CONCURRENT: dict[str, list[str]] = {OWN: []} | {
    name: options for name, options in SITE_LAUNCHERS.items() if options is not None
}

#: Replaced by the job, which knows its nodes: comma-separated list of hosts in order; file with the host of each rank.
IN_THE_JOB = ("hosts", "host_file")

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def launcher_commands(
    launcher: Launcher, point: Point, stack: str, *, oversubscribed: bool = False, named_hosts: bool = False
) -> dict[str, list[str]]:
    """Return the commands that can start a launch: the stack's launcher (`stack`), and a site's by ReFrame's name.

    `named_hosts`: whether the host of each rank is prescribed. Raises FileError.
    """
    if oversubscribed and launcher.oversubscribe is None:
        raise FileError(
            f"stack {stack}: {point.label} has more processes on a node than cores, and processes of this stack spin "
            "while they wait; plan fewer processes per node"
        )
    own = launcher.placed if named_hosts else launcher.argv
    templates = {} if own is None else {OWN: own + ((launcher.oversubscribe or []) if oversubscribed else [])}
    for name, (packed, placed) in SITE.items():
        template = placed if named_hosts else packed
        if template is not None and launcher.pmi is not None:
            templates[name] = template + (OVERCOMMIT.get(name, []) if oversubscribed else [])
    if not templates:
        raise FileError(
            f"stack {stack}: {point.label} names the host of each rank, but the stack declares no launcher for that; "
            "add launcher.placed or launcher.pmi to its stack.yaml, or remove the placement"
        )
    values = _values(launcher, point)
    return {name: [_filled(word, values, stack) for word in words] for name, words in templates.items()}


def _values(launcher: Launcher, point: Point) -> dict[str, str]:
    return {
        "processes": str(point.processes),
        "processes_per_node": str(point.processes_per_node),
        "nodes": str(point.nodes),
        "chunk": "1" if is_dealt(point.placement) else str(point.processes_per_node),
        "pmi": launcher.pmi or "",
        **{name: f"{{{name}}}" for name in IN_THE_JOB},
    }


def _filled(word: str, values: dict[str, str], stack: str) -> str:
    def value(match: re.Match[str]) -> str:
        if match[1] not in values:
            raise FileError(
                f"stack {stack}: launcher: unknown placeholder '{match[0]}'; choose from "
                + ", ".join(f"{{{name}}}" for name in values)
            )
        return values[match[1]]

    return PLACEHOLDER.sub(value, word)
