# SPDX-License-Identifier: BSD-3-Clause
"""One-sided operations: every window with every synchronisation, windows that are refused, and known times."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from isochron.schemas.engine.contract import ONE_SIDED, contract
from tests.engine.simulator import cluster, records_on
from tests.engine.support import (
    LIBRARIES,
    LIBRARIES_BY_FEATURES,
    Mpi,
    build_engine,
    read_records,
    rows_of,
    wheels_stack,
)
from tests.engine.test_operations import FEW_RUNS, run

CHOICES = {option.name: option.choices for option in contract().options}
WINDOWS, SYNCHRONISATIONS = CHOICES["rma-window"], CHOICES["rma-sync"]
#: Each kind of window and each synchronisation once, and all.
SOME = [(WINDOWS[i % len(WINDOWS)], sync) for i, sync in enumerate(SYNCHRONISATIONS)]
ALL = list(product(WINDOWS, SYNCHRONISATIONS))
OF_ONE_ELEMENT = {"fetch_and_op", "compare_and_swap"}
REDUCING = {"accumulate", "get_accumulate"}
#: What arrives at the origin; at the target.
AT_ORIGIN = {"get", "get-burst", "put-burst-both-ways", "get_accumulate", *OF_ONE_ELEMENT}
AT_TARGET = {"put", "put-burst", "put-burst-both-ways", *REDUCING, *OF_ONE_ELEMENT}


def words_of(window: str, sync: str, *words: str) -> list[str]:
    """The command line of all one-sided operations."""
    return ["--operations", "one-sided", *FEW_RUNS, "--rma-window", window, "--rma-sync", sync, *words]


def expect_right_data(mpi: Mpi, engine: Path, folder: Path, processes: int, window: str, sync: str) -> None:
    """All sizes are measured, and none is wrong."""
    code, rows, err = run(mpi, engine, folder, processes, *words_of(window, sync))
    assert code == 0, err
    assert {row["operation"] for row in rows} == set(ONE_SIDED)
    assert {row["reps_made"] for row in rows} == {3}, (window, sync)
    for row in rows:
        factor = 2 if row["operation"] == "get_accumulate" else row["messages"] or 1
        assert row["bytes_moved"] == (None if row["operation"] in OF_ONE_ELEMENT else factor * row["bytes"])


@pytest.mark.mpi
@pytest.mark.parametrize("name", LIBRARIES_BY_FEATURES)
def test_data_are_right(name: str, tmp_path: Path) -> None:
    stack = wheels_stack(name)
    engine = build_engine(stack, tmp_path / "build")
    for window, sync in SOME:
        expect_right_data(stack, engine, tmp_path / "out", 2, window, sync)


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.parametrize("name", LIBRARIES)
def test_data_are_right_in_all_windows(name: str, tmp_path: Path) -> None:
    """A changed bit is found as well, in the window of the target and in the buffer of the origin."""
    stack = wheels_stack(name)
    engine = build_engine(stack, tmp_path / "build")
    for window, sync in ALL:
        expect_right_data(stack, engine, tmp_path / "out", 2, window, sync)
        for rank in (0, 1):
            line = words_of(window, sync, "--corrupt-rank", str(rank))
            code, rows, err = run(stack, engine, tmp_path / "out", 2, *line)
            assert code == 4, err
            wrong = {row["operation"] for row in rows if row["verdict"] == "failed-check"}
            assert wrong == (AT_ORIGIN if rank == 0 else AT_TARGET), (window, sync)


@pytest.mark.mpi
@pytest.mark.parametrize("processes", [3, 5])
def test_others_wait(mpi: Mpi, engine: Path, tmp_path: Path, processes: int) -> None:
    """The window is of two processes; the others have none."""
    for sync in SYNCHRONISATIONS:
        expect_right_data(mpi, engine, tmp_path / "out", processes, "create", sync)


@pytest.mark.mpi
@pytest.mark.parametrize("window", WINDOWS)
def test_cold_buffers_groups_and_datatypes(mpi: Mpi, engine: Path, tmp_path: Path, window: str) -> None:
    """Every set of cold buffers is in the window; halves have a window each; a datatype has gaps at both ends."""
    for line in (["--buffers", "cold"], ["--groups", "halves"], ["--datatype", "vector:2:2:5"], ["--scheme", "loop"]):
        code, rows, err = run(mpi, engine, tmp_path / "out", 4, *words_of(window, "flush", *line))
        assert code == 0, err
        missing = {row["operation"] for row in rows if row["reps_made"] == 0}
        assert missing == (REDUCING if "--datatype" in line else set()), line


@pytest.mark.mpi
@pytest.mark.parametrize("reduction", CHOICES["reduce-op"])
def test_accumulated_numbers_are_right(mpi: Mpi, engine: Path, tmp_path: Path, reduction: str) -> None:
    for datatype in ("int", "float", "double", "auto"):
        line = words_of("allocate", "flush", "--reduce-op", reduction, "--datatype", datatype)
        code, rows, err = run(mpi, engine, tmp_path / datatype, 2, *line)
        assert code == 0, err
        assert {row["reps_made"] for row in rows} == {3}, datatype


REFUSAL = """
#include <mpi.h>
int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    (void)info;
    (void)comm;
    (void)win;
    return MPI_ERR_OTHER;
}
"""


@pytest.mark.mpi
def test_a_window_that_is_refused_is_not_supported(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """The launch goes on with the next operation."""
    source, shim, output = tmp_path / "refusal.c", tmp_path / "refusal.so", tmp_path / "out.jsonl"
    source.write_text(REFUSAL)
    subprocess.run([mpi.cc, "-shared", "-fPIC", "-o", shim, source], env=mpi.env, check=True)
    words = ["--operations", "put,get,ping-pong", *FEW_RUNS, "--rma-window", "dynamic", "--passes", "2"]
    command = mpi.launch(2, ["env", f"LD_PRELOAD={shim}", engine, "--output", output, *words])
    done = subprocess.run(command, env=mpi.env, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    for row in rows_of(read_records(output)):
        if row["operation"] == "ping-pong":
            assert row["reps_made"] > 0
        else:
            assert (row["verdict"], row["reps_made"]) == ("not-supported", 0)
            assert "makes no window of this kind" in row["reason"]


#: A link of 5 GB/s that carries what it says; one process a node.
EXACT = ("smpi/lat-factor:0:1", "smpi/bw-factor:0:1")


def times(engine: Path, folder: Path, *words: str) -> dict[tuple[str, int], dict[str, Any]]:
    """The rows by operation and size on two simulated nodes."""
    folder.mkdir()
    machine = replace(cluster(2, per_node=1), settings=EXACT)
    line = ["--operations", "one-sided", "--sizes", "0,10MiB", "--stop", "reps", "--max-reps", "2", "--min-valid", "1"]
    line += ["--batch", "2", "--warmup-reps", "1", "--max-slot-us", "1000000", "--burst", "8"]
    return {
        (row["operation"], row["bytes"]): row for row in rows_of(records_on(machine, engine, folder, *line, *words))
    }


@pytest.mark.parametrize("sync", SYNCHRONISATIONS)
def test_the_time_is_that_of_the_link(simulated_engine: Path, tmp_path: Path, sync: str) -> None:
    """Within 1 %, whatever completes the transfer; a put that is only complete at its origin takes no time there."""
    rows = times(simulated_engine, tmp_path / "out", "--rma-sync", sync)
    for name in set(ONE_SIDED) - OF_ONE_ELEMENT:
        row = rows[name, 10 << 20]
        link_ns = 0 if name in ("put", "put-burst") and sync == "flush-local" else row["bytes_moved"] / 5
        link_ns /= 2 if name == "put-burst-both-ways" else 1
        assert row["median_ns"] == pytest.approx(link_ns, rel=0.01, abs=100), name
