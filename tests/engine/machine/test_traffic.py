# SPDX-License-Identifier: BSD-3-Clause
"""What the planner of simulated campaigns assumes of the engine, against what the engine counts of itself."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from isochron.schemas.engine.options import EngineOptions
from isochron.schemas.run.plan import Point
from isochron.workflows.planning import simulation
from tests.engine.simulator import simulated_records
from tests.engine.support import Finished, rows_of

#: The planner may be off by so much: messages both ways, bytes on the safe side, as it gives every process of a rooted
#: operation both buffers.
MESSAGES_FACTOR, BYTES_FACTOR = 1.5, 2.0
RUNS, BATCH, OPERATIONS, SIZES = 16, 8, ("bcast", "alltoall"), (8, 65536)


SYNCS = ["none", "ring", "ring flat", "linear flat", "hca3 flat"]


@pytest.mark.parametrize(
    ("processes", "sync"),
    [
        *itertools.product((8, 16), SYNCS),
        *(pytest.param(64, sync, marks=pytest.mark.slow) for sync in SYNCS),
    ],
)
def test_own_messages_are_as_planned(simulated_engine: Path, tmp_path: Path, processes: int, sync: str) -> None:
    method, _, nodes = sync.partition(" ")
    words = ["--operations", ",".join(OPERATIONS), "--sizes", ",".join(map(str, SIZES)), "--clock-sync", method]
    words += ["--stop", "reps", "--max-reps", str(RUNS), "--max-valid", str(RUNS), "--batch", str(BATCH)]
    words += ["--resync-share", "0", "--sync-nodes", nodes or "auto"]
    records = simulated_records(simulated_engine, tmp_path, processes, *words)
    rows, footer = rows_of(records), records[-1]
    engine = EngineOptions(clock_sync=method, sync_nodes=nodes or "auto", wait="sleep")
    point = Point(processes=processes, processes_per_node=4, placement="packed")
    planned = simulation.OF_A_LAUNCH * processes + simulation.sync_messages(engine, point, perfect=True)
    planned += len(rows) * simulation.row_messages(processes, RUNS, BATCH)
    planned += simulation.row_messages(processes, simulation.EMPTY_RUNS, BATCH)
    planned += len(rows) * simulation.check_messages(processes) * (method != "none")
    assert [row["reps_made"] for row in rows] == [RUNS] * len(rows)
    ratio = planned / footer["own_messages"]
    print(f"{processes} processes, {sync}: {footer['own_messages']} messages, {ratio:.2f} times as many planned")
    assert 1 / MESSAGES_FACTOR < ratio < MESSAGES_FACTOR


@pytest.mark.parametrize("operation", OPERATIONS)
def test_buffers_are_as_planned(simulated_engine: Path, tmp_path: Path, operation: str) -> None:
    """One set, with a block or a block for each process, and a line or a page that aligns them."""
    processes, size = 16, 65536
    words = ["--operations", operation, "--sizes", str(size), "--stop", "reps", "--max-reps", "8", "--min-valid", "4"]
    footer = simulated_records(simulated_engine, tmp_path, processes, *words)[-1]
    expected = simulation.cost(operation, size, processes, 8, BATCH)
    mapped = (expected.bytes - simulation.PIECE) / simulation.MAP_BYTES
    print(f"{operation}: {footer['mapped_bytes']} bytes, {mapped / footer['mapped_bytes']:.2f} times as many planned")
    assert 0.99 * footer["mapped_bytes"] < mapped < BYTES_FACTOR * footer["mapped_bytes"]


@pytest.mark.mpi
def test_nothing_is_counted_with_a_real_library(run_engine: Callable[..., Finished], tmp_path: Path) -> None:
    """Adding up takes messages of its own, so it is for the simulator."""
    words = ("--operations", "barrier", "--stop", "reps", "--max-reps", "8", "--min-valid", "1")
    done = run_engine(*words, "--output", tmp_path / "out.jsonl")
    assert done.code == 0, done.err
    assert "own_messages" not in (tmp_path / "out.jsonl").read_text()
