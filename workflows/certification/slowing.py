# SPDX-License-Identifier: BSD-3-Clause
"""The library that slows operations (slow.c), and the environment in which a launch has it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from isochron.ground.files import FileError, replaced, write_atomically
from isochron.ground.resources import shipped

#: Operations that slow.c can slow, by the engine's names.
SLOWED = ("bcast", "reduce", "allreduce", "allgather", "alltoall")

#: The file of shares of a launch.
VARIABLE = "ISOCHRON_SLOW"


def build_library(folder: Path) -> Path:
    """slow.c compiled into the folder, unless it is there; the same for all MPI libraries. Raises FileError."""
    library = folder / "slow.so"
    if library.is_file():
        return library
    compiler = os.environ.get("CC") or "cc"
    if shutil.which(compiler) is None:
        raise FileError(f"{compiler}: no such C compiler; install one, or name one in CC")
    source = shipped("workflows", "certification", "slow.c")
    with replaced(library) as partial:
        command = [compiler, "-std=c11", "-O2", "-fPIC", "-shared", "-o", str(partial), str(source)]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
        if done.returncode != 0:
            said = (done.stderr.strip().splitlines() or ["it ended without a message"])[0]
            raise FileError(f"{source}: {compiler} cannot compile it: {said}; name another compiler in CC")
    return library


def write_shares(path: Path, shares: Mapping[str, float]) -> None:
    """The file that slow.c reads: a line for each operation that is slowed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (f"{operation} {share!r}\n" for operation, share in shares.items() if share)
    write_atomically(path, "".join(lines))


def environment(library: Path, shares: Path) -> dict[str, str]:
    """The variables of a variant. One that slows nothing has them too, so that they are no difference."""
    return {"LD_PRELOAD": str(library), VARIABLE: str(shares)}
