# SPDX-License-Identifier: BSD-3-Clause
"""A launch that runs a program instead of the engine: its command, and when it is accepted.

The program is loaded with a witness (programs/kit/witness.c), by which its own processes say where they ran.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from isochron.ground.files import FileError, read_text, write_bytes_atomically
from isochron.reframe_checks.launch.hosts import misplaced
from isochron.schemas.base import first_problem
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.block_spec import BlockSpec, LaunchSpec
from isochron.schemas.run.launch_file import program_content
from isochron.schemas.run.plan import PlannedLaunch
from isochron.schemas.run.programs import BuiltPrograms
from isochron.schemas.run.records import ProgramHeader
from isochron.tools import npb
from isochron.tools.rows import Lines

#: What begins the variables that the witness hands on.
PREFIX = "ISOCHRON_HEADER_"


@dataclass(frozen=True)
class Programs:
    """What was built with a stack, and the folder in which it lies."""

    built: BuiltPrograms
    folder: Path


def program_command(
    launch: PlannedLaunch, programs: Programs | None, campaign: Campaign, header: Mapping[str, object], attempt: Path
) -> dict[str, Any]:
    """Fields of a LaunchSpec: variables of the witness, to which the job adds; then comes the program alone."""
    assert launch.program is not None
    found = programs.built.file_of(launch.program, launch.point.processes) if programs is not None else None
    if programs is None or found is None:
        raise FileError(
            f"stack {launch.stack}: {launch.program.label} is not built; remove stacks/{launch.stack}.json, run again"
        )
    facts = {**header, "program_sha256": found.sha256}
    return {
        "program": [
            "env",
            f"LD_PRELOAD={programs.folder / programs.built.witness}",
            f"ISOCHRON_WITNESS={attempt / launch.name}.witness",
            *(f"{PREFIX}{key}={value}" for key, value in facts.items()),
        ],
        "runs": launch.program,
        "executable": str(programs.folder / found.file),
        "executable_sha256": found.sha256,
        "launch_seconds": campaign.npb.launch_seconds if campaign.npb is not None else 0,
    }


def read_witness(launch: LaunchSpec, folder: Path) -> ProgramHeader:
    """What the program's processes said of themselves. Raises FileError."""
    path = folder / f"{launch.name}.witness"
    if not path.is_file():
        raise FileError(
            "no witness of where the processes ran: the launcher does not hand LD_PRELOAD on, or the program did not "
            "call MPI_Finalize"
        )
    try:
        return ProgramHeader.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise FileError(f"{path}: {first_problem(error)}") from error


def read_printout(launch: LaunchSpec, folder: Path) -> str:
    """All that the program printed. Raises FileError."""
    return read_text(folder / f"{launch.name}.out", "the program prints there")


def write_raw(launch: LaunchSpec, folder: Path) -> None:
    """The raw file of an accepted launch: header and printout as one file that says whether it is whole.

    It gets the time of the launch's end, by which the job's cost is counted.
    """
    content = program_content(read_witness(launch, folder), read_printout(launch, folder))
    raw, ended = folder / f"{launch.name}.jsonl", (folder / f"{launch.name}.exit").stat().st_mtime_ns
    write_bytes_atomically(raw, content)
    os.utime(raw, ns=(ended, ended))


def problems(launch: LaunchSpec, spec: BlockSpec, folder: Path) -> list[str]:
    """Every reason why this is not the launch that was planned. Raises FileError where it cannot be read."""
    assert launch.runs is not None
    header, printout = read_witness(launch, folder), read_printout(launch, folder)
    result = npb.parse(Lines(Path(f"{launch.name}.out"), tuple(printout.splitlines())))
    found = npb.wrong(result, launch.runs.kernel, launch.runs.problem, launch.processes)
    if header.launch.get("name") != launch.name:
        found.append(f"header.launch.name: {header.launch.get('name')!r}, but {launch.name!r} was planned")
    if header.launch.get("program_sha256") != launch.executable_sha256:
        found.append("header.launch.program_sha256: another program than the one that was built")
    if len(header.hosts) != launch.processes:
        found.append(f"header.hosts: {len(header.hosts)} ranks, but {launch.processes} were planned")
    elif len(set(header.hosts)) != launch.nodes:
        names = ", ".join(sorted(set(header.hosts)))
        found.append(f"header.hosts: {len(set(header.hosts))} distinct ({names}), but {launch.nodes} nodes are planned")
    else:
        found += misplaced(header.hosts, launch, header.launch.get("asked_hosts", ""))
    version = spec.stacks[launch.stack].mpi_version
    if version not in header.mpi_library_version:
        found.append(
            f"header.mpi_library_version: {header.mpi_library_version!r} was loaded, but the stack is {version}"
        )
    return found
