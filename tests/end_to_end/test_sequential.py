# SPDX-License-Identifier: BSD-3-Clause
"""A sequential campaign over two real MPI libraries: it stops when it is decided, also where it is killed at a look."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from isochron.schemas.run.next_blocks import InterimFile
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import RunState
from tests.end_to_end.built import build
from tests.end_to_end.conftest import MINI, Place, assert_every_launch_is_stored_once, processes_of

pytestmark = [pytest.mark.mpi, pytest.mark.slow]

#: Ranks that spin for a known time: no stack can be slower by half there.
EQUAL: dict[str, Any] = {
    **MINI,
    "operations": ["wait-pattern-up"],
    "sizes": [8],
    "replication": {"blocks": 5, "launches_per_block": 2, "sequential": True},
    "engine": {"stop": "time", "time_budget": 0.3, "max_reps": 100000},
    "analysis": {"threshold": 0.9},
}


def test_it_stops_when_it_is_decided_also_where_it_is_killed_at_the_look(tmp_path: Path) -> None:
    place = Place(tmp_path)
    run = build(place, EQUAL)
    assert (len(Plan.load(run.plan).blocks), len(Plan.load(run.plan).later)) == (4, 1)
    driver = place.start("run", "mini.yaml")
    deadline = time.monotonic() + 900
    while not run.interim.exists():
        assert driver.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    for process in processes_of(run.root, driver.pid):
        os.kill(process, signal.SIGKILL)
    driver.wait()
    looks = run.interim.read_bytes()
    done = place.isochron("run", "mini.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert run.interim.read_bytes() == looks
    assert_every_launch_is_stored_once(run)
    assert RunState.load(run.state).measured_launches == 16, "four blocks of five"
    (look,) = InterimFile.load(run.interim).analyses
    assert [each.verdict for each in look.decided] == ["equivalent"] and not look.open
    table = pd.read_csv(run.tables / "comparison.csv")
    assert table[["verdict", "decided_after", "blocks"]].to_numpy().tolist() == [["equivalent", 4, 4]]
    assert "Interim analyses decided 1 of 1 comparison" in run.report.read_text()
    assert "nothing to do" in place.isochron("run", "mini.yaml").stdout
