# SPDX-License-Identifier: BSD-3-Clause
"""What each scheme measures of operations whose time is known."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tests.engine.simulator import cluster, records_on, simulated_records, two_sites
from tests.engine.support import read_records, rows_of

SCHEMES = ["window", "round-time", "barrier", "mpi-barrier", "loop", "rotating-root"]


def rank_times(row: dict[str, Any]) -> list[float]:
    """The median over the runs of what each rank itself has measured for one operation, in ns."""
    times = row["per_rank"]
    return [
        median((end - start) / row["operations_per_rep"] for start, end in zip(starts, ends, strict=True))
        for starts, ends in zip(times["start_ns"], times["end_ns"], strict=True)
    ]


def wait_patterns_are_exact(engine: Path, folder: Path, processes: int) -> None:
    """n us up and down, 0 us null, to a few readings of the simulated timer (10 ns each)."""
    words = ["--operations", "wait-patterns", "--clock-sync", "tree", "--max-valid", "10", "--max-reps", "10"]
    records = records_on(cluster(processes), engine, folder, *words, timeout=1500)
    times = {row["operation"]: row["median_ns"] for row in rows_of(records)}
    print(f"| {processes} |", " | ".join(f"{time:.0f}" for time in times.values()), "|")
    assert times["wait-pattern-up"] == pytest.approx(1000 * processes, abs=50)
    assert times["wait-pattern-down"] == pytest.approx(1000 * processes, abs=50)
    assert times["wait-pattern-null"] == pytest.approx(0, abs=50)
    assert {row["verdict"] for row in rows_of(records)} == {"ok"}


@pytest.mark.parametrize("processes", [2, 3, 16, 64])
def test_wait_patterns(simulated_engine: Path, tmp_path: Path, processes: int) -> None:
    wait_patterns_are_exact(simulated_engine, tmp_path, processes)


@pytest.mark.slow
@pytest.mark.parametrize("processes", [4, 8, 32, 128, 256, 512, 1024])
def test_wait_patterns_at_scale(simulated_engine: Path, tmp_path: Path, processes: int) -> None:
    wait_patterns_are_exact(simulated_engine, tmp_path, processes)


SHAPES = [(4, 4), (13, 5), *(pytest.param(*shape, marks=pytest.mark.slow) for shape in ((4, 16), (8, 8)))]


@pytest.mark.parametrize(("processes", "loop"), SHAPES)
def test_the_loop_measures_what_the_window_does_not(
    simulated_engine: Path, tmp_path: Path, processes: int, loop: int
) -> None:
    """A linear broadcast: T_i / t_i = ((n - 1)(k - 1) + i) / (i k) in the loop, 1 in the window (Kurnosov 2012, E6)."""
    words = ["--operations", "test-linear-bcast", "--sizes", "1MiB", "--per-rank", "--batch", str(loop), "--check"]
    words += ["--stop", "reps", "--min-valid", "4", "--max-valid", "8", "--max-reps", "40"]
    times = {}
    for scheme in ("window", "loop", "round-time", "barrier"):
        (tmp_path / scheme).mkdir()
        spread = cluster(processes, per_node=1)
        (row,) = rows_of(records_on(spread, simulated_engine, tmp_path / scheme, *words, "--scheme", scheme))
        assert row["verdict"] == "ok"
        times[scheme] = rank_times(row)
    step = times["window"][0] / (processes - 1)
    for rank in range(1, processes):
        assert times["window"][rank] / (rank * step) == pytest.approx(1, rel=0.005)
        assert times["round-time"][rank] / (rank * step) == pytest.approx(1, rel=0.005)
        expected = ((processes - 1) * (loop - 1) + rank) / (rank * loop)
        found = times["loop"][rank] / times["window"][rank]
        print(f"| {processes} | {loop} | {rank} | {expected:.3f} | {found:.3f} |")
        assert found == pytest.approx(expected, rel=0.02)
    assert times["loop"][0] / times["window"][0] == pytest.approx(1, rel=0.02)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_measures(simulated_engine: Path, tmp_path: Path, scheme: str) -> None:
    """Right data, positive times, and slots only where the scheme has them."""
    rooted = "bcast,gatherv,scatter,reduce"
    operations = rooted if scheme == "rotating-root" else f"{rooted},barrier,alltoallw,exscan,wait-patterns"
    words = ["--operations", operations, "--sizes", "8,64KiB", "--check", "--stop", "reps", "--max-valid", "10"]
    rows = rows_of(simulated_records(simulated_engine, tmp_path, 8, *words, "--scheme", scheme))
    assert len(rows) >= 8
    for row in rows:
        assert row["scheme"] == scheme
        assert row["verdict"] in ("ok", "timer-limited"), row
        assert row["operations_per_rep"] == (8 if "loop" in scheme or "rotating" in scheme else 1)
        assert (row["slot_ns"] > 0) == (scheme == "window")
        assert min(row["time_ns"]) >= 0
        assert row["invalid"]["overrun"] == 0 or scheme == "window"


def test_round_time_stops_by_its_budget(simulated_engine: Path, tmp_path: Path) -> None:
    """Unless another stop rule is asked for."""
    words = ["--operations", "barrier", "--scheme", "round-time", "--time-budget", "0.01"]
    records = simulated_records(simulated_engine, tmp_path, 8, *words)
    assert records[0]["options"]["stop"] == "time"
    (row,) = rows_of(records)
    assert row["reps_made"] > 100
    assert row["reps_valid"] == row["reps_made"]


def test_a_barrier_is_no_synchronised_start(simulated_engine: Path, tmp_path: Path) -> None:
    """Processes leave a barrier at different times, and start at one time by the clock (errors E5)."""
    skews = {}
    for scheme in ("window", "round-time", "barrier"):
        (tmp_path / scheme).mkdir()
        words = ["--operations", "allreduce", "--sizes", "8", "--scheme", scheme, "--stop", "reps", "--max-valid", "20"]
        (row,) = rows_of(simulated_records(simulated_engine, tmp_path / scheme, 13, *words))
        skews[scheme] = row["start_skew_ns"]
    assert skews["window"] <= 20 and skews["round-time"] <= 20
    assert skews["barrier"] > 500


#: Light needs 2.28 ms from one site to the other.
LIGHT_MS = 2.28
BLOCK = [f"{site}{node}" for site in "ab" for node in range(8)]
ALTERNATING = [f"{site}{node}" for node in range(8) for site in "ab"]


def two_site_bcast(engine: Path, folder: Path, hosts: list[str], eager: int, *words: str) -> float:
    """Median of a broadcast of 8 bytes over two sites, in ms."""
    folder.mkdir(exist_ok=True)
    machine = two_sites(hosts, LIGHT_MS, eager)
    words = ("--operations", "bcast", "--sizes", "8", "--max-slot-us", "100000", "--batch", "64", *words)
    (row,) = rows_of(records_on(machine, engine, folder, *words))
    assert row["reps_valid"] >= 10
    return float(row["median_ns"]) / 1e6


def test_two_sites(simulated_engine: Path, tmp_path: Path) -> None:
    """A rotating root reads less than light allows, in block order with eager sends; no other way does."""
    found = {}
    for name, hosts in (("block", BLOCK), ("alternating", ALTERNATING)):
        for eager in (65536, 0):
            for scheme in ("rotating-root", "window", "round-time"):
                folder = tmp_path / f"{name}-{eager}-{scheme}"
                time = two_site_bcast(simulated_engine, folder, hosts, eager, "--scheme", scheme)
                found[name, eager, scheme] = time
                print(f"| {name} | {'eager' if eager else 'rendezvous'} | {scheme} | {time:.3f} |")
    assert found.pop(("block", 65536, "rotating-root")) < 0.25 * LIGHT_MS
    assert min(found.values()) >= LIGHT_MS


@pytest.mark.mpi
@pytest.mark.parametrize("scheme", ["round-time", "barrier", "mpi-barrier", "loop"])
def test_on_a_real_library(run_engine: Any, tmp_path: Path, scheme: str) -> None:
    """All schemes run on a real machine, on right data."""
    words = ["--operations", "bcast,allreduce,barrier", "--sizes", "1KiB", "--check", "--time-budget", "0.02"]
    done = run_engine(*words, "--stop", "time", "--scheme", scheme, "--output", "out.jsonl")
    assert done.code == 0, done.err
    for row in rows_of(read_records(tmp_path / "out.jsonl")):
        assert row["scheme"] == scheme and row["reps_made"] > 0
