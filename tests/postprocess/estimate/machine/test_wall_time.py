# SPDX-License-Identifier: BSD-3-Clause
"""What the time of a run went on: a run of two blocks whose parts are known."""

from __future__ import annotations

import pandas as pd
import pytest

from isochron.postprocess.estimate.machine.wall_time import PARTS, WALL_TIME_COLUMNS, wall_time
from isochron.postprocess.ingest.inputs import JobTime

#: Two sessions of two launches, 4 and 5 s long, in which each launch measures 1 s; and a launch of 2 s without turns.
LAUNCHES = pd.DataFrame({"launch_id": ["a", "b", "c", "d", "e"], "duration_s": [4.0, 3.5, 5.0, 4.0, 2.0]})
SLICES = pd.DataFrame(
    {"launch_id": ["a", "b", "c", "d"] * 2, "session": ["1", "1", "2", "2"] * 2, "turn_us": [0.5e6] * 8}
)


def shares(jobs: list[JobTime]) -> dict[str, float]:
    """The seconds of each part."""
    table = wall_time(LAUNCHES, SLICES, jobs)
    assert list(table.columns) == list(WALL_TIME_COLUMNS)
    assert table["share"].sum() == pytest.approx(1)
    return dict(zip(table["part"], table["seconds"], strict=True))


def test_wall_time_has_every_part_once() -> None:
    """Turns 4 of 11 s of launches, jobs of 6.5 and 7.5 s, and 3 s between them."""
    parts = shares([JobTime(100, 106.5, 6.5), JobTime(109.5, 117, 7.5)])
    assert parts == pytest.approx({"measuring": 4, "launches": 7, "jobs": 3, "between": 3})
    assert list(parts) == list(PARTS)


def test_wall_time_of_jobs_that_overlap_has_nothing_between() -> None:
    assert shares([JobTime(100, 107, 7), JobTime(101, 108, 7)]) == pytest.approx(
        {"measuring": 4, "launches": 7, "jobs": 3, "between": 0}
    )


def test_wall_time_is_empty_without_turns() -> None:
    assert not len(wall_time(LAUNCHES, SLICES.iloc[:0], [JobTime(0, 1, 1)]))
    assert not len(wall_time(LAUNCHES, SLICES, []))
