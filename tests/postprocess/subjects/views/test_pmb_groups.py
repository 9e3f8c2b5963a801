# SPDX-License-Identifier: BSD-3-Clause
"""Groupings in PMB's formulas: `Multi-`, active processes, and the bandwidth of one group; the campaign `pmb`."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from isochron.common.resources import shipped
from isochron.postprocess.ingest.inputs import RESULT_KEY
from isochron.postprocess.subjects.views.pmb_groups_table import groups_table
from isochron.postprocess.subjects.views.pmb_msu_table import repetitions
from isochron.schemas.engine.groups import smallest_group
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.planning.estimate import within_volume

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


def test_groups_of_one_process_are_left_out() -> None:
    """Halves of two processes send no message; halves of four do."""
    shapes = [(2, "halves", 2, 2), (4, "halves", 2, 4), (3, "strided:2", 2, 3)]
    rows = pd.DataFrame([row("bcast", shape) for shape in shapes])
    summary = rows[RESULT_KEY].drop_duplicates().assign(median_us=20.0)
    assert groups_table(rows, summary, 0)["processes"].tolist() == [4]
    assert groups_table(rows.head(1), summary, 0).empty


def test_the_campaign_makes_as_many_operations_as_pmb_and_no_group_of_one() -> None:
    """1000 of a size, fewer where 40 MiB are reached; in loops as many; published numbers stand beside each stack."""
    campaign = load_campaign(shipped("workflows", "campaigns", "pmb.yaml"))
    assert campaign.engine.stop == "reps"
    for size in campaign.sizes:
        engine = within_volume(campaign.engine, "bcast", size, 4)
        assert engine.max_reps == engine.max_valid == repetitions(size)
    for name in ("loop", "rotating-root"):
        engine = campaign.engine_of(name)
        assert (engine.scheme, engine.max_reps * engine.batch) == (name, 1000)
    for processes in campaign.processes:
        assert all((smallest_group(groups, processes) or 0) >= 2 for groups in campaign.groups)
    assert [entry.reference for entry in campaign.analysis.compare_with] == ["ekss-pmb-transfers", "ekss-pmb-barrier"]
    assert all(set(entry.stacks) == set(campaign.stacks) for entry in campaign.analysis.compare_with)
