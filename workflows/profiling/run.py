# SPDX-License-Identifier: BSD-3-Clause
"""Running a program under the profiling library, which is built for its MPI library."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from isochron.common import orphans
from isochron.common.cache import make_folder, refuse_unwritable_home, refuse_writable_by_others, user_cache
from isochron.common.files import FileError
from isochron.common.resources import shipped
from isochron.schemas.profile.profile import SUFFIX, Profile, merged
from isochron.spack_envs import wheels
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.toolchain import applied
from isochron.workflows.preload import compile_library, preloaded, refuse_no_compiler
from isochron.workflows.signals import when_asked_to_end

#: Environment variable with the folder in which the library creates a file per process.
VARIABLE = "ISOCHRON_PROFILE"

#: The library is not linked with an MPI library: the program has it, and symbols are resolved late.
FLAGS = ("-D_GNU_SOURCE", "-pthread", "-Wl,--as-needed", "-Wl,-z,lazy")

REMEDY = "name the compiler wrapper of the program's MPI library with --mpicc"


@dataclass(frozen=True)
class Wrapper:
    """The compiler wrapper of an MPI library, and the environment for it and for programs."""

    mpicc: str
    environment: dict[str, str]


def wrapper_of_stack(stack: str, base: Mapping[str, str] = os.environ) -> Wrapper:
    """Return the wrapper of a stack, installed if necessary; its mpiexec is first on PATH. Raises FileError."""
    declaration = load_declaration(stack)
    if declaration.simulator is not None:
        raise FileError(f"stack {stack}: is simulated; name a real one")
    toolchain = wheels.resolve(declaration)
    environment = applied(toolchain.environment, base)
    environment["PATH"] = f"{toolchain.prefix}/bin:{environment.get('PATH', os.defpath)}"
    return Wrapper(toolchain.cc, environment)


def wrapper_beside(launcher: str, base: Mapping[str, str] = os.environ) -> Wrapper:
    """Return the wrapper beside a launcher, else the one on PATH. Raises FileError."""
    launcher_path = Path(shutil.which(launcher) or launcher)
    candidates = [path.with_name("mpicc") for path in (launcher_path, launcher_path.resolve())]
    mpicc = next((str(path) for path in candidates if path.is_file()), shutil.which("mpicc"))
    if mpicc is None:
        raise FileError(f"{launcher}: no mpicc in its folder or on PATH; {REMEDY}, or give --stack")
    return Wrapper(mpicc, dict(base))


def build_library(wrapper: Wrapper, cache: Path | None = None) -> Path:
    """Return the library for the wrapper's MPI library, built or from the cache. Raises FileError."""
    refuse_unwritable_home()
    refuse_no_compiler(wrapper.mpicc, REMEDY)
    sources = sorted(shipped("workflows", "profiling", "library").glob("*.c"))
    folder = cache or user_cache("profilers")
    make_folder(folder)
    refuse_writable_by_others(folder)
    target = folder / _key(wrapper, sources) / "isochron-profile.so"
    if target.is_file():
        refuse_writable_by_others(target)
        return target
    make_folder(target.parent)
    return compile_library(target, wrapper.mpicc, sources, REMEDY, flags=FLAGS, environment=wrapper.environment)


def _key(wrapper: Wrapper, sources: list[Path]) -> str:
    """Return the key of the library in the cache: a hash of the preprocessed sources with mpi.h, and of the wrapper."""
    command = [wrapper.mpicc, "-std=c11", *FLAGS, "-E", *map(str, sources)]
    done = subprocess.run(command, capture_output=True, env=wrapper.environment, check=False)
    if done.returncode != 0:
        message = (done.stderr.decode(errors="replace").strip().splitlines() or ["it ended without a message"])[0]
        raise FileError(f"{wrapper.mpicc}: cannot preprocess {sources[0]}: {message}; {REMEDY}")
    return sha256(wrapper.mpicc.encode() + b"\0" + done.stdout).hexdigest()[:32]


def environment_of(library: Path, folder: Path, base: Mapping[str, str]) -> dict[str, str]:
    """Return the environment in which a program is profiled."""
    return {**base, "LD_PRELOAD": preloaded(library, base), VARIABLE: str(folder)}


@dataclass(frozen=True)
class OutputPaths:
    """Paths of a profile: its file, and the temporary folder of the processes' files."""

    file: Path
    ranks: Path


def place_for(name: str) -> OutputPaths:
    """Return the paths of a new profile in this folder. Raises FileError if its file exists."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+=-]{0,199}", name):
        raise FileError(f"--name {name}: use letters, digits and ._+=-, beginning with a letter or digit")
    place = OutputPaths(Path(f"{name}{SUFFIX}"), Path(f"{name}.ranks").absolute())
    _refuse(place.file)
    return place


def _refuse(path: Path) -> None:
    if path.exists():
        raise FileError(f"{path}: already exists; give another --name, or remove it")


def run_profiled(command: Sequence[str], wrapper: Wrapper, place: OutputPaths) -> int:
    """Run a command; return its exit code, 128 + N if signal N ended it or this process. Raises FileError.

    On a signal to this process, all processes of the command are ended; their counts so far are used.
    """
    _refuse(place.ranks)
    library = build_library(wrapper)
    place.ranks.mkdir()
    signals: list[int] = []

    def end(number: int) -> None:
        signals.append(number)
        orphans.end(str(place.ranks), mark=VARIABLE)

    with when_asked_to_end(end):
        try:
            child = subprocess.Popen(command, env=environment_of(library, place.ranks, wrapper.environment))
        except OSError as error:
            place.ranks.rmdir()
            raise FileError(
                f"{command[0]}: cannot be started: {error.strerror}; give the command after `--`"
            ) from error
        code = _wait(child)
    return 128 + signals[0] if signals else code


def _wait(child: subprocess.Popen[bytes]) -> int:
    """Return the child's exit code, 128 + N if signal N ended it. The child receives Ctrl-C, too."""
    while True:
        try:
            code = child.wait()
        except KeyboardInterrupt:
            continue
        return code if code >= 0 else 128 - code


def keep(place: OutputPaths, command: Sequence[str] = ()) -> Profile:
    """Write the profile, and remove the files of the processes. Raises FileError."""
    try:
        profile = merged(place.ranks, command)
    except FileError:
        with suppress(OSError):  # a folder with files is kept
            place.ranks.rmdir()
        raise
    profile.save(place.file)
    shutil.rmtree(place.ranks, ignore_errors=True)
    return profile
