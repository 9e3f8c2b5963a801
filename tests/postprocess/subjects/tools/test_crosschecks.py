# SPDX-License-Identifier: BSD-3-Clause
"""Other benchmarks beside the engine: each part of a difference is the one that was put in."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from isochron.postprocess.subjects.tools.table import TOOL_COLUMNS, crosschecks
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.plan import Plan
from isochron.workflows.planning.plan import make_plan

BLOCKS = 6
#: A block in which the machine takes so much longer.
SLOW, FACTOR = 3, 5.0
DISTURBED = "launches of the tool differ by a factor of 5.0: its mean keeps what has disturbed the machine"


def campaign(**changes: Any) -> Campaign:
    document = {
        "schema": 1, "name": "crossed", "stacks": ["intel-mpi-2021"], "stack_source": "wheels", "tools": ["imb"],
        "operations": ["barrier", "bcast"], "sizes": [8], "processes": [2], "processes_per_node": [2],
        "replication": {"blocks": BLOCKS, "launches_per_block": 1}, "site": {"cores_per_node": 4},
    }  # fmt: skip
    return Campaign.model_validate({**document, **changes})


def made(chosen: Campaign, rest: float = 1.0) -> tuple[Plan, pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Plan, printed rows, rows of the engine and summary: window 2, its mean 1.2, the imitation 1.5 µs."""
    plan = make_plan(chosen)
    row = {"stack": "intel-mpi-2021", "processes": 2, "processes_per_node": 2, "placement": "packed"}
    engine, printed = [], []
    for launch in plan.launches:
        slow = FACTOR if launch.block == SLOW else 1.0
        for operation, size in launch.cases(chosen.operations, chosen.sizes):
            case = {**row, "operation": operation, "bytes": size, "block": launch.block, "file": launch.file}
            if launch.tool:
                printed.append({
                    **case, "launch_processes": 2, "processes": 2, "tool": "IMB", "version": "2021",
                    "benchmark": operation,
                    "scheme": "loop" if operation == "barrier" else "barrier", "statistic": "mean", "min_us": 1.0,
                    "repetitions": 1000, "value_us": 1.5 * rest * slow, "max_us": 2.0,
                })  # fmt: skip
            else:
                mean = 1.5 if launch.contrast else 1.2
                engine.append({**case, "median_us": 2.0 * slow, "rank_avg_us": mean * slow})
    summary = pd.DataFrame(
        [{**row, "operation": name, "bytes": size, "median_us": 2.0, "median_low_us": 1.9, "median_high_us": 2.1,
          "rse": 0.01} for name, size in (("barrier", 0), ("bcast", 8))]
    )  # fmt: skip
    return plan, pd.DataFrame(printed), pd.DataFrame(engine), summary


def table(chosen: Campaign, rest: float = 1.0) -> pd.DataFrame:
    plan, printed, rows, summary = made(chosen, rest)
    return crosschecks(chosen, plan, printed, rows, summary)


def test_the_steps_are_ratios_within_blocks() -> None:
    found = table(campaign())
    assert list(found.columns) == list(TOOL_COLUMNS)
    assert found[["operation", "bytes"]].values.tolist() == [["barrier", 0], ["bcast", 8]]
    for row in found.to_dict("records"):
        assert (row["launches"], row["blocks"], row["tool"]) == (BLOCKS, BLOCKS, "IMB 2021")
        assert row["ratio"] == pytest.approx(0.75)
        assert row["processes_ratio"] == pytest.approx(0.6)
        assert row["start_ratio"] == pytest.approx(1.25)
        assert row["rest_ratio"] == pytest.approx(1)
        assert row["differs"] and row["reproduced"]
        assert row["tool_rse"] > 0.2, "the slow block is in the spread"
    assert found["reason"].tolist() == [
        f"E2: means of each process (×0.60); E6: a loop in place of a common start (×1.25); {DISTURBED}",
        f"E2: means of each process (×0.60); E5: MPI_Barrier in place of a common start (×1.25); {DISTURBED}",
    ]
    assert found["like"].tolist() == ["loop, mean over the processes", "mpi-barrier, mean over the processes"]


def test_what_the_imitation_does_not_reach_is_said_to_be_unexplained() -> None:
    found = table(campaign(), rest=1.5)
    assert found["differs"].all() and not found["reproduced"].any()
    assert all("not explained (×1.50)" in reason for reason in found["reason"])


def test_warm_buffers_of_the_tool_are_named_where_those_of_the_campaign_are_cold() -> None:
    chosen = campaign(engine={"buffers": "cold"})
    assert chosen.engine_of("imb-loop").buffers == "warm"
    assert table(chosen)["start_error"].tolist() == ["E6, E4", "E5, E4"]


def test_rows_that_only_some_of_the_processes_took_part_in_are_no_rows_of_the_launch() -> None:
    chosen = campaign()
    plan, printed, rows, summary = made(chosen)
    printed = printed.assign(processes=1)
    assert crosschecks(chosen, plan, printed, rows, summary).empty


def test_without_a_launch_of_the_tool_there_is_no_row() -> None:
    chosen = campaign()
    plan, printed, rows, summary = made(chosen)
    assert crosschecks(chosen, plan, printed.iloc[:0], rows, summary).empty
