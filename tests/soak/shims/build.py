# SPDX-License-Identifier: BSD-3-Clause
"""The interposed libraries, compiled once for a soak."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from isochron.schemas.run.manifest import Manifest
from isochron.spack_envs.toolchain import applied

HERE = Path(__file__).parent

#: Library by name, and where its source is.
SOURCES = {
    "mpi": HERE / "mpi.c",
    "rate_clock": HERE / "rate_clock.c",
    "step_clock": HERE.parents[1] / "faults" / "shims" / "step_clock.c",
    "wall_clock": HERE / "wall_clock.c",
    "bad_disk": HERE / "bad_disk.c",
}

Shims = dict[str, Path]


def build_shims(folder: Path, manifest: Manifest) -> Shims:
    """Compile them with the stack's own wrapper, which knows its mpi.h."""
    folder.mkdir(parents=True)
    environment = applied(manifest.environment, os.environ)
    for name, source in SOURCES.items():
        command = [manifest.cc if name == "mpi" else "cc", "-O2", "-fPIC", "-shared", "-o", f"{folder / name}.so"]
        subprocess.run([*command, str(source), "-ldl"], env=environment, check=True)
    return {name: folder / f"{name}.so" for name in SOURCES}
