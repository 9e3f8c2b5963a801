# SPDX-License-Identifier: BSD-3-Clause
"""The engine's self-checks: waits of known length must read as what they are, and what it adds itself is measured."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.simulator import cluster, records_on
from tests.engine.support import Finished, read_records, rows_of

Run = Callable[..., Finished]
Records = list[dict[str, Any]]

TRUE_NS = {"wait-pattern-up": 2000.0, "wait-pattern-down": 2000.0, "wait-pattern-null": 0.0}
#: A simulated reading of the clock takes so long (tests/engine/simulator.py), and a time is rounded by so much.
READING_NS, ROUNDED_NS = 10, 2


def overhead_of(records: Records) -> dict[str, Any]:
    """What the engine adds, as the launch says: one record, before the footer."""
    (found,) = [record for record in records if record["record"] == "overhead"]
    assert records[-2] == found
    return found


def times_of(records: Records) -> dict[str, float]:
    return {row["operation"]: row["median_ns"] for row in rows_of(records)}


@pytest.mark.mpi
@pytest.mark.parametrize("timer", ["clock-gettime", "tsc", "mpi-wtime"])
def test_two_processes(run_engine: Run, tmp_path: Path, timer: str) -> None:
    """The median is too long by what the engine adds to a run, and by the two readings that a wait needs itself."""
    done = run_engine("--operations", "wait-patterns", "--timer", timer, "--output", "out.jsonl")
    if timer == "tsc" and done.code == 3:
        pytest.skip(done.complaints[0])
    assert done.code == 0, done.err
    records = read_records(tmp_path / "out.jsonl")
    added_ns = max(overhead_of(records)["time_ns"])
    reading_ns = records[0]["timer"]["resolution_ns"] + records[0]["timer"]["cost_ns"]
    rows = rows_of(records)
    assert [row["operation"] for row in rows] == list(TRUE_NS)
    for row in rows:
        if row["verdict"] == "too-few-valid":
            pytest.skip(f"the machine is too busy: {row['reason']}")
        bound = added_ns + 2 * reading_ns + row["start_skew_ns"] + row["clock_error_ns"]
        print(f"{row['operation']}: {row['median_ns']} ns, true {TRUE_NS[row['operation']]} ns, bound {bound} ns")
        assert abs(row["median_ns"] - TRUE_NS[row["operation"]]) <= bound
        assert row["verdict"] not in ("timer-limited", "failed-check")


@pytest.mark.mpi
def test_a_slow_timer_is_found(run_engine: Run, tmp_path: Path) -> None:
    """Every run holds one reading; starts are apart by a reading at most, where nobody is late."""
    words = ["--operations", "barrier,bcast", "--sizes", "8", "--passes", "4", "--stop", "reps", "--max-valid", "40"]
    done = run_engine(*words, "--max-reps", "80", "--test-clock", "reading-ns=5000", "--output", "out.jsonl")
    assert done.code == 0, done.err
    records = read_records(tmp_path / "out.jsonl")
    found = overhead_of(records)
    assert sum(found["pass_reps"]) == found["reps_made"] > 0
    # A pass whose starts are late on a busy machine makes more than its share, which later passes then lack.
    assert len(found["pass_reps"]) == 4 or found["reps_valid"] < found["reps_made"]
    assert min(found["from_last_ns"]) >= 5000 and found["from_last_median_ns"] <= found["median_ns"]
    assert all(most >= least for most, least in zip(found["time_ns"], found["from_last_ns"], strict=True))
    assert min(min(row["time_ns"]) for row in rows_of(records)) >= 5000


def test_what_the_engine_adds_is_the_same_in_every_time(simulated_engine: Path, tmp_path: Path) -> None:
    """However long a reading takes: the time less what the engine adds is that of a barrier, and of a wait."""
    barriers = []
    for slower_ns in (0, 500, 2000):
        folder = tmp_path / str(slower_ns)
        folder.mkdir()
        words = ["--operations", "barrier,wait-patterns", "--clock-sync", "tree", "--stop", "reps", "--max-reps", "16"]
        slow = ["--test-clock", f"reading-ns={slower_ns}"] if slower_ns else []
        records = records_on(cluster(3), simulated_engine, folder, *words, *slow)
        found, times = overhead_of(records), times_of(records)
        reading_ns = READING_NS + slower_ns
        assert found["median_ns"] == pytest.approx(reading_ns, abs=ROUNDED_NS)
        assert found["from_last_median_ns"] == pytest.approx(reading_ns, abs=ROUNDED_NS)
        for pattern in ("wait-pattern-up", "wait-pattern-down"):  # its own: when it begins, and when it is over
            assert times[pattern] - found["median_ns"] == pytest.approx(3000 + 2 * reading_ns, abs=ROUNDED_NS)
        assert times["wait-pattern-null"] == pytest.approx(found["median_ns"], abs=ROUNDED_NS)
        barriers.append(times["barrier"] - found["median_ns"])
    assert barriers == pytest.approx([barriers[0]] * 3, abs=ROUNDED_NS) and barriers[0] > 1000


def test_several_operations_in_a_run_share_it(simulated_engine: Path, tmp_path: Path) -> None:
    """In every scheme with starts of its own: ten operations are ten times one, and one reading longer."""
    words = ["--operations", "barrier,bcast", "--sizes", "8", "--stop", "reps", "--max-reps", "16"]
    words += ["--per-rank", "--check"]
    for scheme in ("window", "round-time", "barrier", "mpi-barrier"):
        barriers = []
        for count in (1, 10):
            folder = tmp_path / f"{scheme}{count}"
            folder.mkdir()
            several = ["--scheme", scheme, "--operations-per-rep", str(count)]
            records = records_on(cluster(2), simulated_engine, folder, *words, *several)
            added_ns = overhead_of(records)["from_last_median_ns"]
            assert added_ns == pytest.approx(READING_NS / count, abs=ROUNDED_NS)
            for row in rows_of(records):
                assert (row["verdict"], row["operations_per_rep"]) == ("ok", count)
                assert row["per_rank"]["operations_ns"] is None and row["reps_valid"] == row["reps_made"]
                assert (row["slot_ns"] > count * row["median_ns"]) == (scheme == "window")
            barriers.append(times_of(records)["barrier"] - added_ns)
        if "barrier" not in scheme:  # who leaves it first starts first
            assert barriers[1] == pytest.approx(barriers[0], abs=ROUNDED_NS)
