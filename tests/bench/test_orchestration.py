# SPDX-License-Identifier: BSD-3-Clause
"""What driving a campaign costs: (wall time - time in launches) / (time in launches), 100 launches of 5 s."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.end_to_end.built import ONE, build
from tests.end_to_end.conftest import Place, assert_every_launch_is_stored_once

pytestmark = [pytest.mark.bench, pytest.mark.mpi]

#: Blocks × launches; ISOCHRON_BENCH_BLOCKS makes a shorter campaign of the same shape.
BLOCKS, LAUNCHES = int(os.environ.get("ISOCHRON_BENCH_BLOCKS", "10")), 10
#: Seconds of measuring in a launch; with its start and its clocks it takes about 5.
MEASURING = 4.0


def inside(run_folder: Path) -> float:
    """Seconds from the start of each launcher to its end, over all launches."""
    total = 0.0
    for code in run_folder.glob("attempts/*/*/*.exit"):
        described = code.with_suffix(".provenance")
        total += code.stat().st_mtime - described.stat().st_mtime
    return total


def test_overhead_of_a_local_campaign(tmp_path: Path) -> None:
    place = Place(tmp_path)
    engine = {"stop": "time", "time_budget": MEASURING, "max_runs": 200_000, "max_slot_us": 1000}
    document = {
        **ONE,
        "engine": engine,
        "repetition": {"blocks": BLOCKS, "launches_per_block": LAUNCHES},
    }
    run = build(place, document)
    before = time.time()
    done = place.isochron("run", "mini.yaml", timeout=3600)
    wall = time.time() - before
    assert done.returncode == 0, done.stderr
    assert_every_launch_is_stored_once(run)
    launches = inside(run.root)
    count = BLOCKS * LAUNCHES
    finished = max(path.stat().st_mtime for path in (run.root / "blocks").glob("*.json"))
    print(
        f"\n{count} launches of {launches / count:.2f} s: {wall:.0f} s in all, {launches:.0f} s in launches; "
        f"overhead {(wall - launches) / launches:.1%} (asked: ≤ 10 %), "
        f"of which the report {(before + wall - finished) / launches:.1%}"
    )
