# SPDX-License-Identifier: BSD-3-Clause
"""The library that slows operations (slow.c), and the environment in which a launch has it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from isochron.common.files import write_atomically
from isochron.common.resources import shipped
from isochron.workflows.preload import compile_library, refuse_no_compiler

#: Operations that slow.c can slow, by the engine's names.
SLOWED = ("bcast", "reduce", "allreduce", "allgather", "alltoall")

#: The file of shares of a launch.
VARIABLE = "ISOCHRON_SLOWDOWN"


def build_library(folder: Path) -> Path:
    """slow.c compiled into the folder, unless it is there; the same for all MPI libraries. Raises FileError."""
    library = folder / "slow.so"
    if library.is_file():
        return library
    compiler, remedy = os.environ.get("CC") or "cc", "name another compiler in CC"
    refuse_no_compiler(compiler, "install one, or name one in CC")
    return compile_library(library, compiler, [shipped("workflows", "certification", "slow.c")], remedy)


def write_shares(path: Path, shares: Mapping[str, float]) -> None:
    """The file that slow.c reads: a line for each operation that is slowed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (f"{operation} {share!r}\n" for operation, share in shares.items() if share)
    write_atomically(path, "".join(lines))


def environment(library: Path, shares: Path) -> dict[str, str]:
    """The variables of a variant. One that slows nothing has them too, so that they are no difference."""
    return {"LD_PRELOAD": str(library), VARIABLE: str(shares)}
