# SPDX-License-Identifier: BSD-3-Clause
"""Sources in C that are compiled on the machine that uses them: programs, and libraries that are loaded before an MPI
library (LD_PRELOAD)."""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from isochron.common.cache import strict_umask
from isochron.common.children import captured
from isochron.common.files import FileError, replaced


def refuse_no_compiler(compiler: str, remedy: str) -> None:
    """Raise FileError if the compiler is not found."""
    if shutil.which(compiler) is None:
        raise FileError(f"{compiler}: C compiler not found; {remedy}")


def compile_library(
    target: Path,
    compiler: str,
    sources: Sequence[Path],
    remedy: str,
    *,
    flags: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> Path:
    """Compile sources to the shared library `target`, atomically. Raises FileError; `remedy`: what to do then."""
    flags = ["-fPIC", "-shared", *flags]
    return _compile(target, compiler, sources, remedy, flags=flags, environment=environment)


def compile_program(
    target: Path, compiler: str, sources: Sequence[Path], remedy: str, environment: Mapping[str, str]
) -> Path:
    """Compile sources to the program `target`, atomically. Raises FileError; `remedy`: what to do then."""
    target.parent.mkdir(parents=True, exist_ok=True)
    return _compile(target, compiler, sources, remedy, flags=[], environment=environment)


def _compile(
    target: Path,
    compiler: str,
    sources: Sequence[Path],
    remedy: str,
    *,
    flags: Sequence[str],
    environment: Mapping[str, str] | None,
) -> Path:
    with replaced(target) as partial:
        command = [compiler, "-std=c11", "-O2", *flags, "-o", str(partial), *map(str, sources)]
        try:
            done = captured(command, env=environment and dict(environment), umask=strict_umask())
        except OSError as error:
            raise FileError(f"{compiler}: {error.strerror}; {remedy}") from error
        if done.returncode != 0:
            errors = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.strip().splitlines()
            reason = (errors or ["it ended without a message"])[0]
            raise FileError(f"{sources[0]}: {compiler} cannot compile it: {reason}; {remedy}")
    return target


def preloaded(library: Path, before: Mapping[str, str] = os.environ) -> str:
    """Return LD_PRELOAD with a library before those already in it."""
    return ":".join([str(library), *filter(None, [before.get("LD_PRELOAD", "")])])
