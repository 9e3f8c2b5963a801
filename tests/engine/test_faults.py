# SPDX-License-Identifier: BSD-3-Clause
"""An MPI library that fails or returns wrong data: a library put before the real one plays it."""

import subprocess
from pathlib import Path

import pytest

from tests.engine.support import Finished, Mpi, read_records, rows_of

pytestmark = pytest.mark.mpi

#: Alltoall fails on rank 1 only; Allgather of more than 4 bytes flips a bit.
BROKEN = """
#include <mpi.h>
int MPI_Alltoall(const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, MPI_Comm c)
{
    int rank;
    MPI_Comm_rank(c, &rank);
    return rank == 1 ? MPI_ERR_COUNT : PMPI_Alltoall(s, n, t, r, m, u, c);
}
int MPI_Allgather(const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, MPI_Comm c)
{
    const int result = PMPI_Allgather(s, n, t, r, m, u, c);
    if (n > 4)
        ((char *)r)[3] ^= 1;
    return result;
}
"""


def run_broken(mpi: Mpi, engine: Path, folder: Path, *words: str) -> Finished:
    """Runs the engine on two processes with the broken calls before those of the library."""
    source, shim = folder / "broken.c", folder / "broken.so"
    source.write_text(BROKEN)
    subprocess.run([mpi.cc, "-shared", "-fPIC", "-o", shim, source], env=mpi.env, check=True)
    command = mpi.launch(2, ["env", f"LD_PRELOAD={shim}", engine, "--output", "out.jsonl", *words])
    done = subprocess.run(command, cwd=folder, env=mpi.env, capture_output=True, text=True, timeout=900, check=False)
    return Finished(done.returncode, done.stdout, done.stderr)


def test_a_failing_call_ends_the_launch(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """Exit code 5 and one line, though the other process waits in the call; no file that looks complete."""
    done = run_broken(mpi, engine, tmp_path, "--operations", "bcast,alltoall", "--sizes", "8")
    assert done.code == 5, done.err
    assert len(done.complaints) == 1 and "rank 1: alltoall" in done.complaints[0]
    assert not (tmp_path / "out.jsonl").exists()


def test_wrong_data_are_found(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """Exit code 4, and the rows say which operation and size."""
    done = run_broken(mpi, engine, tmp_path, "--operations", "bcast,allgather", "--sizes", "2,8", "--check")
    assert done.code == 4, done.err
    assert len(done.complaints) == 1 and "allgather of 8 bytes" in done.complaints[0]
    rows = rows_of(read_records(tmp_path / "out.jsonl"))
    failed = [(row["operation"], row["bytes"]) for row in rows if row["verdict"] == "failed-check"]
    assert failed == [("allgather", 8)]
