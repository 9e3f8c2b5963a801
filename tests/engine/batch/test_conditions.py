# SPDX-License-Identifier: BSD-3-Clause
"""Buffers, arrival patterns and rank orders: what the options say is what the runs get."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.simulator import simulated_records
from tests.engine.support import Finished, Mpi, needs_simgrid, read_records, rows_of

Run = Callable[..., Finished]

#: Writes rank and buffer of every Bcast of 24 bytes.
WATCHER = """
#include <mpi.h>
#include <stdio.h>
int MPI_Bcast(void *buffer, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    int rank;
    MPI_Comm_rank(c, &rank);
    if (n == 24 && t == MPI_BYTE && rank == 0)
        fprintf(stderr, "bcast %lu\\n", (unsigned long)buffer);
    return PMPI_Bcast(buffer, n, t, root, c);
}
"""

#: 16 simulated ranks, a microsecond apart.
APART = ["--operations", "wait-patterns", "--arrival-spread-us", "15"]


def bcast_buffers(mpi: Mpi, engine: Path, folder: Path, *words: str) -> list[int]:
    """The addresses that a launch on one process broadcasts 24 bytes from, in order."""
    source, shim = folder / "watcher.c", folder / "watcher.so"
    source.write_text(WATCHER)
    subprocess.run([mpi.cc, "-shared", "-fPIC", "-o", shim, source], env=mpi.env, check=True)
    words = ("--operations", "bcast", "--sizes", "24", "--output", "out.jsonl", "--stop", "reps", *words)
    command = mpi.launch(1, ["env", f"LD_PRELOAD={shim}", engine, *words])
    done = subprocess.run(command, cwd=folder, env=mpi.env, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    return [int(line.split()[1]) for line in done.stderr.splitlines() if line.startswith("bcast ")]


@pytest.mark.mpi
def test_warm_runs_use_one_buffer(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """The second call alone has another."""
    buffers = bcast_buffers(mpi, engine, tmp_path, "--alignment", "512")
    assert buffers[0] != buffers[1] and set(buffers[2:]) == {buffers[0]}
    assert len(buffers) >= 2 + 4 + 30
    assert all(address % 512 == 0 for address in buffers)
    assert rows_of(read_records(tmp_path / "out.jsonl"))[0]["cold"] is None


@pytest.mark.mpi
def test_cold_runs_use_a_buffer_each(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """Counted runs never meet a buffer again, on pages of their own; each was used once before, unmeasured."""
    buffers = bcast_buffers(mpi, engine, tmp_path, "--buffers", "cold")
    records = read_records(tmp_path / "out.jsonl")
    row = rows_of(records)[0]
    uncounted = 4
    counted = buffers[-row["reps_made"] :]
    used_before = buffers[: -row["reps_made"] - uncounted]
    assert len(set(counted)) == row["reps_made"] and set(counted) <= set(used_before)
    assert all(address % 4096 == 0 for address in counted)
    cold = row["cold"]
    assert cold["ring_bytes"] >= 2 * records[0]["cache_bytes"] and cold["sets"] > row["reps_made"]
    assert cold["first_touch_ns"] > 0 and cold["first_use_ns"] > 0


@pytest.mark.mpi
def test_orders_reach_the_communicator(run_engine: Run, tmp_path: Path) -> None:
    """A list is applied and recorded; data stay right in another order."""
    (tmp_path / "order").write_text("2 0\n1\n")
    done = run_engine(
        "--operations", "blocking", "--sizes", "8", "--output", "out.jsonl", "--rank-order", "list:order", "--check",
        processes=3,
    )  # fmt: skip
    assert done.code == 0, done.err
    assert read_records(tmp_path / "out.jsonl")[0]["rank_order"] == [2, 0, 1]


@needs_simgrid
@pytest.mark.parametrize(("arrival", "up", "down"), [("ascending", 31000, 16000), ("descending", 16000, 31000)])
def test_arrivals_are_kept(simulated_engine: Path, tmp_path: Path, arrival: str, up: int, down: int) -> None:
    """Rank i comes i µs after the first (or before the last) and waits i + 1 µs (or 16 - i): the times are known."""
    records = simulated_records(simulated_engine, tmp_path, 16, *APART, "--arrival", arrival)
    wanted = [1000 * rank for rank in range(16)]
    assert records[0]["arrival_ns"] == (wanted if arrival == "ascending" else wanted[::-1])
    rows = {row["operation"]: row for row in rows_of(records)}
    for name, time in (("up", up), ("down", down), ("null", 15000)):
        row = rows[f"wait-pattern-{name}"]
        assert row["verdict"] == "ok", row["reason"]
        assert row["median_ns"] == pytest.approx(time, abs=50)
        assert row["from_last"]["median_ns"] == pytest.approx(time - 15000, abs=60)
        assert row["start_skew_ns"] == pytest.approx(15000, abs=50)
        assert max(row["from_last"]["time_ns"]) == pytest.approx(time - 15000, abs=60)


@needs_simgrid
def test_one_comes_late(simulated_engine: Path, tmp_path: Path) -> None:
    """The last rank of the measured order alone; nobody counts as late for it."""
    words = ["--operations", "allreduce", "--sizes", "8", "--arrival", "one-late:200", "--rank-order", "reverse"]
    records = simulated_records(simulated_engine, tmp_path, 8, *words)
    assert records[0]["arrival_ns"] == [0] * 7 + [200000]
    assert records[0]["rank_order"] == [7, 6, 5, 4, 3, 2, 1, 0]
    row = rows_of(records)[0]
    assert row["verdict"] == "ok" and row["invalid"]["late_start"] == 0
    assert row["start_skew_ns"] == pytest.approx(200000, abs=50)
    assert row["median_ns"] == pytest.approx(200000 + row["from_last"]["median_ns"], abs=50)
