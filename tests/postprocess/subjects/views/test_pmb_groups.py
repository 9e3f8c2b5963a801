# SPDX-License-Identifier: BSD-3-Clause
"""Groupings in PMB's formulas: `Multi-`, active processes, and the bandwidth of one group."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from isochron.postprocess.ingest.inputs import RESULT_KEY
from isochron.postprocess.subjects.views.pmb_groups_table import groups_table

#: Processes of the launch, groups, their number, active processes.
SHAPES = [(16, "active:4", 1, 4), (32, "active:4", 1, 4), (16, "halves", 2, 16), (16, "size:5", 3, 15)]


def row(operation: str, shape: tuple[int, str, int, int]) -> dict[str, Any]:
    processes, groups, count, active = shape
    key = dict(zip(RESULT_KEY, ("s", operation, 1024, processes, 8, "packed"), strict=True))
    means = {"rank_min_us": 18.0, "rank_max_us": 22.0, "rank_avg_us": 20.0}
    return (
        key
        | means
        | {"groups": groups, "group_count": count, "active": active, "reps_made": 15}
        | {"operations_per_rep": 2}
    )


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_group_is_as_a_launch_of_its_processes(shape: tuple[int, str, int, int]) -> None:
    """Alltoall counts each process' message to each of its group."""
    processes, groups, count, active = shape
    rows = pd.DataFrame([row("alltoall", shape), row("alltoall", shape), row("bcast", shape)])
    summary = rows.drop_duplicates(RESULT_KEY)[RESULT_KEY].assign(median_us=20.0)
    other = summary.assign(processes=processes + 1, median_us=99.0)
    table = groups_table(rows, pd.concat([summary, other]), 0)
    prefix = "Multi-" if count > 1 else ""
    assert table["benchmark"].tolist() == [f"{prefix}Alltoall", f"{prefix}Bcast"]
    assert set(table["groups"]) == {groups} and set(table["group_count"]) == {count}
    assert set(table["processes"]) == {processes} and set(table["active"]) == {active}
    assert set(table["operations"]) == {30} and set(table["time_us"]) == {20.0}
    assert set(table["t_avg_us"]) == {20.0}


def test_the_bandwidth_is_that_of_a_group() -> None:
    """p² · bytes / time with the p of a group: from a launch of p processes and from a group of p in 32."""
    tables = []
    for shape in SHAPES[:2]:
        rows = pd.DataFrame([row("alltoall", shape)])
        tables.append(groups_table(rows, rows[RESULT_KEY].assign(median_us=20.0), 0))
    for table in tables:
        per_us = 16 * 1024 / 1.048576 / float(table["mib_per_s"].iloc[0])
        assert per_us == pytest.approx(20.0)
