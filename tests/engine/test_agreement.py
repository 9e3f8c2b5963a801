# SPDX-License-Identifier: BSD-3-Clause
"""What the Python side says of the engine is what the engine does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from isochron.reframe_checks.launch.command import engine_options
from isochron.schemas.engine.operations import OPERATIONS, cases
from isochron.schemas.engine.options import EngineOptions
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.launch_file import read_launch
from tests.engine.support import Finished, read_records, rows_of

RunEngine = Callable[..., Finished]


def campaign(operations: list[str]) -> Campaign:
    return Campaign(
        name="agreement",
        stacks=["openmpi-5.0"],
        operations=operations,
        sizes=[8, 1024],
        processes=[2],
        processes_per_node=[2],
    )


def test_the_campaign_file_knows_every_operation_and_no_other(run_engine: RunEngine) -> None:
    listed = run_engine("--list", processes=1)
    assert listed.code == 0
    names = [line.split()[0] for line in listed.out.splitlines() if line.strip() and not line.startswith(" ")]
    assert sorted(name for name in names if name in OPERATIONS) == sorted(OPERATIONS)
    assert set(names) - set(OPERATIONS) <= {"operation", "operations", "name"}


def test_the_engine_takes_what_a_campaign_says_and_measures_every_case(run_engine: RunEngine, tmp_path: Path) -> None:
    asked = campaign(list(OPERATIONS))
    done = run_engine(*engine_options(asked), "--output", tmp_path / "all.jsonl")
    assert done.code == 0, done.err
    records = read_records(tmp_path / "all.jsonl")
    measured = [(row["operation"], row["bytes"]) for row in rows_of(records)]
    assert sorted(measured) == sorted(cases(asked.operations, asked.sizes))
    effective = records[0]["options"]
    for name, value in EngineOptions().model_dump(exclude_none=True).items():
        assert effective[name] == value, name
    assert read_launch(tmp_path / "all.jsonl").header.processes == 2
