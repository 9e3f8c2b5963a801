# SPDX-License-Identifier: BSD-3-Clause
"""Launches of third-party benchmarks: command line, verdict on their output, and raw file.

Options: ReadMe_IMB.txt and IMB_ReadMe of IMB 2021 (`-npmin`, `-msglen`), the usage of OSU 5.3 and 7.4 (`-f`, `-m`).

What a benchmark prints of its processes is not enough: most print nothing, and one that was started as many jobs of one
process prints good times. The library that is loaded before it (launch_check.c) has counted.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isochron.common.files import FileError, read_bytes, read_text
from isochron.common.hashing import sha256
from isochron.reframe_checks.launch.hosts import wrong_hosts
from isochron.schemas.engine.contract import MESSAGES, WITHOUT_DATA
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.tools import BENCHMARKS, TITLES, osu_sizes
from isochron.schemas.run.block_spec import BlockSpec, LaunchSpec
from isochron.schemas.run.layout import raw_name
from isochron.schemas.run.npb import BuiltPrograms
from isochron.schemas.run.plan import PlannedLaunch
from isochron.schemas.run.records import Host
from isochron.schemas.run.tools import PrintoutHead, Programs, Witness, read_witness, write_printout
from isochron.tools import npb
from isochron.tools.registry import read_printout
from isochron.tools.rows import Lines, Row


@dataclass(frozen=True)
class Built:
    """What was built with a stack, and the folder in which it lies."""

    programs: BuiltPrograms
    folder: Path


def npb_program(
    launch: PlannedLaunch, built: Built, campaign: Campaign, attempt: Path, header: Mapping[str, str]
) -> dict[str, Any]:
    """Fields of a LaunchSpec: the program, and the library that counts its processes. Raises FileError."""
    assert launch.program is not None and campaign.npb is not None
    found = built.programs.file_of(launch.program, launch.point.processes)
    if found is None:
        raise FileError(
            f"stack {launch.stack}: {launch.program.label} is not built; remove "
            f"stacks/{launch.stack}.json and run again"
        )
    return {
        "program": [str(built.folder / found.file)],
        "tool": launch.program.name,
        "runs": launch.program,
        "loaded_before": preloaded(str(built.folder / built.programs.witness), attempt, launch),
        "program_sha256": found.sha256,
        "facts": dict(header),
        "launch_seconds": campaign.npb.launch_seconds,
    }


def wrong_result(launch: LaunchSpec, folder: Path) -> list[str]:
    """Every reason why the printout is not what was planned. Raises FileError where it is no printout of NPB."""
    assert launch.runs is not None
    text = read_text(folder / f"{launch.name}.out", "the program prints there")
    result = npb.parse(Lines(Path(f"{launch.name}.out"), tuple(text.splitlines())))
    return npb.wrong(result, launch.runs.kernel, launch.runs.problem, launch.processes)


@dataclass(frozen=True)
class Line:
    """A program with its words, and the files of the attempt that it reads: name → content."""

    program: str
    words: list[str]
    files: dict[str, str] = field(default_factory=dict)


def line(launch: PlannedLaunch, programs: Programs, sizes: list[int], attempt: Path) -> Line:
    """What a launch starts. `sizes`: those of the campaign, or of the launch."""
    program = programs.programs[launch.operations[0]].path
    if launch.tool == "imb":
        return _imb(launch, program, sizes, attempt)
    operation = launch.operations[0]
    full = [] if operation in MESSAGES else ["-f"]  # osu_latency has one value a line, and does not know `-f`
    return Line(program, [*full, *_osu_sizes(operation, sizes)])


def _imb(launch: PlannedLaunch, program: str, sizes: list[int], attempt: Path) -> Line:
    """IMB-MPI1 reads the sizes from a file; with `-npmin` it does not repeat everything with fewer processes."""
    listed = f"{launch.name}.sizes"
    words = ["-npmin", str(launch.point.processes), "-msglen", str(attempt / listed)]
    words += [BENCHMARKS["imb"][operation] for operation in launch.operations]
    return Line(program, words, {listed: "".join(f"{size}\n" for size in sizes)})


def _osu_sizes(operation: str, sizes: list[int]) -> list[str]:
    """From the smallest size to the largest that it comes to by doubling; a barrier has none."""
    if operation in WITHOUT_DATA:
        return []
    doubled = osu_sizes(sizes)
    return ["-m", f"{doubled[0]}:{doubled[-1]}"]


def loaded_before(programs: Programs, attempt: Path, launch: PlannedLaunch) -> list[str]:
    """The words that start a program with the library that counts its processes; the job adds what it knows."""
    return preloaded(programs.witness.path, attempt, launch)


def preloaded(library: str, attempt: Path, launch: PlannedLaunch) -> list[str]:
    """The same from the path of that library."""
    return ["env", f"LD_PRELOAD={library}", f"ISOCHRON_LAUNCH_CHECK={attempt / launch.name}.launch-check"]


def judge_tool(launch: LaunchSpec, spec: BlockSpec, folder: Path) -> str:
    """Why a launch that ended well is refused; empty when it is accepted."""
    program = Path(launch.program[0])
    try:
        if sha256(program) != launch.program_sha256:
            return f"{program} differs from the program that was checked when the stack was built; rebuild the stack"
        witness = read_witness(folder / f"{launch.name}.launch-check")
        wrong = wrong_result(launch, folder) if launch.runs else _wrong_printout(launch, folder)
    except (FileError, OSError) as error:
        return str(error)
    found = _wrong_processes(witness, launch) + _wrong_library(witness, launch, spec)
    return "; ".join(found + wrong)


def _wrong_printout(launch: LaunchSpec, folder: Path) -> list[str]:
    """What of the printed rows is not as planned. Raises FileError."""
    return _wrong_rows(read_printout(launch.tool, folder / f"{launch.name}.out").rows, launch)


def write_raw(launch: LaunchSpec, folder: Path) -> Path:
    """The raw file of a launch that is accepted, in its attempt; its time is the launch's end, for the job's cost."""
    witness = read_witness(folder / f"{launch.name}.launch-check")
    raw = folder / raw_name(launch.name)
    head = PrintoutHead(
        record="tool-output",
        schema=1,
        tool=npb.NAME if launch.runs else TITLES[launch.tool],  # type: ignore[index]
        program=launch.program[0],
        program_sha256=launch.program_sha256,
        command=launch.program,
        launch={**launch.facts, **_facts(witness)},
        processes=witness.processes,
        hosts=witness.hosts,
        mpi_library_version=witness.mpi_library_version,
        started_at=witness.started_at,
    )
    text = read_bytes(folder / f"{launch.name}.out").decode(errors="replace")
    write_printout(raw, head, text, witness.elapsed_ns)
    ended = (folder / f"{launch.name}.exit").stat().st_mtime_ns
    os.utime(raw, ns=(ended, ended))
    return raw


def _facts(witness: Witness) -> dict[str, str]:
    pairs = (each.partition("=") for each in witness.facts.split(";") if "=" in each)
    return {name: value for name, _, value in pairs}


def _wrong_processes(witness: Witness, launch: LaunchSpec) -> list[str]:
    found = []
    if witness.processes != launch.processes:
        found.append(
            f"witness.processes: {witness.processes} in MPI_COMM_WORLD, but {launch.processes} were planned; is the "
            "program built with this stack?"
        )
        return found
    hosts = set(witness.hosts)
    if len(hosts) != launch.nodes:
        found.append(
            f"witness.hosts: {len(hosts)} distinct ({', '.join(sorted(hosts))}), but {launch.nodes} nodes are planned"
        )
    ranks = {name: [rank for rank, host in enumerate(witness.hosts) if host == name] for name in witness.hosts}
    places = [Host(name=name, ranks=",".join(map(str, own))) for name, own in ranks.items()]
    return found + wrong_hosts(places, _facts(witness).get("asked_hosts", ""), launch)


def _wrong_library(witness: Witness, launch: LaunchSpec, spec: BlockSpec) -> list[str]:
    built = spec.stacks[launch.stack].mpi_version
    if built in witness.mpi_library_version:
        return []
    return [f"witness.mpi_library_version: {witness.mpi_library_version!r} was loaded, but the stack has {built}"]


def _wrong_rows(rows: tuple[Row, ...], launch: LaunchSpec) -> list[str]:
    """Every planned operation and size once, with a time, of as many processes as the tool says."""
    counts = Counter((row.operation, row.bytes) for row in rows if row.value_us is not None)
    timed = {(row.operation, row.bytes): row for row in rows}
    found = []
    for case in launch.cases:
        what = f"{case[0]} at {case[1]} bytes"
        if counts[case] != 1:
            why = timed[case].note if case in timed else ""
            found.append(
                f"{what}: printed {counts[case]} times with a time{why and f' ({why})'}, but once was requested"
            )
        elif timed[case].processes not in (None, launch.processes):
            found.append(f"{what}: of {timed[case].processes} processes, but {launch.processes} were planned")
    return found
