# SPDX-License-Identifier: BSD-3-Clause
"""The command line of a benchmark of others, with its own defaults but for processes and sizes.

Options: ReadMe_IMB.txt and IMB_ReadMe of IMB 2021 (`-npmin`, `-msglen`), the usage of OSU 5.3 and 7.4 (`-f`, `-m`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from isochron.schemas.engine.operations import MESSAGES, WITHOUT_DATA
from isochron.schemas.input.launches.tools import BENCHMARKS, osu_sizes
from isochron.schemas.run.plan import PlannedLaunch
from isochron.schemas.run.programs.programs import Programs


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
