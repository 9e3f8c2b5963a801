# SPDX-License-Identifier: BSD-3-Clause
"""The engine on simulated machines: exact wait patterns, checked data, and the same answer twice."""

from pathlib import Path

import pytest

from tests.engine.simulator import simulate, simulated_records
from tests.engine.support import rows_of


def test_wait_patterns_are_exact(simulated_engine: Path, tmp_path: Path) -> None:
    """16 processes: 16 us up and down, 0 us null, to a few readings of the simulated timer (10 ns each)."""
    records = simulated_records(simulated_engine, tmp_path, 16, "--operations", "wait-patterns")
    assert records[0]["simulated"] is True
    times = {row["operation"]: row["median_ns"] for row in rows_of(records)}
    assert times["wait-pattern-up"] == pytest.approx(16000, abs=50)
    assert times["wait-pattern-down"] == pytest.approx(16000, abs=50)
    assert times["wait-pattern-null"] == pytest.approx(0, abs=50)
    assert {row["verdict"] for row in rows_of(records)} == {"ok"}


@pytest.mark.parametrize(
    "sync", ["ring", "hca3", *(pytest.param(sync, marks=pytest.mark.slow) for sync in ("linear", "tree", "jk"))]
)
def test_all_operations(simulated_engine: Path, tmp_path: Path, sync: str) -> None:
    """16 processes on 4 hosts: right data, steady times, clocks within their bounds."""
    words = ["--operations", "blocking,wait-patterns", "--sizes", "8,4KiB", "--check", "--clock-sync", sync]
    records = simulated_records(simulated_engine, tmp_path, 16, *words, "--expect-hosts", "4")
    rows = rows_of(records)
    assert len(rows) == 16 * 2 + 4
    assert {row["verdict"] for row in rows} == {"ok"}
    before = records[1]
    for error, bound, error_bound in zip(before["error_ns"], before["bound_ns"], before["error_bound_ns"], strict=True):
        assert abs(error) <= bound + error_bound
    assert len(records[0]["hosts"]) == 4


def test_two_simulations_agree(simulated_engine: Path, tmp_path: Path) -> None:
    """A simulation has no noise: the same run gives the same raw times."""
    times = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        rows = rows_of(simulated_records(simulated_engine, folder, 8, "--operations", "bcast", "--sizes", "8,1KiB"))
        times.append([row["time_ns"] for row in rows])
    assert times[0] == times[1]


def test_tsc_is_refused(simulated_engine: Path, tmp_path: Path) -> None:
    """The time stamp counter is that of the host, not of the simulated machine."""
    done = simulate(simulated_engine, tmp_path, 2, "--output", "out.jsonl", "--operations", "barrier", "--timer", "tsc")
    assert done.returncode == 3 and "simulated" in done.stderr
    assert not (tmp_path / "out.jsonl").exists()
