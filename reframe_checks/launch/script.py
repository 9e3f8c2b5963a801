# SPDX-License-Identifier: BSD-3-Clause
"""The job script of a block: its values, the functions of job.sh, then a few lines for each launch."""

import re
import shlex
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from isochron.common.exit_codes import EngineExit, LaunchExit
from isochron.common.files import FileError, read_lines
from isochron.common.resources import shipped
from isochron.reframe_checks.launch.command import NODE_FACTS
from isochron.reframe_checks.launch.launchers import OWN, concurrent_words, fixed_variables, sharing_variables
from isochron.reframe_checks.launch.schedulers import node_facts, scheduler_lines
from isochron.reframe_checks.launch.segments import FOLDER, PREFIX, block_segments
from isochron.schemas.launcher_kind import site_launchers
from isochron.schemas.run.block_spec import BlockSpec, CandleSpec, LaunchSpec, StackSpec, TimerCheck
from isochron.spack_envs.toolchain import LOADER_VARIABLES, all_stray_variables, shell_lines

#: Functions of every job script; the file describes them.
FUNCTIONS = shipped("reframe_checks", "launch", "job.sh")

#: Seconds for a launch to end after SIGTERM, for the description of its nodes, and for the checks before all launches.
GRACE, FACTS_SECONDS, TIMERS_SECONDS, TRANSPORT_SECONDS = 10, 30, 60, 60

#: How much of the output of a check of the transport is kept: each rank may print a line for each other.
TRANSPORT_BYTES = 1 << 22

#: A variable that a command of the shell exports.
EXPORTED = re.compile(r"\bexport\s+([A-Za-z_]\w*)=")

#: Variables that job.sh expects besides those of the block.
CONSTANTS = {
    "grace_seconds": GRACE,
    "facts_seconds": FACTS_SECONDS,
    "timers_seconds": TIMERS_SECONDS,
    "transport_seconds": TRANSPORT_SECONDS,
    "transport_bytes": TRANSPORT_BYTES,
    "refused": EngineExit.ENVIRONMENT.value,
    "lacking_host": LaunchExit.LACKING_HOST.value,
    "changed_engine": LaunchExit.CHANGED_ENGINE.value,
    "changed_image": LaunchExit.CHANGED_IMAGE.value,
    "changed_library": LaunchExit.CHANGED_LIBRARY.value,
    "lacking_memory": LaunchExit.LACKING_MEMORY.value,
}


def job_lines(
    spec: BlockSpec,
    header: Mapping[str, str],
    *,
    launcher: str = OWN,
    scheduler: str = "local",
    variables: Mapping[str, str] | None = None,
    commands: Sequence[str] = (),
) -> list[str]:
    """Return the lines of bash that run all launches.

    `header` is added to the header of each raw file; `launcher` and `scheduler` are those of the site's partition, by
    ReFrame's name; `variables`: those of the site's configuration, which every launch gets after its stack's
    environment; so are those that its `commands`, which the job has executed before, export.
    """
    lines = [f"attempt={shlex.quote(spec.attempt)}", f"launch_seconds={spec.launch_seconds}"]
    lines.append(f"segments={shlex.quote(f'{FOLDER}/{PREFIX}{block_segments(Path(spec.attempt).parent)}')}")
    lines += [f"node_facts={shlex.quote(str(NODE_FACTS))}", *(f"{name}={value}" for name, value in CONSTANTS.items())]
    sharing = [f"{name}={value}" for name, value in sharing_variables().items()]
    lines.append(f"sharing=({shlex.join(sharing)})")
    exported = exported_by(commands)
    lines += [f'site_{name}="${{{name}-}}"' for name in exported]
    exports = [f'[ -z "$site_{name}" ] || export {name}="$site_{name}"' for name in exported]
    exports += [f'export {name}="{value}"' for name, value in {**(variables or {}), **fixed_variables()}.items()]
    lines += ["enter() {", '    case "$1" in']
    for name, stack in spec.stacks.items():
        body = [*_stack_lines(stack), *exports]
        lines += [f"    {shlex.quote(name)})", *(f"        {line}" for line in body), "        ;;"]
    lines += ["    esac", "}", *scheduler_lines(scheduler), *_without_comments(FUNCTIONS)]
    launcher = spec.launcher if spec.launcher in (OWN, *site_launchers()) else launcher
    lines += [f"site_launcher={shlex.quote(launcher)}", *_interface_lines(spec, launcher)]
    if spec.timer_check is not None:
        lines += _timer_lines(spec.timer_check, launcher, spec)
    lines += [line for check in spec.transport_checks for line in _transport_lines(check, launcher, spec)]
    candles = {candle.session: candle for candle in spec.candles}
    for session, launches in groupby(spec.launches, key=lambda launch: launch.session or launch.name):
        members = list(launches)
        parts = [_launch_lines(launch, header, launcher, spec) for launch in members]
        lines += [line for part in parts for line in part.description]
        if any(part.joins for part in parts):
            lines += [f"begin_session {members[0].session_mib}"]
        lines += [line for part in parts for line in part.start]
        if any(part.joins for part in parts):
            lines += _candle_lines(candles[session], launcher) if session in candles else []
            lines += ["finish_session"]
    return lines


def exported_by(commands: Sequence[str]) -> list[str]:
    """Return the variables of MPI libraries that commands of a site export: settings of its fabric, as `env_vars` are.

    Not those of the loader, by which another library would be loaded.
    """
    names = [name for command in commands for name in EXPORTED.findall(command)]
    stray = [pattern for pattern in all_stray_variables() if pattern not in LOADER_VARIABLES]
    return [name for name in dict.fromkeys(names) if any(fnmatchcase(name, pattern) for pattern in stray)]


def _without_comments(script: Path) -> list[str]:
    """Return the lines of a shell file without comments and blank lines."""
    lines = read_lines(script)
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def _interface_lines(spec: BlockSpec, launcher: str) -> list[str]:
    """Return the lines that ask the site's launcher which interfaces it has for the stacks that it starts."""
    kind = site_launchers().get(launcher)
    if kind is None or not kind.list_pmi:
        return []
    stacks = {launch.stack: spec.stacks[launch.stack].pmi for launch in spec.launches if launcher in launch.launchers}
    words = {stack: kind.pmi[pmi] for stack, pmi in stacks.items() if kind.pmi.get(pmi)}
    ask = [kind.pmi_variable, *kind.list_pmi]
    return [shlex.join(["check_interface", stack, word, *ask]) for stack, word in words.items()]


def _timer_lines(check: TimerCheck, launcher: str, spec: BlockSpec) -> list[str]:
    """Return the lines that check the timers of all nodes, by the launcher of the launches."""
    command = check.launchers.get(launcher) or check.launchers.get(OWN) or []
    inside = [] if launcher not in check.launchers else spec.stacks[check.stack].inside
    return [
        shlex.join(["place", *check.rank_hosts]),
        shlex.join(["check_timers", check.stack, *command, *inside, *check.program]),
    ]


def _transport_lines(check: LaunchSpec, launcher: str, spec: BlockSpec) -> list[str]:
    """Return the lines that make a library print its transport, by the launcher of the stack's launches."""
    name = launcher if launcher in check.launchers else OWN
    inside = [] if name == OWN else _inside(spec.stacks[check.stack], check)
    return [
        shlex.join(["place", *check.rank_hosts]),
        shlex.join(["check_transport", check.stack, *check.launchers.get(name, []), *inside, *check.program]),
    ]


class LaunchLines(NamedTuple):
    """Lines that describe a launch, lines that start it, and whether it joins a session.

    All launches of a session are described before the first is started.
    """

    description: list[str]
    start: list[str]
    joins: bool


def _launch_lines(launch: LaunchSpec, header: Mapping[str, str], launcher: str, spec: BlockSpec) -> LaunchLines:
    """Return the lines of a launch by the site's launcher if its stack supports that, else by the stack's.

    If the launcher cannot start several launches at once, those of a session run one after another, not in turns.
    A launcher that the campaign names must support the stack. Raises FileError.
    """
    if spec.launcher in site_launchers() and spec.launcher not in launch.launchers:
        raise FileError(
            f"stack {launch.stack}: site.launcher: {spec.launcher} cannot start {launch.name}; name another"
        )
    name = launcher if launcher in launch.launchers else OWN
    if name not in launch.launchers:
        raise FileError(
            f"stack {launch.stack}: its launcher cannot place ranks on given nodes (placement "
            f"'{launch.placement}'); "
            f"use a partition with launcher {' or '.join(launch.launchers)}, or remove the placement"
        )
    facts = {**header, "launcher": name}
    if not launch.tool:
        facts["launched_at"] = "{now}"
    if launch.rank_hosts:
        facts["asked_hosts"] = "{hosts}"
    pairs = [f"{key}={value}" for key, value in facts.items()]
    sharing = concurrent_words(name)
    in_turns = bool(launch.turn) and sharing is not None
    turn = launch.turn if in_turns else []
    inside = [] if name == OWN else _inside(spec.stacks[launch.stack], launch)
    program = [*inside, launch.program[0], *turn, *launch.program[1:], *pairs]
    words = [*launch.launchers[name], *(sharing or [] if in_turns else [])]
    if launch.tool:
        program = [*launch.loaded_before, f"ISOCHRON_PROPERTIES={';'.join(pairs)}", *launch.program]
    describer = [*launch.describers.get(name, []), "bash", str(NODE_FACTS), "node", *node_facts()]
    description = [
        shlex.join(["place", *launch.rank_hosts]),
        shlex.join(["describe", launch.name, launch.stack, *describer]),
    ]
    start = [
        *([f"launch_seconds={launch.launch_seconds}"] if launch.launch_seconds else []),
        shlex.join(["join" if in_turns else "launch", launch.name, launch.stack, *words, *program]),
        *([f"launch_seconds={spec.launch_seconds}"] if launch.launch_seconds else []),
    ]
    return LaunchLines(description, start, in_turns)


def _inside(stack: StackSpec, launch: LaunchSpec) -> list[str]:
    """Return the words before a rank that a launcher of the site starts: none unless its stack is in an image."""
    per_node = str(min(launch.processes, launch.processes_per_node))
    return [word.replace("{processes_per_node}", per_node) for word in stack.inside_rank]


def _candle_lines(candle: CandleSpec, launcher: str) -> list[str]:
    """Return the lines that start the standard candle of a session as the launches are."""
    name = launcher if launcher in candle.launchers else OWN
    words = [
        *candle.launchers[name],
        *(concurrent_words(name) or []),
        candle.program[0],
        *candle.turn,
        *candle.program[1:],
    ]
    return [shlex.join(["join", candle.name, candle.stack, *words])]


def _stack_lines(stack: StackSpec) -> list[str]:
    return [
        *shell_lines(stack.environment),
        f"engine={shlex.quote(stack.engine)}",
        f"engine_sha256={stack.engine_sha256}",
        f"libraries=({shlex.join(f'{digest}  {path}' for path, digest in stack.libraries.items())})",
        f"inside=({shlex.join(stack.inside)})",
        f"image_check=({shlex.join(stack.image_check)})",
        f"image_digest={shlex.quote(stack.image_digest)}",
    ]


def job_seconds(spec: BlockSpec) -> int:
    """Return the time limit of the job: those of all launches and descriptions, of the checks, and a minute."""
    seconds: dict[str, int] = {}
    for launch in spec.launches:  # those of a session run at the same time, each with the time of all
        seconds[launch.session or launch.name] = launch.launch_seconds or spec.launch_seconds
    limits = sum(seconds.values())
    limits += len(spec.transport_checks) * (TRANSPORT_SECONDS + GRACE)
    return 60 + TIMERS_SECONDS + GRACE + limits + len(spec.launches) * (FACTS_SECONDS + GRACE + 5)
