# SPDX-License-Identifier: BSD-3-Clause
"""Launches of third-party benchmarks: command line, verdict on their output, and raw file.

Options: ReadMe_IMB.txt and IMB_ReadMe of IMB 2021 (`-npmin`, `-msglen`), the usage of OSU 5.3 and 7.4 (`-f`, `-m`).

The output of a benchmark does not prove its number of processes: most print none, and many jobs of one process print
good times. The preloaded library (launch_check.c) counts the processes.
"""

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
    """The programs that were built with a stack, and their folder."""

    programs: BuiltPrograms
    folder: Path


def npb_program(
    launch: PlannedLaunch, built: Built, campaign: Campaign, attempt: Path, header: Mapping[str, str]
) -> dict[str, Any]:
    """Return the fields of a LaunchSpec: the program, with the library that counts its processes. Raises FileError."""
    assert launch.program is not None and campaign.npb is not None
    built_program = built.programs.file_of(launch.program, launch.point.processes)
    if built_program is None:
        raise FileError(
            f"stack {launch.stack}: {launch.program.label} is not built; remove "
            f"stacks/{launch.stack}.json and run again"
        )
    return {
        "program": [str(built.folder / built_program.file)],
        "tool": launch.program.name,
        "runs": launch.program,
        "loaded_before": preloaded(str(built.folder / built.programs.witness), attempt, launch),
        "program_sha256": built_program.sha256,
        "facts": dict(header),
        "launch_seconds": campaign.npb.launch_seconds,
    }


def wrong_result(launch: LaunchSpec, folder: Path) -> list[str]:
    """Return the differences of the output from the plan. Raises FileError if it is not output of NPB."""
    assert launch.runs is not None
    text = read_text(folder / f"{launch.name}.out", "the program prints there")
    result = npb.parse(Lines(Path(f"{launch.name}.out"), tuple(text.splitlines())))
    return npb.wrong(result, launch.runs.kernel, launch.runs.problem, launch.processes)


@dataclass(frozen=True)
class Line:
    """A program with its arguments, and the files of the attempt that it reads: name → content."""

    program: str
    words: list[str]
    files: dict[str, str] = field(default_factory=dict)


def line(launch: PlannedLaunch, programs: Programs, sizes: list[int], attempt: Path) -> Line:
    """Return the command line of a launch. `sizes`: those of the campaign, or of the launch."""
    program = programs.programs[launch.operations[0]].path
    if launch.tool == "imb":
        return _imb(launch, program, sizes, attempt)
    operation = launch.operations[0]
    full = [] if operation in MESSAGES else ["-f"]  # osu_latency prints one value per line, and has no option `-f`
    return Line(program, [*full, *_osu_sizes(operation, sizes)])


def _imb(launch: PlannedLaunch, program: str, sizes: list[int], attempt: Path) -> Line:
    """Return IMB-MPI1 with a file of sizes; `-npmin` prevents repetitions with fewer processes."""
    listed = f"{launch.name}.sizes"
    words = ["-npmin", str(launch.point.processes), "-msglen", str(attempt / listed)]
    words += [BENCHMARKS["imb"][operation] for operation in launch.operations]
    return Line(program, words, {listed: "".join(f"{size}\n" for size in sizes)})


def _osu_sizes(operation: str, sizes: list[int]) -> list[str]:
    """Return the options for the range of sizes, which OSU doubles; none for a barrier."""
    if operation in WITHOUT_DATA:
        return []
    doubled = osu_sizes(sizes)
    return ["-m", f"{doubled[0]}:{doubled[-1]}"]


def loaded_before(programs: Programs, attempt: Path, launch: PlannedLaunch) -> list[str]:
    """Return the command that preloads the library that counts processes; the job adds properties."""
    return preloaded(programs.witness.path, attempt, launch)


def preloaded(library: str, attempt: Path, launch: PlannedLaunch) -> list[str]:
    """Return that command for a path of the library."""
    return ["env", f"LD_PRELOAD={library}", f"ISOCHRON_LAUNCH_CHECK={attempt / launch.name}.launch-check"]


def judge_tool(launch: LaunchSpec, spec: BlockSpec, folder: Path) -> str:
    """Return why a launch with exit code 0 is refused; empty if it is accepted."""
    program = Path(launch.program[0])
    try:
        if sha256(program) != launch.program_sha256:
            return f"{program} differs from the program that was checked when the stack was built; rebuild the stack"
        witness = read_witness(folder / f"{launch.name}.launch-check")
        wrong = wrong_result(launch, folder) if launch.runs else _wrong_printout(launch, folder)
    except (FileError, OSError) as error:
        return str(error)
    reasons = _wrong_processes(witness, launch) + _wrong_library(witness, launch, spec)
    return "; ".join(reasons + wrong)


def _wrong_printout(launch: LaunchSpec, folder: Path) -> list[str]:
    """Return the differences of the printed rows from the plan. Raises FileError."""
    return _wrong_rows(read_printout(launch.tool, folder / f"{launch.name}.out").rows, launch)


def write_raw(launch: LaunchSpec, folder: Path) -> Path:
    """Write the raw file of an accepted launch into its attempt, with the time of the launch's end, for its cost."""
    witness = read_witness(folder / f"{launch.name}.launch-check")
    raw = folder / raw_name(launch.name)
    head = PrintoutHead(
        record="tool-output",
        schema=1,
        tool=npb.NAME if launch.runs else TITLES[launch.tool],  # type: ignore[index]
        program=launch.program[0],
        program_sha256=launch.program_sha256,
        command=launch.program,
        launch={**launch.facts, **_properties(witness)},
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


def _properties(witness: Witness) -> dict[str, str]:
    pairs = (entry.partition("=") for entry in witness.facts.split(";") if "=" in entry)
    return {name: value for name, _, value in pairs}


def _wrong_processes(witness: Witness, launch: LaunchSpec) -> list[str]:
    reasons = []
    if witness.processes != launch.processes:
        reasons.append(
            f"witness.processes: {witness.processes} in MPI_COMM_WORLD, but {launch.processes} were planned; is the "
            "program built with this stack?"
        )
        return reasons
    hosts = set(witness.hosts)
    if len(hosts) != launch.nodes:
        reasons.append(
            f"witness.hosts: {len(hosts)} distinct ({', '.join(sorted(hosts))}), but {launch.nodes} nodes are planned"
        )
    ranks = {name: [rank for rank, host in enumerate(witness.hosts) if host == name] for name in witness.hosts}
    places = [Host(name=name, ranks=",".join(map(str, host_ranks))) for name, host_ranks in ranks.items()]
    return reasons + wrong_hosts(places, _properties(witness).get("asked_hosts", ""), launch)


def _wrong_library(witness: Witness, launch: LaunchSpec, spec: BlockSpec) -> list[str]:
    built = spec.stacks[launch.stack].mpi_version
    if built in witness.mpi_library_version:
        return []
    return [f"witness.mpi_library_version: {witness.mpi_library_version!r} was loaded, but the stack has {built}"]


def _wrong_rows(rows: tuple[Row, ...], launch: LaunchSpec) -> list[str]:
    """Return the cases that are not printed exactly once, with a time and the planned number of processes."""
    counts = Counter((row.operation, row.bytes) for row in rows if row.value_us is not None)
    timed = {(row.operation, row.bytes): row for row in rows}
    reasons = []
    for case in launch.cases:
        what = f"{case[0]} at {case[1]} bytes"
        if counts[case] != 1:
            why = timed[case].note if case in timed else ""
            reasons.append(
                f"{what}: printed {counts[case]} times with a time{why and f' ({why})'}, but once was requested"
            )
        elif timed[case].processes not in (None, launch.processes):
            reasons.append(f"{what}: of {timed[case].processes} processes, but {launch.processes} were planned")
    return reasons
