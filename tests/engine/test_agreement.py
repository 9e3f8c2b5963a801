# SPDX-License-Identifier: BSD-3-Clause
"""What the Python side says of the engine is what the engine does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from isochron.reframe_checks.launch.command import engine_options
from isochron.schemas.engine.contract import OPERATIONS, TOPOLOGIES, cases
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.launch_file import read_launch
from tests.engine.support import Finished, read_records, rows_of

RunEngine = Callable[..., Finished]


def campaign(operations: list[str], processes: int) -> Campaign:
    return Campaign(
        name="agreement",
        stacks=["openmpi-5.0"],
        operations=operations,
        sizes=[8, 1024],
        processes=[processes],
        processes_per_node=[processes],
        # Three processes that spin take long on two cores.
        engine={"min_valid": 4, "max_valid": 8, "max_reps": 24, "threads": 1},
    )


def test_the_campaign_file_knows_every_operation_and_no_other(run_engine: RunEngine) -> None:
    listed = run_engine("--list", processes=1)
    assert listed.code == 0
    names = [line.split()[0] for line in listed.out.splitlines() if line.strip() and not line.startswith(" ")]
    assert sorted(name for name in names if name in OPERATIONS) == sorted(OPERATIONS)
    assert set(names) - set(OPERATIONS) <= {"operation", "operations", "name"}


@pytest.mark.parametrize("processes", [2, 3])
def test_the_engine_takes_what_a_campaign_says_and_measures_every_case(
    processes: int, run_engine: RunEngine, tmp_path: Path
) -> None:
    """Three processes for what takes three, two for all else."""
    asked = campaign([name for name in OPERATIONS if (name in TOPOLOGIES) == (processes == 3)], processes)
    done = run_engine(*engine_options(asked), "--output", tmp_path / "all.jsonl", processes=processes)
    assert done.code == 0, done.err
    records = read_records(tmp_path / "all.jsonl")
    measured = [(row["operation"], row["bytes"]) for row in rows_of(records)]
    assert sorted(measured) == sorted(cases(asked.operations, asked.sizes))
    effective = records[0]["options"]
    for name, value in asked.engine.model_dump(exclude_none=True).items():
        assert effective[name] == value, name
    assert read_launch(tmp_path / "all.jsonl").header.processes == processes
