# SPDX-License-Identifier: BSD-3-Clause
"""What driving a campaign costs: (wall time - time in launches) / (time in launches), 100 launches of about 5 s.

A launch measures 29 rows with 2400 valid runs each: six times as many as a campaign's default allows at most.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.end_to_end.built import ONE, build
from tests.end_to_end.conftest import Place, assert_every_launch_is_stored_once

pytestmark = [pytest.mark.bench, pytest.mark.mpi]

#: Blocks × launches; ISOCHRON_BENCH_BLOCKS makes a shorter campaign of the same shape.
BLOCKS, LAUNCHES = int(os.environ.get("ISOCHRON_BENCH_BLOCKS", "10")), 10
DOCUMENT: dict[str, Any] = {
    **ONE,
    "operations": ["barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall", "gather", "scatter"],
    "sizes": [8, "1KiB", "64KiB", "1MiB"],
    "engine": {"stop": "reps", "max_valid": 2400, "max_reps": 9600},
    "replication": {"blocks": BLOCKS, "launches_per_block": LAUNCHES},
}


def inside(run_folder: Path) -> float:
    """Seconds from the start of each launcher to its end, over all launches."""
    total = 0.0
    for code in run_folder.glob("attempts/*/*/*.exit"):
        described = code.with_suffix(".provenance")
        total += code.stat().st_mtime - described.stat().st_mtime
    return total


def test_overhead_of_a_local_campaign(tmp_path: Path) -> None:
    place = Place(tmp_path)
    run = build(place, DOCUMENT)
    before = time.time()
    done = place.isochron("run", "mini.yaml", timeout=3600)
    after = time.time()
    assert done.returncode == 0, done.stderr
    assert_every_launch_is_stored_once(run)
    launches, count = inside(run.root), BLOCKS * LAUNCHES
    begun = min(path.stat().st_mtime for path in run.root.glob("attempts/*/*/started"))
    measured = max(path.stat().st_mtime for path in (run.root / "blocks").glob("*.json"))
    runs = int(pd.read_parquet(run.table("measurements"))["reps_made"].sum())
    print(
        f"\n{count} launches of {launches / count:.2f} s, {runs / count:.0f} runs each: {after - before:.0f} s in all, "
        f"{launches:.0f} s in launches; overhead {(after - before - launches) / launches:.1%} (asked: ≤ 10 %), "
        f"until the first launch {(begun - before) / launches:.1%}, between launches and blocks "
        f"{(measured - begun - launches) / launches:.1%}, the report {(after - measured) / launches:.1%}"
    )
