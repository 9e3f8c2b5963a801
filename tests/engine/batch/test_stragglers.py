# SPDX-License-Identifier: BSD-3-Clause
"""--per-rank and the processes that are named: one slow rank on a simulated machine, and what its record says."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.simulator import cluster, simulate_program
from tests.engine.support import Finished, needs_simgrid, read_records, rows_of, simulator

Run = Callable[..., Finished]

#: Every fifth broadcast keeps rank 13 for 300 µs longer.
SLOW_RANK = """
#include <mpi.h>
#include <unistd.h>
int MPI_Bcast(void *buffer, int n, MPI_Datatype t, int root, MPI_Comm c)
{
    static int calls = 0;
    int rank;
    MPI_Comm_rank(c, &rank);
    const int result = PMPI_Bcast(buffer, n, t, root, c);
    if (n == 24 && rank == 13 && ++calls % 5 == 0)
        usleep(300);
    return result;
}
"""


def slow_row(engine: Path, folder: Path, slow: bool) -> dict[str, Any]:
    """16 ranks, four a host, broadcast in 50 batches; rank 13 is slow or not."""
    source, shim = folder / "slow.c", folder / "slow.so"
    source.write_text(SLOW_RANK)
    subprocess.run(["smpicc", "-shared", "-fPIC", "-o", shim, source], env=simulator().env, check=True)
    words = ["--wait", "sleep", "--output", "out.jsonl", "--operations", "bcast", "--sizes", "24"]
    words += ["--stop", "reps", "--max-reps", "400", "--max-valid", "400"]
    done = simulate_program(cluster(16), [engine, *words], folder, preload=shim if slow else None)
    assert done.returncode == 0, done.stderr
    (row,) = rows_of(read_records(folder / "out.jsonl"))
    return row


@needs_simgrid
def test_the_slow_rank_is_named(simulated_engine: Path, tmp_path: Path) -> None:
    """It and its host, and nobody else; where nobody is slow nobody is named."""
    row = slow_row(simulated_engine, tmp_path, True)
    stragglers = row["stragglers"]
    assert stragglers["batches"] == 50
    (rank,) = stragglers["ranks"]
    assert rank["rank"] == 13 and rank["host"].startswith("n3")
    assert min(rank["late_start_p"], rank["overrun_p"]) < 0.001
    assert [host["host"] for host in stragglers["hosts"]] == [rank["host"]]
    assert row["invalid_by_rank"][0]["rank"] == 13

    (tmp_path / "out.jsonl").unlink()
    stragglers = slow_row(simulated_engine, tmp_path, False)["stragglers"]
    assert stragglers["ranks"] == stragglers["hosts"] == []


@pytest.mark.mpi
def test_times_of_every_rank(run_engine: Run, tmp_path: Path) -> None:
    """Starts and ends count from the first start of the run and agree with what is said of all."""
    words = ["--operations", "bcast,barrier", "--sizes", "8,64KiB", "--output", "out.jsonl"]
    done = run_engine(*words, "--per-rank")
    assert done.code == 0, done.err
    for row in rows_of(read_records(tmp_path / "out.jsonl")):
        starts, ends = row["per_rank"]["start_ns"], row["per_rank"]["end_ns"]
        assert len(starts) == len(ends) == 2
        assert all(len(times) == row["reps_made"] for times in [*starts, *ends])
        for run in range(row["reps_made"]):
            first = [times[run] for times in starts]
            last = [times[run] for times in ends]
            assert min(first) == 0 and max(last) == row["time_ns"][run]
            assert max(end - start for start, end in zip(first, last, strict=True)) == row["local_ns"][run]
        begin, slot, into = (row["per_rank"][name] for name in ("begin_ns", "slot_ns", "into_slot_ns"))
        assert len(begin) == len(slot) == len(into) == row["reps_made"]
        assert begin[0] == 0 and begin == sorted(begin) and min(slot) > 0
        valid = [run for run in range(row["reps_made"]) if row["valid"][run]]
        assert all(into[run] >= 0 and into[run] + row["time_ns"][run] <= slot[run] for run in valid)
        slots = [begin[run] - into[run] for run in valid]
        assert all(after - before >= slot[run] for before, after, run in zip(slots, slots[1:], valid, strict=False))
