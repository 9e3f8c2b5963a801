# SPDX-License-Identifier: BSD-3-Clause
"""Checks of a built stack: linked MPI library, accepted options, and programs of third-party benchmarks."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from isochron.common.exit_codes import EngineExit
from isochron.common.files import FileError
from isochron.common.resources import shipped
from isochron.reframe_checks.launch.command import engine_options
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.tools import BENCHMARKS, ToolName
from isochron.schemas.run.launch_file import read_launch
from isochron.schemas.run.manifest import Manifest, Toolchain
from isochron.schemas.run.plan import PlannedLaunch
from isochron.schemas.run.tools import Request
from isochron.spack_envs.toolchain import applied

LINKED = re.compile(r"^\s*(\S+) => (not found|/.*?)(?: \(0x[0-9a-f]+\))?$", re.MULTILINE)


@dataclass(frozen=True)
class EngineFacts:
    """What an engine says about itself and what the loader finds for it."""

    engine_version: str
    mpi_library_version: str
    mpi_version: str
    compiler: str
    linked_libraries: list[str]


def inspect_engine(engine: Path, toolchain: Toolchain) -> EngineFacts:
    """Compare the engine with the stack's declaration. Raises FileError on any difference."""
    stack = toolchain.declaration.stack
    if not os.access(engine, os.X_OK):
        raise FileError(f"stack {stack}: the build produced no {engine.name}; see the output of make")
    libraries = linked(engine, toolchain)
    words = _version(engine, toolchain) if toolchain.declaration.simulator is None else _trial(engine, toolchain)
    library = words.get("mpi-library", "")
    return EngineFacts(
        engine_version=words.get("isochron-engine", ""),
        mpi_library_version=library,
        mpi_version=_locked_version(_declared_version(library, toolchain), library, toolchain),
        compiler=words.get("compiler", ""),
        linked_libraries=libraries,
    )


def _output(command: list[str], toolchain: Toolchain) -> str:
    """What a command prints in the environment of the stack."""
    environment = applied(toolchain.environment, os.environ)
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, encoding="utf-8", errors="replace", timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FileError(f"stack {toolchain.declaration.stack}: {' '.join(command)}: {error}") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise FileError(
            f"stack {toolchain.declaration.stack}: {' '.join(command)} ended with code {done.returncode}"
            + (f": {said[-1]}" if said else "")
        )
    return done.stdout


def linked(engine: Path, toolchain: Toolchain) -> list[str]:
    """Paths of the MPI libraries that the loader finds: all below the toolchain's prefix."""
    stack, wanted = toolchain.declaration.stack, toolchain.declaration.library_file
    prefix = Path(toolchain.prefix).resolve()
    found = [
        (name, path)
        for name, path in LINKED.findall(_output(["ldd", str(engine)], toolchain))
        if name.startswith(wanted)
    ]
    if not found:
        raise FileError(
            f"stack {stack}: the engine is not linked with {wanted}; check the flags of the compiler wrapper"
        )
    for name, path in found:
        if path == "not found" or not Path(path).resolve().is_relative_to(prefix):
            raise FileError(
                f"stack {stack}: declares an MPI library below {prefix}, but the engine loads {name} from {path}; "
                "remove that library from the compiler's and the loader's search path and build again"
            )
    return [str(Path(path).resolve()) for _, path in found]


def _version(engine: Path, toolchain: Toolchain) -> dict[str, str]:
    """The lines of `isochron-engine --version` by their first word."""
    lines = _output([str(engine), "--version"], toolchain).splitlines()
    words: dict[str, str] = {}
    for line in lines:
        key, _, value = line.partition(" ")
        words.setdefault(key.rstrip(":"), value.strip())
    return words


def _trial(engine: Path, toolchain: Toolchain) -> dict[str, str]:
    """The same of a simulated stack, whose programs start under a launcher only: from the header of a small launch."""
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "trial.jsonl"
        words = [
            word.replace("{processes}", "2").replace("{processes_per_node}", "1") for word in toolchain.launcher.argv
        ]
        options = [
            "--operations",
            "barrier",
            "--wait",
            "sleep",
            "--stop",
            "reps",
            "--min-valid",
            "1",
            "--max-reps",
            "1",
        ]
        _output([*words, str(engine), *options, "--output", str(raw)], toolchain)
        header = read_launch(raw).header
    return {
        "isochron-engine": header.engine_version,
        "mpi-library": header.mpi_library_version,
        "compiler": header.compiler,
    }


def _declared_version(library: str, toolchain: Toolchain) -> str:
    """The version in the library's own words, when it is the declared one."""
    declaration = toolchain.declaration
    match = re.search(declaration.library_version, library)
    version = match[1] if match else None
    if version is None or not declaration.accepts(version):
        raise FileError(
            f"stack {declaration.stack}: declares {declaration.mpi_library} {declaration.version}, but "
            f"the engine loads "
            f"'{library}'; correct the stack's lock file or its stack.yaml and build again"
        )
    return version


def _locked_version(version: str, library: str, toolchain: Toolchain) -> str:
    """The same, when it is also the one in Spack's lock (one of the two may have fewer numbers)."""
    locked = toolchain.provenance.get("version")
    if locked is not None and any(
        one != other for one, other in zip(version.split("."), locked.split("."), strict=False)
    ):
        stack = toolchain.declaration.stack
        raise FileError(
            f"stack {stack}: Spack's lock says {toolchain.provenance['spec'].split()[0]}, but the engine loads "
            f"'{library}'; correct the version of the external and build again"
        )
    return version


def check_options(manifest: Manifest, engine: Path, campaign: Campaign, launches: Iterable[PlannedLaunch]) -> None:
    """Raise FileError with the engine's own words where it would refuse a launch of its stack."""
    for words in _distinct(campaign, launches):
        command = [*_launcher(manifest), str(engine), "--check-options", *words]
        environment = applied(manifest.environment, os.environ)
        try:
            done = subprocess.run(
                command,
                env=environment,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=60,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise FileError(f"stack {manifest.stack}: {engine} --check-options: {error}") from error
        if done.returncode != EngineExit.MEASURED:
            lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
            said = [line for line in lines if line.startswith("isochron-engine:")] or lines or ["no message"]
            raise FileError(
                f"stack {manifest.stack}: the engine refuses the campaign's options: "
                f"{said[0].removeprefix('isochron-engine: ')}; nothing was measured"
            )


def _launcher(manifest: Manifest) -> list[str]:
    """What starts a program that needs no other process; a simulated one starts under its launcher only."""
    if not manifest.simulation:
        return []
    words = list(manifest.launcher.argv)
    for name in ("{processes}", "{processes_per_node}", "{nodes}"):
        words = [word.replace(name, "1") for word in words]
    return words


def _distinct(campaign: Campaign, launches: Iterable[PlannedLaunch]) -> Iterator[list[str]]:
    """Each set of options once, with the fewest and the most processes: what depends on them does so monotonically."""
    counts: dict[tuple[str, ...], set[int]] = {}
    for launch in launches:
        counts.setdefault(tuple(engine_options(campaign, launch)), set()).add(launch.point.processes)
    for words, processes in counts.items():
        for count in sorted({min(processes), max(processes)}):
            yield [*words, "--expect-ranks", str(count)]


#: Source of the library that is loaded before the programs, and its name.
SOURCE = shipped("reframe_checks", "launch", "launch_check.c")
LAUNCH_CHECK_LIBRARY = "isochron-launch-check.so"
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
