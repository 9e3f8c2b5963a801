# SPDX-License-Identifier: BSD-3-Clause
"""The engine builds without a warning and measures under every MPI library that a stack declares."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from isochron.spack_envs.declarations import load_declaration
from tests.engine.support import LIBRARIES, LIBRARIES_BY_FEATURES, build_engine, read_records, rows_of, wheels_stack

pytestmark = pytest.mark.mpi


@pytest.mark.parametrize("name", LIBRARIES_BY_FEATURES)
def test_builds_strictly_and_measures(name: str, tmp_path: Path) -> None:
    stack = wheels_stack(name)
    engine = build_engine(stack, tmp_path / "build")
    output = tmp_path / "launch.jsonl"
    words = [engine, "--operations", "allreduce,wait-pattern-up", "--sizes", "8,64KiB", "--check", "--output", output]
    done = subprocess.run(
        stack.launch(2, words), env=stack.env, cwd=tmp_path, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    records = read_records(output)
    assert load_declaration(name).mpi_library.split()[0] in records[0]["mpi_library_version"]
    assert [(row["operation"], row["bytes"]) for row in rows_of(records)] == [
        ("allreduce", 8),
        ("allreduce", 65536),
        ("wait-pattern-up", 0),
    ]
    # On a busy machine all runs of a library that spins may be late: they are counted.
    for row in rows_of(records):
        assert row["reps_made"] == row["reps_valid"] + sum(row["invalid"].values()) > 0


@pytest.mark.parametrize("name", [name for name in LIBRARIES if name.startswith("openmpi")])
def test_open_mpi_starts_where_there_is_no_remote_shell(name: str, tmp_path: Path) -> None:
    """As on a small machine or in a container: neither ssh nor rsh is on the PATH."""
    stack = wheels_stack(name)
    for command in ("true", "false"):
        found = shutil.which(command)
        assert found is not None
        (tmp_path / command).symlink_to(found)
    done = subprocess.run(
        stack.launch(1, [tmp_path / "true"]), env={**stack.env, "PATH": str(tmp_path)}, cwd=tmp_path,
        capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
