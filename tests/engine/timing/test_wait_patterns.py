# SPDX-License-Identifier: BSD-3-Clause
"""The engine's self-checks: waits of known length must read as what they are."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.support import Finished, read_records, rows_of

pytestmark = pytest.mark.mpi

Run = Callable[..., Finished]

TRUE_NS = {"wait-pattern-up": 2000.0, "wait-pattern-down": 2000.0, "wait-pattern-null": 0.0}


@pytest.mark.parametrize("timer", ["clock-gettime", "tsc", "mpi-wtime"])
def test_two_processes(run_engine: Run, tmp_path: Path, timer: str) -> None:
    """The median is off by no more than the record's own bounds: overhead, start skew and clock."""
    done = run_engine("--operations", "wait-patterns", "--timer", timer, "--output", "out.jsonl")
    if timer == "tsc" and done.code == 3:
        pytest.skip(done.complaints[0])
    assert done.code == 0, done.err
    rows = rows_of(read_records(tmp_path / "out.jsonl"))
    assert [row["operation"] for row in rows] == list(TRUE_NS)
    for row in rows:
        if row["verdict"] == "too-few-valid":
            pytest.skip(f"the machine is too busy: {row['reason']}")
        bound = row["overhead_ns"] + row["start_skew_ns"] + row["clock_error_ns"]
        print(f"{row['operation']}: {row['median_ns']} ns, true {TRUE_NS[row['operation']]} ns, bound {bound} ns")
        assert abs(row["median_ns"] - TRUE_NS[row["operation"]]) <= bound
        assert row["verdict"] not in ("timer-limited", "failed-check")
