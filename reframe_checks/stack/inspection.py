# SPDX-License-Identifier: BSD-3-Clause
"""Checks of a built stack: linked MPI library, accepted options, and programs of third-party benchmarks."""

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from isochron.common.children import captured
from isochron.common.exit_codes import EngineExit
from isochron.common.files import FileError
from isochron.common.hashing import sha256
from isochron.common.resources import shipped
from isochron.reframe_checks.launch.command import LEAST, engine_options
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.tools import BENCHMARKS, ToolName
from isochron.schemas.run.launch_file import read_launch
from isochron.schemas.run.manifest import Environment, Manifest, Toolchain
from isochron.schemas.run.plan import PlannedLaunch
from isochron.schemas.run.tools import Request
from isochron.spack_envs.toolchain import applied

LINKED = re.compile(r"^\s*(\S+) => (not found|/.*?)(?: \(0x[0-9a-f]+\))?$", re.MULTILINE)


@dataclass(frozen=True)
class EngineFacts:
    """Properties that an engine reports, and the libraries that the loader finds."""

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
    reported = _version(engine, toolchain) if toolchain.declaration.simulator is None else _trial(engine, toolchain)
    library = reported.get("mpi-library", "")
    return EngineFacts(
        engine_version=reported.get("isochron-engine", ""),
        mpi_library_version=library,
        mpi_version=_locked_version(_declared_version(library, toolchain), library, toolchain),
        compiler=reported.get("compiler", ""),
        linked_libraries=libraries,
    )


def _call(command: list[str], environment: Environment, named: str) -> subprocess.CompletedProcess[str]:
    """Execute a command in the environment of a stack. Raises FileError, which begins with `named`."""
    try:
        return captured(command, env=applied(environment, os.environ), timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FileError(f"{named}: {error}") from error


def _output(command: list[str], toolchain: Toolchain) -> str:
    """Return the output of a command in the environment of the stack, and in its image if it is in one."""
    named = f"stack {toolchain.declaration.stack}: {' '.join(command)}"
    done = _call([*toolchain.inside, *command], toolchain.environment, named)
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise FileError(f"{named} ended with code {done.returncode}" + (f": {lines[-1]}" if lines else ""))
    return done.stdout


def linked(engine: Path, toolchain: Toolchain) -> list[str]:
    """Return the MPI libraries that the loader finds. Raises FileError if one is outside the toolchain's prefix.

    The library of an installed prefix may be a link to a file elsewhere.
    """
    stack, library_file = toolchain.declaration.stack, toolchain.declaration.library_file
    prefix = _resolved(toolchain.prefix, toolchain)
    libraries = [
        (name, path)
        for name, path in LINKED.findall(_output(["ldd", str(engine)], toolchain))
        if name.startswith(library_file)
    ]
    if not libraries:
        raise FileError(
            f"stack {stack}: the engine is not linked with {library_file}; check the flags of the compiler wrapper"
        )
    for name, path in libraries:
        file = _resolved(path, toolchain)
        if path == "not found" or not (file.is_relative_to(prefix) or str(file) == toolchain.provenance.get("library")):
            raise FileError(
                f"stack {stack}: declares an MPI library below {prefix}, but the engine loads {name} from {path}; "
                "remove that library from the compiler's and the loader's search path and build again"
            )
    return [str(_resolved(path, toolchain)) for _, path in libraries]


def inspect_candle(candle: Path, toolchain: Toolchain) -> None:
    """Raise FileError if the candle, which this machine compiled, does not run in the image of a stack."""
    try:
        _output([str(candle), "--version"], toolchain)
    except FileError as error:
        raise FileError(
            f"{error}; it was compiled on this machine: make the image with a C library that is as new as the machine's"
        ) from None


def _resolved(path: str, toolchain: Toolchain) -> Path:
    """Return a path without links, as they are where the stack is."""
    if toolchain.container is None:
        return Path(path).resolve()
    return Path(_output(["readlink", "-m", path], toolchain).rstrip("\n"))


def library_hashes(libraries: Iterable[str], toolchain: Toolchain) -> dict[str, str]:
    """Return the SHA-256 of some libraries of the stack. Raises FileError."""
    if toolchain.container is None:
        return {path: sha256(Path(path)) for path in libraries}
    return {path: _output(["sha256sum", path], toolchain).removeprefix("\\").split(" ")[0] for path in libraries}


def _version(engine: Path, toolchain: Toolchain) -> dict[str, str]:
    """Return the lines of `isochron-engine --version` by their first word."""
    lines = _output([str(engine), "--version"], toolchain).splitlines()
    fields: dict[str, str] = {}
    for line in lines:
        key, _, value = line.partition(" ")
        fields.setdefault(key.rstrip(":"), value.strip())
    return fields


def _trial(engine: Path, toolchain: Toolchain) -> dict[str, str]:
    """Return the properties of a simulated engine from the header of a small launch, since it needs a launcher."""
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "trial.jsonl"
        command = [
            word.replace("{processes}", "2").replace("{processes_per_node}", "1") for word in toolchain.launcher.argv
        ]
        _output([*command, str(engine), *LEAST, "--output", str(raw)], toolchain)
        header = read_launch(raw).header
    return {
        "isochron-engine": header.engine_version,
        "mpi-library": header.mpi_library_version,
        "compiler": header.compiler,
    }


#: What to do about a library that is another one than declared: by source of the stack, and else.
REMEDIES = {"spack": "give Spack the folder of that library, in which bin/mpicc is its own,"}
REMEDY = "correct the stack's lock file or its stack.yaml"


def _declared_version(library: str, toolchain: Toolchain) -> str:
    """Return the version that the library reports. Raises FileError if it is not the declared one."""
    declaration = toolchain.declaration
    match = re.search(declaration.library_version, library)
    version = match[1] if match else None
    if version is None or not declaration.accepts(version):
        raise FileError(
            f"stack {declaration.stack}: declares {declaration.mpi_library} {declaration.version}, but "
            f"the engine loads '{library}'; {REMEDIES.get(toolchain.stack_source, REMEDY)} and build again"
        )
    return version


def _locked_version(version: str, library: str, toolchain: Toolchain) -> str:
    """Return the version. Raises FileError if it is not that of Spack's lock, as far as both state it."""
    locked = toolchain.provenance.get("version")
    if locked is not None and any(
        part != locked_part for part, locked_part in zip(version.split("."), locked.split("."), strict=False)
    ):
        stack = toolchain.declaration.stack
        raise FileError(
            f"stack {stack}: Spack's lock has {toolchain.provenance['spec'].split()[0]}, but the engine loads "
            f"'{library}'; correct the version of the external and build again"
        )
    return version


def check_options(manifest: Manifest, engine: Path, campaign: Campaign, launches: Iterable[PlannedLaunch]) -> None:
    """Raise FileError with the engine's message if it would refuse a launch of its stack."""
    for options in _distinct(campaign, launches):
        command = [*_launcher(manifest), str(engine), "--check-options", *options]
        done = _call(command, manifest.environment, f"stack {manifest.stack}: {engine} --check-options")
        if done.returncode != EngineExit.MEASURED:
            lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
            messages = [line for line in lines if line.startswith("isochron-engine:")] or lines or ["no message"]
            raise FileError(
                f"stack {manifest.stack}: the engine refuses the campaign's options: "
                f"{messages[0].removeprefix('isochron-engine: ')}; nothing was measured"
            )


def _launcher(manifest: Manifest) -> list[str]:
    """Return the words before a single process: a simulated one needs its launcher."""
    if not manifest.simulation:
        return manifest.inside
    command = list(manifest.launcher.argv)
    for name in ("{processes}", "{processes_per_node}", "{nodes}"):
        command = [word.replace(name, "1") for word in command]
    return command


def _distinct(campaign: Campaign, launches: Iterable[PlannedLaunch]) -> Iterator[list[str]]:
    """Yield each set of options with the smallest and the largest process count; relations are monotonic in it."""
    counts: dict[tuple[str, ...], set[int]] = {}
    for launch in launches:
        counts.setdefault(tuple(engine_options(campaign, launch)), set()).add(launch.point.processes)
    for words, processes in counts.items():
        for count in sorted({min(processes), max(processes)}):
            yield [*words, "--expect-ranks", str(count)]


#: Source and name of the library that is preloaded into the programs.
SOURCE = shipped("reframe_checks", "launch", "launch_check.c")
LAUNCH_CHECK_LIBRARY = "isochron-launch-check.so"
#: The program of IMB with all operations that the engine also has.
IMB = "IMB-MPI1"


def find_programs(tool: ToolName, operations: Iterable[str], place: Path) -> dict[str, str]:
    """Return the program of each operation: in a folder, anywhere below it, or the file itself. Raises FileError."""
    if not place.exists():
        raise FileError(f"tools: {tool}: {place} does not exist; give the file or folder of its programs")
    programs = {}
    for operation in operations:
        name = IMB if tool == "imb" else BENCHMARKS[tool][operation]
        there = [place] if place.is_file() else [place / name, *sorted(place.rglob(name))]
        program = next((path for path in there if path.is_file() and os.access(path, os.X_OK)), None)
        if program is None:
            raise FileError(
                f"tools: {tool}: program {name} not found in {place}; give the folder in which it was built"
            )
        programs[operation] = str(program.resolve())
    return programs


def inspect_programs(request: Request) -> None:
    """Raise FileError if a program loads another MPI library than the engine of its stack."""
    environment = applied(request.environment, os.environ)
    for program in sorted(set(request.programs.values())):
        loaded = _loaded(program, environment, request.library_file)
        if not loaded:
            raise FileError(
                f"tools: {request.tool}: {program} does not load {request.library_file}; give one that is "
                "linked with it dynamically"
            )
        if not set(loaded) & set(request.libraries):
            raise FileError(
                f"tools: {request.tool}: {program} loads {', '.join(loaded)}, but the engine of stack "
                f"{request.stack} has {', '.join(request.libraries)}; build it with {request.cc}"
            )


def _loaded(program: str, environment: dict[str, str], library_file: str) -> list[str]:
    """Return the MPI libraries that the loader finds for a program."""
    try:
        done = captured(["ldd", program], env=environment, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FileError(f"ldd {program}: {error}") from error
    return [
        str(Path(path).resolve()) if path != "not found" else f"{name} (not found)"
        for name, path in LINKED.findall(done.stdout)
        if name.startswith(library_file)
    ]
