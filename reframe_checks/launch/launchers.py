# SPDX-License-Identifier: BSD-3-Clause
"""The command that starts the processes of a launch: the launcher of the stack, or that of the site's partition.

ReFrame's `launcher` of the partition decides. With `local`, `mpirun` and `mpiexec` the launcher in the stack's
declaration is used. A launcher of a site (`reframe_checks/sites/launchers`) starts all stacks that support it.
"""

import re

from isochron.common.files import FileError
from isochron.schemas.input.placement import is_dealt
from isochron.schemas.launcher_kind import launcher_kinds, site_launchers, threaded
from isochron.schemas.run.manifest import Launcher
from isochron.schemas.run.plan import Point

#: Name of the stack's launcher among those of a launch.
OWN = "stack"

#: Replaced by the job: comma-separated list of hosts in order; file with the host of each rank; name of the launch. So
#: is {pmi} of a launcher that is asked there for its interfaces.
IN_THE_JOB = ("hosts", "host_file", "launch")

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def concurrent_words(name: str) -> list[str] | None:
    """Return the options with which a launcher starts several launches on the same processors; None: it cannot."""
    return [] if name == OWN else site_launchers()[name].concurrent


def sharing_variables() -> dict[str, str]:
    """Return the variables with which the launches of a session can run on the same processors."""
    return {name: value for kind in launcher_kinds().values() for name, value in kind.concurrent_variables.items()}


def fixed_variables() -> dict[str, str]:
    """Return the variables that every launch gets, whatever the site sets."""
    return {name: value for kind in launcher_kinds().values() for name, value in kind.variables.items()}


def launcher_commands(
    launcher: Launcher,
    point: Point,
    stack: str,
    *,
    threads: int = 1,
    oversubscribed: bool = False,
    named_hosts: bool = False,
) -> dict[str, list[str]]:
    """Return the commands that can start a launch: the stack's launcher (`stack`), and a site's by ReFrame's name.

    `threads`: of each process, which then has as many cores, unless it is oversubscribed; `named_hosts`: whether the
    host of each rank is prescribed. Raises FileError.
    """
    if oversubscribed and launcher.oversubscribe is None:
        raise FileError(
            f"stack {stack}: {point.label} has more processes or threads on a node than cores, and processes of this "
            "stack spin while they wait; plan fewer processes per node"
        )
    own = launcher.placed if named_hosts else launcher.argv
    threads = 1 if oversubscribed else threads
    values = _values(launcher, point, threads)
    variables = launcher.threaded_variables if threads > 1 else {}
    before = ["env", *(f"{name}={value}" for name, value in variables.items())] if variables else []
    commands = {}
    if own is not None:
        words = [*before, *threaded(own, launcher.threaded, threads)]
        words += (launcher.oversubscribe or []) if oversubscribed else []
        commands[OWN] = [_filled(word, values, stack) for word in words]
    for name, kind in site_launchers().items():
        template = kind.placed if named_hosts else kind.packed
        pmi = kind.pmi.get(launcher.pmi or "")
        if template is not None and pmi is not None:
            values["pmi"] = "{pmi}" if kind.list_pmi else pmi
            words = [*before, *threaded(template, kind.threaded, threads)]
            words += kind.overcommit if oversubscribed else []
            commands[name] = [_filled(word, values, stack) for word in words]
    if not commands:
        raise FileError(
            f"stack {stack}: {point.label} names the host of each rank, but the stack declares no launcher for that; "
            "add launcher.placed or launcher.pmi to its stack.yaml, or remove the placement"
        )
    return commands


def _values(launcher: Launcher, point: Point, threads: int) -> dict[str, str]:
    return {
        "processes": str(point.processes),
        "processes_per_node": str(point.processes_per_node),
        "nodes": str(point.nodes),
        "chunk": "1" if is_dealt(point.placement) else str(point.processes_per_node),
        "threads": str(threads),
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
