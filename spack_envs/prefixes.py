# SPDX-License-Identifier: BSD-3-Clause
"""Installed MPI libraries as stacks, `prefix:/opt/mpich-4.2`: the library says what it is.

Its MPI_Get_library_version, which may be called before MPI_Init, is called in a process of its own. Libraries that were
derived from another one are told apart, because they are started in other ways.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from isochron.common.children import captured
from isochron.common.files import FileError, open_file
from isochron.schemas.run.manifest import Environment
from isochron.spack_envs.families import families
from isochron.spack_envs.toolchain import applied, compiler, sanitised

#: Libraries without a family, by the beginning of what they report.
OTHERS = {
    "ParaStation MPI": r"\A=== ParaStation MPI",
    "IBM Spectrum MPI": r"\AOpen MPI v.*package: IBM Spectrum MPI",
    "Fujitsu MPI": r"\AFUJITSU MPI Library",
    "HPE MPT": r"\AHPE MPT ",
    "HPE HMPT": r"\AHPE HMPT ",
    "a wrapper of the MPI ABI": r"\A(mpi_abi_wrapper|MPIwrapper) ",
}

#: Where the library lies below its prefix, and the names that it has.
FOLDERS = ("lib", "lib64", "lib/release")
NAMES = ("libmpi.so", "libmpich.so", "libmpi_ibm.so", "libmpi_cray.so", "libmpi_[a-n]*_[0-9]*.so")

#: Prints MPI_Get_library_version of the library that is its argument; 8192 bytes are the longest (MPICH).
CALL = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
text, length = ctypes.create_string_buffer(8193), ctypes.c_int()
library.MPI_Get_library_version(text, ctypes.byref(length))
sys.stdout.buffer.write(text.raw[: length.value])
"""

#: Maximum seconds of the call: the library may lie on a slow file system.
PATIENCE_S = 60


class Recognised(NamedTuple):
    """The family of a library, and its version as the library reports it."""

    family: str
    version: str


class Library(NamedTuple):
    """The library below a prefix: its file, with links resolved, the beginning of its name, and what it is."""

    file: Path
    name: str
    recognised: Recognised


def recognise(text: str) -> Recognised:
    """Return family and version of a library, given its MPI_Get_library_version.

    Raises FileError if no family describes it; libraries with a known name are named.
    """
    for name, pattern in OTHERS.items():
        if re.search(pattern, text):
            raise FileError(f"is {name}, which no family in spack_envs/families describes; add one, with its launcher")
    for name, family in families().items():
        match = re.search(family.library_version, text)
        if match:
            return Recognised(name, match[1])
    raise FileError(f"is an unknown MPI library, '{_first_line(text)}'; add a family of it to spack_envs/families")


def find(prefix: Path, environment: Environment | None = None, cc: Path | None = None) -> Library:
    """Return the MPI library below a folder; `environment`: in which it is loaded, `cc`: its compiler if not `mpicc`.

    Raises FileError.
    """
    if not prefix.is_dir():
        raise FileError(f"{prefix} is not a folder; give the one with bin/ and lib/ of an MPI library")
    if not os.access(cc or compiler(prefix), os.X_OK):
        raise FileError(f"{prefix} has no bin/mpicc; give the folder of a complete MPI library")
    file = next(filter(_is_library, _candidates(prefix)), None)
    if file is None:
        raise FileError(f"{prefix} has no lib/libmpi.so; give the folder of an MPI library with shared libraries")
    try:
        name = f"{file.name.partition('.so')[0]}.so"
        return Library(file.resolve(), name, recognise(_library_version(file, environment or Environment())))
    except FileError as error:
        raise FileError(f"{file} {error}") from None


def _candidates(prefix: Path) -> list[Path]:
    """Return the files that may be the library: `libmpi.so`, or `libmpi.so.12` where that is a script of the linker."""
    patterns = [(folder, pattern) for folder in FOLDERS for name in NAMES for pattern in (name, f"{name}.[0-9]*")]
    return [path for folder, pattern in patterns for path in sorted((prefix / folder).glob(pattern))]


def _is_library(path: Path) -> bool:
    """Return True if the file is a shared library, and not a script of the linker."""
    try:
        with open_file(path) as stream:
            return stream.read(4) == b"\x7fELF"
    except OSError:
        return False


def _library_version(library: Path, environment: Environment) -> str:
    """Return the MPI_Get_library_version of a library. Raises FileError with the end of a message."""
    folders = [str(library.parent), *environment.prepend.get("LD_LIBRARY_PATH", [])]
    there = environment.model_copy(update={"prepend": {**environment.prepend, "LD_LIBRARY_PATH": folders}})
    try:
        command = [sys.executable, "-I", "-S", "-c", CALL, str(library)]
        done = captured(command, env=applied(sanitised(there), os.environ), timeout=PATIENCE_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FileError(f"cannot be loaded: {error}") from error
    if done.returncode != 0 or not done.stdout:
        lines = done.stderr.strip().splitlines() or [f"ended with code {done.returncode}"]
        raise FileError(f"cannot be loaded: {lines[-1].removeprefix('OSError: ')}; check that it is for this machine")
    return done.stdout


def _first_line(text: str) -> str:
    return (text.splitlines() or [""])[0][:80]
