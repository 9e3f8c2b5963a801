# SPDX-License-Identifier: BSD-3-Clause
"""Operations that make communicators and windows: right ones, thousands of them, wrong ones and refused ones."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from isochron.schemas.engine.contract import CREATION
from tests.engine.support import LIBRARIES_BY_FEATURES, Mpi, build_engine, read_records, rows_of, wheels_stack
from tests.engine.test_operations import FEW_RUNS, run

pytestmark = pytest.mark.mpi

#: More than MPICH and Open MPI have context ids (2048, and as many as Open MPI has tags).
MANY = 5000
MANY_RUNS = ["--sizes", "64", "--check", "--scheme", "barrier", "--stop", "reps", "--max-reps", str(MANY)]
MANY_RUNS += ["--max-valid", str(MANY), "--min-valid", "1", "--batch", "500", "--pass-span", "0", "--passes", "1"]


@pytest.mark.parametrize("name", LIBRARIES_BY_FEATURES)
def test_thousands_are_made_and_freed(name: str, tmp_path: Path) -> None:
    """In the window scheme with every result checked, in loops, and more than there can be at once."""
    stack = wheels_stack(name)
    engine = build_engine(stack, tmp_path / "build")
    for words in (FEW_RUNS, [*FEW_RUNS, "--scheme", "loop"], MANY_RUNS):
        code, rows, err = run(stack, engine, tmp_path / "out", 2, "--operations", "creation", *words)
        assert code == 0, err
        assert {row["operation"] for row in rows} == set(CREATION)
        assert all(row["reps_made"] > 0 and row["bytes_moved"] is None for row in rows)
        assert words is not MANY_RUNS or {row["reps_made"] for row in rows} == {MANY}


@pytest.mark.parametrize("processes", [3, 5])
def test_all_processes_are_in_it(mpi: Mpi, engine: Path, tmp_path: Path, processes: int) -> None:
    """In each group of processes, too; a window over buffers that change, and of a datatype with gaps."""
    for line in ([], ["--groups", "halves"], ["--buffers", "cold"], ["--datatype", "vector:2:2:5"]):
        if processes == 3 and "--groups" in line:
            continue  # the second half is one process, which has no next
        code, rows, err = run(mpi, engine, tmp_path / "out", processes, "--operations", "creation", *FEW_RUNS, *line)
        assert code == 0, err
        assert {row["operation"] for row in rows} == set(CREATION)
        assert {row["reps_made"] for row in rows} == {3}, line


REVERSAL = """
#include <mpi.h>
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    (void)key;
    return PMPI_Comm_split(comm, color, 0, made);
}
"""
REFUSAL = """
#include <mpi.h>
int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *memory, MPI_Win *window)
{
    static int allowed = ALLOWED;
    return allowed-- > 0 ? PMPI_Win_allocate(size, unit, info, comm, memory, window) : MPI_ERR_OTHER;
}
"""


def run_with(
    mpi: Mpi, engine: Path, folder: Path, source: str, processes: int
) -> tuple[int, dict[tuple[str, int], dict[str, Any]], str]:
    """Exit code, rows by operation and bytes, and standard error, with other functions of MPI."""
    code, shim, output = folder / "shim.c", folder / "shim.so", folder / "out.jsonl"
    code.write_text(source)
    subprocess.run([mpi.cc, "-shared", "-fPIC", "-o", shim, code], env=mpi.env, check=True)
    words = ["--operations", "creation", *FEW_RUNS, "--wait", "sleep", "--passes", "2"]
    command = mpi.launch(processes, ["env", f"LD_PRELOAD={shim}", engine, "--output", output, *words])
    done = subprocess.run(command, env=mpi.env, capture_output=True, text=True, timeout=600, check=False)
    rows = rows_of(read_records(output)) if output.exists() else []
    return done.returncode, {(row["operation"], row["bytes"]): row for row in rows}, done.stderr


@pytest.mark.parametrize("processes", [2, 3])
def test_a_wrong_order_of_ranks_is_found(mpi: Mpi, engine: Path, tmp_path: Path, processes: int) -> None:
    """By a message that comes from another process than it should; none waits for ever."""
    code, rows, err = run_with(mpi, engine, tmp_path, REVERSAL, processes)
    assert code == 4, err
    assert {name for (name, _), row in rows.items() if row["verdict"] == "failed-check"} == {"comm-split"}


def test_what_is_refused_is_not_supported(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """The launch goes on with the next operation."""
    code, rows, err = run_with(mpi, engine, tmp_path, REFUSAL.replace("ALLOWED", "0"), 2)
    assert code == 0, err
    for (name, _), row in rows.items():
        refused = name == "win-allocate"
        assert (row["verdict"] == "not-supported", row["reps_made"] == 0) == (refused, refused), name
        assert not refused or "does not make it" in row["reason"]


def test_what_fails_later_is_an_error(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """As where context ids run out: no time is recorded for it."""
    code, rows, err = run_with(mpi, engine, tmp_path, REFUSAL.replace("ALLOWED", "4"), 2)
    assert code not in (0, 4) and not rows
    assert "win-allocate: " in err
