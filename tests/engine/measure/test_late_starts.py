# SPDX-License-Identifier: BSD-3-Clause
"""Processes whose turns never meet: a row in which all runs start late is given up, and its verdict says so."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.engine.support import Mpi, read_records, rows_of

#: After those of the calibration, rank 1 hears of every batch 100 ms late: when all of its slots are over for rank 0.
LATE = """
#include <mpi.h>
#include <unistd.h>
int MPI_Bcast(void *buffer, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    static int plans = 0;
    int rank;
    MPI_Comm_rank(c, &rank);
    const int result = PMPI_Bcast(buffer, n, t, root, c);
    if (n == 8 && t == MPI_INT64_T && rank == 1 && ++plans > 12)
        usleep(100000);
    return result;
}
"""
BATCH = 8


def run_late(mpi: Mpi, engine: Path, folder: Path, *words: str) -> dict[str, Any]:
    """The row of a launch in which rank 1 hears of every batch too late."""
    source, shim = folder / "late.c", folder / "late.so"
    source.write_text(LATE)
    subprocess.run([mpi.cc, "-shared", "-fPIC", "-o", shim, source], env=mpi.env, check=True)
    given = ["--operations", "wait-pattern-null", "--output", "out.jsonl", "--probes", "off", "--batch", str(BATCH)]
    command = mpi.launch(2, ["env", f"LD_PRELOAD={shim}", engine, *given, *words])
    done = subprocess.run(command, cwd=folder, env=mpi.env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (row,) = rows_of(read_records(folder / "out.jsonl"))
    return row


@pytest.mark.mpi
def test_late_starts_waste_two_seconds_at_most(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """Of batches that waste at least 0.1 s each there are 20 at most, where the limit on runs allows a million."""
    row = run_late(mpi, engine, tmp_path, "--max-reps", "1000000", "--max-valid", "1000000")
    assert row["verdict"] == "too-few-valid" and row["reason"].endswith("abandoned after late starts wasted 2 s")
    assert row["invalid"]["late_start"] == row["reps_made"] - row["reps_valid"]
    assert BATCH <= row["reps_made"] <= 20 * BATCH + 2 * row["reps_valid"]


@pytest.mark.mpi
def test_a_row_that_lags_ends_the_passes(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """Passes that could only wait for late starts are left out: the one that follows is the last."""
    row = run_late(mpi, engine, tmp_path, "--min-valid", "48", "--max-reps", "48", "--max-valid", "48", "--passes", "6")
    assert row["verdict"] == "too-few-valid"
    # A busy machine may make the five batches of the second pass waste two seconds.
    assert row["pass_reps"] == [BATCH, 40] or (len(row["pass_reps"]) <= 2 and "wasted 2 s" in row["reason"])
    assert row["interval_basis"] == "reps"
