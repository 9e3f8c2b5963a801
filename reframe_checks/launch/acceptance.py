# SPDX-License-Identifier: BSD-3-Clause
"""Acceptance of raw files into the run's folder: checked, complete, and never changed afterwards."""

import os
import re
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from isochron.common.exit_codes import LAUNCH_EXITS, EngineExit, LaunchExit
from isochron.common.files import FileError, read_bytes, read_lines, sync_file, sync_folder, write_atomically
from isochron.common.sealed import remove_sealed, seal
from isochron.reframe_checks.launch.connection import why_apart
from isochron.reframe_checks.launch.hosts import different_processors, wrong_hosts
from isochron.reframe_checks.launch.sharing import shared_cores
from isochron.reframe_checks.launch.tools import judge_tool, write_raw
from isochron.schemas.launcher_kind import launcher_kinds
from isochron.schemas.run.block_spec import BlockSpec, LaunchSpec
from isochron.schemas.run.launch_file import LaunchFile, problems, read_launch
from isochron.schemas.run.layout import raw_name
from isochron.schemas.run.provenance import read_provenance, read_transport, transport_line
from isochron.schemas.run.state import LaunchOutcome

#: Reasons for launches without an exit code: started and interrupted, or not started.
INTERRUPTED, NOT_STARTED = "the launch was interrupted", "the launch was not started"


def judge(launch: LaunchSpec, spec: BlockSpec, folder: Path) -> str:
    """Return why the raw file of a launch is refused; empty when it is accepted.

    Wrong data (the engine's exit code 4) are a result, recorded in the measurements; repeating the launch until they
    are right would hide them.
    """
    code = read_exit(folder / f"{launch.name}.exit")
    if code is None:
        return INTERRUPTED if any(folder.glob(f"{launch.name}.[!p]*")) else NOT_STARTED
    if code not in ((0,) if launch.tool else (EngineExit.MEASURED, EngineExit.CHECK)):
        message = _last_message(folder, launch.name)
        exit_codes = {launch_exit.value for launch_exit in LaunchExit} if launch.tool else LAUNCH_EXITS.keys()
        meaning = f" ({LAUNCH_EXITS[code]})" if code in exit_codes else ""
        facts = read_provenance(folder / f"{launch.name}.provenance").launch
        apart = why_apart(message, launch.launchers, spec.stacks[launch.stack].pmi, facts)
        reason = f"exit code {code}{meaning}{message}{f'; {apart}' if apart else ''}"
        return NOT_STARTED if _job_is_over(message) else reason
    if launch.tool:
        return judge_tool(launch, spec, folder)
    try:
        raw = read_launch(folder / f"{launch.name}.jsonl")
    except FileError as error:
        return str(error)
    reasons = problems(raw, processes=launch.processes, nodes=launch.nodes, cases=launch.cases, launch_name=launch.name)
    reasons += wrong_hosts(raw.header.hosts, raw.header.launch.get("asked_hosts", ""), launch)
    reasons += shared_cores(raw.header, read_provenance(folder / f"{launch.name}.provenance").nodes)
    stack = spec.stacks[launch.stack]
    if raw.header.launch.get("engine_sha256") != stack.engine_sha256:
        reasons.append("header.launch.engine_sha256: not the engine in the stack's manifest")
    loaded, built = raw.header.mpi_library_version.strip(), stack.mpi_library_version
    if stack.mpi_version not in loaded or (built and loaded != built):
        reasons.append(
            f"header.mpi_library_version: {loaded!r} was loaded, but the stack was built with "
            f"{repr(built) if built else stack.mpi_version}"
        )
    return "; ".join(reasons)


def read_exit(path: Path) -> int | None:
    """Read the exit code of a launch, which the job script writes at its end; None if there is none."""
    try:
        return int(read_bytes(path))
    except (OSError, ValueError):
        return None


def _job_is_over(message: str) -> bool:
    """Return True for the message of a launcher whose job was being ended before the launch started."""
    patterns = (kind.job_is_over for kind in launcher_kinds().values())
    return any(pattern and re.search(pattern, message) for pattern in patterns)


def _last_message(folder: Path, name: str) -> str:
    """Return the last message of the engine, else the launcher's of the rank that failed first, else the last line.

    Errors are read first.
    """
    failed = [kind.rank_failed for kind in launcher_kinds().values() if kind.rank_failed]
    for suffix in (".err", ".out"):
        path = folder / f"{name}{suffix}"
        lines = read_lines(path) if path.is_file() else []
        messages = [line.strip() for line in lines if line.strip(" -=\t")]
        of_engine = [line for line in messages if line.startswith(("isochron-engine:", "isochron: turn "))]
        of_rank = [line for line in messages if any(re.search(pattern, line) for pattern in failed)]
        if messages:
            return f": {[*messages, *of_rank[:1], *of_engine][-1]}"
    return ""


def publish(raw: Path, target: Path) -> None:
    """Link an accepted raw file into the run's folder. An existing file of that name is kept.

    On file systems without hard links the file is copied; if modes cannot be changed, it stays writable.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):
        raw.chmod(0o444)
    try:
        os.link(raw, target)
    except FileExistsError:
        return
    except OSError:
        _copy(raw, target)
    sync_folder(target.parent)


def _copy(raw: Path, target: Path) -> None:
    if target.exists():
        return
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        shutil.copyfile(raw, partial)
        sync_file(partial)
        with suppress(OSError):
            partial.chmod(0o444)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _publish_facts(described: Path, target: Path, transport: str) -> None:
    """Publish the provenance before its launch, with a copy; that of a damaged or lost launch is replaced.

    `transport`: what carried the messages of its stack; empty: the library was not asked.
    """
    remove_sealed(target)
    if described.is_file() and transport:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, "\n".join([*read_lines(described), transport_line(transport)]))
        seal(target)
    elif described.is_file():
        publish(described, target)
        seal(target)


def _late_launches(launches: Mapping[str, LaunchFile], sessions: Mapping[str, str]) -> dict[str, str]:
    """Return why launches are refused that came when others of their session had ended: they measured without them.

    `launches`: those that are accepted otherwise, in the order of their turns; `sessions`: the session of each.
    """
    reasons = {}
    for name, launch in launches.items():
        if launch.turns is None or launch.header.turns is None:
            continue
        missed = {lost.resident for lost in launch.turns.lost if lost.reason == "not-joined"}
        company = {
            other.header.turns.index
            for key, other in launches.items()
            if key != name and sessions[key] == sessions[name] and other.header.turns is not None
        }
        if missed & company:
            reasons[name] = "it started when others of its session had ended, and took its turns without them"
    return reasons


def accept(spec: BlockSpec, folder: Path, target: Callable[[str], Path]) -> list[LaunchOutcome]:
    """Judge every launch of `spec` in the attempt `folder`, and publish those that are accepted."""
    reasons = {launch.name: judge(launch, spec, folder) for launch in spec.launches}
    sessions = {launch.name: launch.session for launch in spec.launches if launch.session and not reasons[launch.name]}
    in_turns = {name: read_launch(folder / raw_name(name)) for name in sessions}
    reasons |= _late_launches(in_turns, sessions)
    in_time = {name: launch.header for name, launch in in_turns.items() if not reasons[name]}
    reasons |= different_processors(in_time, sessions)
    transports = {name: read_transport(folder, name, stack.transport) for name, stack in spec.stacks.items()}
    outcomes = []
    for launch in spec.launches:
        reason = reasons[launch.name]
        if not reason:
            if not target(launch.name).exists():
                described, facts = folder / f"{launch.name}.provenance", target(launch.name).with_suffix(".provenance")
                _publish_facts(described, facts, transports[launch.stack])
            raw = write_raw(launch, folder) if launch.tool else folder / raw_name(launch.name)
            publish(raw, target(launch.name))
        outcomes.append(LaunchOutcome(name=launch.name, accepted=not reason, reason=reason))
    return outcomes
