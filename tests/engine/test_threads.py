# SPDX-License-Identifier: BSD-3-Clause
"""Operations of threads: right data in every library, what another thread received is found, levels and processors."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from isochron.schemas.engine.contract import THREADS, in_a_thread, operation
from isochron.schemas.run.binding import parse_numbers
from tests.engine.simulator import simulated_records
from tests.engine.support import LIBRARIES_BY_FEATURES, Mpi, build_engine, read_records, rows_of, wheels_stack
from tests.engine.test_operations import FEW_RUNS, run

COLLECTIVES = {"threads-comms-bcast", "threads-comms-reduce", "threads-comms-allreduce"}


def test_messages_are_on_one_communicator_or_on_one_each() -> None:
    """Collectives of several threads on one communicator would be in no order."""
    forms = {
        name: (f"threads-{name}" in THREADS, f"threads-comms-{name}" in THREADS) for name in map(in_a_thread, THREADS)
    }
    assert {name for name, (one, _) in forms.items() if not one} == set(map(in_a_thread, COLLECTIVES))
    assert all(comms for _, comms in forms.values())
    assert in_a_thread("threads-comms-bcast@indexed") == "bcast@indexed" and in_a_thread("bcast") == "bcast"


@pytest.mark.mpi
@pytest.mark.parametrize("name", LIBRARIES_BY_FEATURES)
def test_every_thread_has_right_data(name: str, tmp_path: Path) -> None:
    """One thread, and more threads than there are processors; a changed bit is found."""
    stack = wheels_stack(name)
    engine = build_engine(stack, tmp_path / "build")
    for threads, words in [("1", []), ("3", ["--passes", "2"]), ("2", ["--in-place", "--scheme", "loop"])]:
        line = ["--operations", "threads", *FEW_RUNS, "--threads", threads, *words]
        code, rows, err = run(stack, engine, tmp_path / "out", 2, *line)
        assert code == 0, err
        assert {row["operation"] for row in rows if row["reps_made"]} == (
            set(THREADS) if "--in-place" not in words else COLLECTIVES - {"threads-comms-bcast"}
        )
    found: set[str] = set()
    for rank in ("0", "1"):
        line = ["--operations", "threads", *FEW_RUNS, "--threads", "2", "--corrupt-rank", rank]
        code, rows, err = run(stack, engine, tmp_path / "out", 2, *line)
        assert code == 4, err
        for row in rows:
            if row["verdict"] == "failed-check":
                # The bit is the first of the last thread, whose elements come after those of the first.
                assert row["wrong"]["rank"] == int(rank) and row["wrong"]["element"] > 0
                found.add(row["operation"])
    assert found == set(THREADS)


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("processes", "words"),
    [
        (3, []),
        (4, ["--groups", "halves", "--rank-order", "reverse"]),
        (5, ["--groups", "active:4"]),
        (2, ["--buffers", "cold"]),
        (2, ["--datatype", "vector:2:2:5", "--alignment", "4096"]),
        (2, ["--operations-per-rep", "3", "--per-rank", "--max-volume", "10000"]),
    ],
)
def test_every_form_of_a_launch(mpi: Mpi, engine: Path, tmp_path: Path, processes: int, words: list[str]) -> None:
    line = ["--operations", "threads", *FEW_RUNS, "--threads", "2", *words]
    code, rows, err = run(mpi, engine, tmp_path / "out", processes, *line)
    assert code == 0, err
    reduces = {name for name in THREADS if operation(name).reduces}
    lacking = {row["operation"] for row in rows if row["verdict"] == "not-supported"}
    assert lacking == (reduces if "--datatype" in words else set())


@pytest.mark.mpi
def test_a_root_rotates_in_all_threads(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    words = ["--operations", "threads-comms-bcast,threads-comms-reduce", *FEW_RUNS, "--threads", "2"]
    code, rows, err = run(mpi, engine, tmp_path / "out", 3, *words, "--scheme", "rotating-root")
    assert code == 0 and len(rows) == 6, err


@pytest.mark.mpi
def test_bytes_and_messages_are_those_of_all_threads(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """Three times those of one thread, and so is the volume that ends a measurement."""
    moved: dict[str, dict[str, tuple[int, int, int]]] = {}
    for threads in ("1", "3"):
        words = [
            "--operations",
            "threads",
            "--sizes",
            "8",
            "--threads",
            threads,
            "--burst",
            "5",
            "--max-volume",
            "1200",
        ]
        words += ["--stop", "reps", "--max-reps", "60", "--min-valid", "1", "--max-valid", "60", "--scheme", "barrier"]
        code, rows, err = run(mpi, engine, tmp_path / threads, 2, *words)
        assert code == 0, err
        moved[threads] = {row["operation"]: (row["bytes_moved"], row["messages"], row["reps_made"]) for row in rows}
    for name, (moved_bytes, messages, _) in moved["1"].items():
        reps = 1200 // (3 * 8 * (5 if operation(name).bursts else 1))
        assert moved["3"][name] == (moved_bytes and 3 * moved_bytes, messages and 3 * messages, reps), name
    assert moved["1"]["threads-burst-pairs"] == (40, 5, 30) and moved["1"]["threads-comms-ping-pong"] == (16, None, 60)


#: Messages of the first thread go to the second one, and its messages to the first.
CROSSED = """
#include <mpi.h>
int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    return PMPI_Send(data, count, type, to, tag == 7 || tag == 9 ? 16 - tag : tag, comm);
}
"""
#: A library with less than MPI_THREAD_MULTIPLE.
LESS = """
#include <mpi.h>
int MPI_Init_thread(int *count, char ***words, int required, int *provided)
{
    (void)required;
    return PMPI_Init_thread(count, words, MPI_THREAD_FUNNELED, provided);
}
int MPI_Query_thread(int *provided)
{
    *provided = MPI_THREAD_FUNNELED;
    return MPI_SUCCESS;
}
"""


def records_with(
    mpi: Mpi, engine: Path, folder: Path, source: str, *words: str
) -> tuple[int, list[dict[str, Any]], str]:
    """Exit code, records and standard error of two processes, with other functions of MPI."""
    code, shim, output = folder / "shim.c", folder / "shim.so", folder / "out.jsonl"
    code.write_text(source)
    subprocess.run([mpi.cc, "-shared", "-fPIC", "-o", shim, code], env=mpi.env, check=True)
    command = mpi.launch(2, ["env", f"LD_PRELOAD={shim}", engine, "--output", output, *words])
    done = subprocess.run(command, env=mpi.env, capture_output=True, text=True, timeout=600, check=False)
    return done.returncode, read_records(output) if output.exists() else [], done.stderr


@pytest.mark.mpi
def test_what_another_thread_received_is_found(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    words = ["--operations", "threads-ping-pong", "--sizes", "8", *FEW_RUNS[2:], "--threads", "2"]
    code, records, err = records_with(mpi, engine, tmp_path, CROSSED, *words)
    assert code == 4, err
    assert [row["verdict"] for row in rows_of(records)] == ["failed-check"]


@pytest.mark.mpi
def test_less_than_multiple_is_not_supported(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """The launch goes on with the other operations, and states the level."""
    words = ["--operations", "threads,bcast", *FEW_RUNS, "--threads", "2"]
    code, records, err = records_with(mpi, engine, tmp_path, LESS, *words)
    assert code == 0, err
    assert records[0]["thread_level"] == "funneled"
    for row in rows_of(records):
        lacks = row["operation"] != "bcast"
        assert (row["verdict"] == "not-supported", row["reps_made"] == 0) == (lacks, lacks)
        assert not lacks or row["reason"] == "the MPI library does not give MPI_THREAD_MULTIPLE"


@pytest.mark.mpi
def test_the_header_has_level_and_processors(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """Threads are pinned if each can have a processor of its process alone."""
    pinned: dict[str, bool | None] = {}
    for threads in ("0", "1", "256"):
        output = tmp_path / f"{threads}.jsonl"
        words = ["--operations", "threads-ping-pong,barrier", "--sizes", "8", *FEW_RUNS[2:], "--threads", threads]
        words = words if threads != "256" else ["--operations", "barrier", *words[2:]]
        command = mpi.launch(2, [engine, "--output", output, *words])
        done = subprocess.run(command, env=mpi.env, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stderr
        header, *records = read_records(output)
        pinned[threads] = header["threads_pinned"]
        assert header["thread_level"] in (["multiple"] if threads != "0" else ["single", "funneled", "serialized"])
        verdicts = {row["operation"]: (row["verdict"], row["reason"]) for row in rows_of(records)}
        lacks = verdicts.get("threads-ping-pong") == ("not-supported", "this operation needs --threads")
        assert lacks == (threads == "0") and verdicts["barrier"][0] != "not-supported"
        if threads == "1":
            processors = [set(parse_numbers(binding["cpus"])) for binding in header["bindings"]]
            enough = len(set.union(*processors)) > 1
    assert pinned == {"0": None, "1": enough, "256": len(os.sched_getaffinity(0)) >= 512}


def test_a_simulator_has_no_threads(simulated_engine: Path, tmp_path: Path) -> None:
    words = ["--operations", "threads,bcast", "--sizes", "8", "--threads", "2"]
    header, *records = simulated_records(simulated_engine, tmp_path, 4, *words)
    assert header["thread_level"] != "multiple" and header["threads_pinned"] is False
    assert {row["operation"] for row in rows_of(records) if row["verdict"] != "not-supported"} == {"bcast"}
