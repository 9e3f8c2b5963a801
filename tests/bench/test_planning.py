# SPDX-License-Identifier: BSD-3-Clause
"""What planning costs: time and memory of `isochron plan` for 10,000 points."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.bench

#: 100 process counts × 100 counts of processes per node, two stacks.
LARGE = {
    "schema": 1,
    "name": "large",
    "stacks": ["openmpi-5.0", "mpich-5.0"],
    "operations": ["barrier", "allreduce", "alltoall"],
    "sizes": [8, "64KiB"],
    "processes": [256 * count for count in range(1, 101)],
    "processes_per_node": list(range(1, 101)),
    "replication": {"blocks": 5, "launches_per_block": 1},
    "site": {"nodes": 100_000, "cores_per_node": 256},
}


@pytest.mark.parametrize("style", ["table", "csv"])
def test_ten_thousand_points(tmp_path: Path, style: str) -> None:
    (tmp_path / "large.yaml").write_text(yaml.safe_dump(LARGE))
    before = time.perf_counter()
    with (tmp_path / "out").open("w") as out:
        command = [sys.executable, "-m", "isochron", "plan", "large.yaml", "--format", style]
        child = subprocess.Popen(command, cwd=tmp_path, stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - before
    assert os.waitstatus_to_exitcode(status) == 0
    assert sum(1 for _ in (tmp_path / "out").open()) > 10_000
    print(
        f"\nplan of 10,000 points as {style}: {seconds:.1f} s elapsed (asked: < 10), "
        f"{usage.ru_utime + usage.ru_stime:.1f} s of processor time, {usage.ru_maxrss / 1024:.0f} MiB (asked: < 500)"
    )
