# SPDX-License-Identifier: BSD-3-Clause
"""The programs of another benchmark: where they lie, and whether they load the MPI library of their stack."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from isochron.common.files import FileError
from isochron.common.resources import shipped
from isochron.reframe_checks.stack.inspection import LINKED
from isochron.schemas.input.launches.tools import BENCHMARKS, ToolName
from isochron.schemas.run.programs.programs import Request
from isochron.spack_envs.environment import applied

#: Source of the library that is loaded before the programs, and its name.
SOURCE = shipped("reframe_checks", "launch", "launch_check.c")
WITNESS = "isochron-launch-check.so"
#: The one program of IMB that has all that the engine has.
IMB = "IMB-MPI1"


def find_programs(tool: ToolName, operations: Iterable[str], place: Path) -> dict[str, str]:
    """The program of each operation: in a folder, anywhere below it, or the file itself. Raises FileError."""
    if not place.exists():
        raise FileError(f"tools: {tool}: {place} does not exist; give the file or folder of its programs")
    found = {}
    for operation in operations:
        name = IMB if tool == "imb" else BENCHMARKS[tool][operation]
        there = [place] if place.is_file() else [place / name, *sorted(place.rglob(name))]
        program = next((each for each in there if each.is_file() and os.access(each, os.X_OK)), None)
        if program is None:
            raise FileError(
                f"tools: {tool}: program {name} not found in {place}; give the folder in which it was built"
            )
        found[operation] = str(program.resolve())
    return found


def inspect_programs(asked: Request) -> None:
    """Raise FileError where a program loads another MPI library than the engine of its stack."""
    environment = applied(asked.environment, os.environ)
    for program in sorted(set(asked.programs.values())):
        loaded = _loaded(program, environment, asked.library_file)
        if not loaded:
            raise FileError(
                f"tools: {asked.tool}: {program} does not load {asked.library_file}; give one that is "
                "linked with it dynamically"
            )
        if not set(loaded) & set(asked.libraries):
            raise FileError(
                f"tools: {asked.tool}: {program} loads {', '.join(loaded)}, but the engine of stack {asked.stack} has "
                f"{', '.join(asked.libraries)}; build it with {asked.cc}"
            )


def _loaded(program: str, environment: dict[str, str], library_file: str) -> list[str]:
    """The MPI libraries that the loader finds for a program."""
    try:
        done = subprocess.run(
            ["ldd", program], env=environment, capture_output=True, encoding="utf-8", errors="replace", timeout=60,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FileError(f"ldd {program}: {error}") from error
    return [
        str(Path(path).resolve()) if path != "not found" else f"{name} (not found)"
        for name, path in LINKED.findall(done.stdout)
        if name.startswith(library_file)
    ]
