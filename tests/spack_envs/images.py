# SPDX-License-Identifier: BSD-3-Clause
"""Imitations of container runtimes, and of images: folders whose programs they put before those of the machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from isochron.spack_envs import containers
from tests.spack_envs.test_prefixes import MPICH

RUNTIMES = Path(__file__).parent / "runtimes"

#: The compiler of an image whose library reports a text.
MPICC = """#!/bin/sh
exec gcc -I"$IMAGE/include" "$@" -L"$IMAGE/lib" -Wl,-rpath,"$IMAGE/lib" -lmpi
"""
HEADER = """
enum { MPI_SUCCESS, MPI_MAX_LIBRARY_VERSION_STRING = 8192 };
int MPI_Get_library_version(char *text, int *length);
"""


def with_runtime(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put an imitated runtime into a folder that is first on PATH, and return the folder."""
    programs = folder / "runtimes"
    programs.mkdir(exist_ok=True)
    program = programs / name
    program.write_bytes((RUNTIMES / name).read_bytes())
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("USER", "somebody")
    containers.look.cache_clear()
    return programs


def make_image(folder: Path, text: str = MPICH) -> Path:
    """An image with a compiler whose library reports a text, and a launcher."""
    for name in ("bin", "lib", "include"):
        (folder / name).mkdir(parents=True)
    for name, script in (("mpicc", MPICC), ("mpiexec", "#!/bin/sh\n")):
        (folder / "bin" / name).write_text(script)
        (folder / "bin" / name).chmod(0o755)
    (folder / "include" / "mpi.h").write_text(HEADER)
    literal = text.replace("\n", "\\n")
    (folder / "mpi.c").write_text(f"""int MPI_Get_library_version(char *text, int *length)
    {{ *length = __builtin_sprintf(text, "{literal}"); return 0; }}""")
    words = ["gcc", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.12", "-o", "lib/libmpi.so.12", "mpi.c"]
    subprocess.run(words, cwd=folder, check=True)
    (folder / "lib" / "libmpi.so").symlink_to("libmpi.so.12")
    return folder
