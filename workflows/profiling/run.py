# SPDX-License-Identifier: BSD-3-Clause
"""Running a program under the profiling library, which is built for its MPI library."""

from __future__ import annotations

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

#: The folder in which the library makes a file for each process.
VARIABLE = "ISOCHRON_PROFILE"

#: The library has no need of the MPI library itself: whoever is profiled has it, and its names are looked for late.
FLAGS = ("-D_GNU_SOURCE", "-pthread", "-Wl,--as-needed", "-Wl,-z,lazy")

REMEDY = "name the compiler wrapper of the program's MPI library with --mpicc"


@dataclass(frozen=True)
class Wrapper:
    """The compiler wrapper of an MPI library, and the environment in which it compiles and its programs run."""

    mpicc: str
    environment: dict[str, str]


def wrapper_of_stack(stack: str, base: Mapping[str, str] = os.environ) -> Wrapper:
    """That of a stack, made ready where it is not; its mpiexec is the first on PATH. Raises FileError."""
    declaration = load_declaration(stack)
    if declaration.simulator is not None:
        raise FileError(f"stack {stack}: is simulated; name a real one")
    toolchain = wheels.resolve(declaration)
    environment = applied(toolchain.environment, base)
    environment["PATH"] = f"{toolchain.prefix}/bin:{environment.get('PATH', os.defpath)}"
    return Wrapper(toolchain.cc, environment)


def wrapper_beside(launcher: str, base: Mapping[str, str] = os.environ) -> Wrapper:
    """The wrapper beside a launcher, else the one on PATH. Raises FileError."""
    found = Path(shutil.which(launcher) or launcher)
    beside = [each.with_name("mpicc") for each in (found, found.resolve())]
    chosen = next((str(each) for each in beside if each.is_file()), shutil.which("mpicc"))
    if chosen is None:
        raise FileError(f"{launcher}: no mpicc in its folder or on PATH; {REMEDY}, or give --stack")
    return Wrapper(chosen, dict(base))


def build_library(wrapper: Wrapper, cache: Path | None = None) -> Path:
    """The library for the wrapper's MPI library, from the cache where it is there. Raises FileError."""
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
    """What decides about the library: what the preprocessor makes of the sources, mpi.h and all, and the wrapper."""
    words = [wrapper.mpicc, "-std=c11", *FLAGS, "-E", *map(str, sources)]
    done = subprocess.run(words, capture_output=True, env=wrapper.environment, check=False)
    if done.returncode != 0:
        said = (done.stderr.decode(errors="replace").strip().splitlines() or ["it ended without a message"])[0]
        raise FileError(f"{wrapper.mpicc}: cannot preprocess {sources[0]}: {said}; {REMEDY}")
    return sha256(wrapper.mpicc.encode() + b"\0" + done.stdout).hexdigest()[:32]


def environment_of(library: Path, folder: Path, base: Mapping[str, str]) -> dict[str, str]:
    """The variables under which a program is counted."""
    return {**base, "LD_PRELOAD": preloaded(library, base), VARIABLE: str(folder)}


@dataclass(frozen=True)
class OutputPaths:
    """Where a profile is written: the file, and beside it the folder of the processes' files while they are needed."""

    file: Path
    ranks: Path


def place_for(name: str) -> OutputPaths:
    """The place of a profile that is not there yet, in this folder. Raises FileError."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+=-]{0,199}", name):
        raise FileError(f"--name {name}: use letters, digits and ._+=-, beginning with a letter or digit")
    place = OutputPaths(Path(f"{name}{SUFFIX}"), Path(f"{name}.ranks").absolute())
    _refuse(place.file)
    return place


def _refuse(path: Path) -> None:
    if path.exists():
        raise FileError(f"{path}: already exists; give another --name, or remove it")


def run_profiled(command: Sequence[str], wrapper: Wrapper, place: OutputPaths) -> int:
    """Run a command to its end; returns its exit code, 128 + N where signal N ended it or us. Raises FileError.

    Where we are asked to end, so is all that the command has started; what it counted so far is wanted.
    """
    _refuse(place.ranks)
    library = build_library(wrapper)
    place.ranks.mkdir()
    asked: list[int] = []

    def end(number: int) -> None:
        asked.append(number)
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
    return 128 + asked[0] if asked else code


def _wait(child: subprocess.Popen[bytes]) -> int:
    """Its exit code, 128 + N where signal N ended it. Ctrl-C is for the child, which has it too."""
    while True:
        try:
            code = child.wait()
        except KeyboardInterrupt:
            continue
        return code if code >= 0 else 128 - code


def keep(place: OutputPaths, command: Sequence[str] = ()) -> Profile:
    """Write the profile; then the files that it is made of are no longer needed. Raises FileError."""
    try:
        profile = merged(place.ranks, command)
    except FileError:
        with suppress(OSError):  # what is not empty is wanted
            place.ranks.rmdir()
        raise
    profile.save(place.file)
    shutil.rmtree(place.ranks, ignore_errors=True)
    return profile
