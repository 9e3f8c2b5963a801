# SPDX-License-Identifier: BSD-3-Clause
"""The turns of a launch in its raw file: read as the engine writes them, refused where they contradict themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from isochron.common.files import FileError
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.schemas.run.launch_file import LaunchFile, read_launch
from tests.postprocess.ingest.test_launch_file import first, records
from tests.postprocess.synthetic import whole

PLAN = {"index": 1, "residents": 2, "seed": 3, "rounds": 2, "cases": 1, "limit_ns": 10**10}
COLUMNS: dict[str, Any] = {
    "pass": [0, 1], "case": [0, 0], "position": [1, 0], "t_ns": [100, 300], "turn_ns": [50, 50],
    "waited_ns": [20, 150], "slept_cpu_ns": [1, 1], "handover_ns": [2, 2], "warmup_reps": [8, 12],
}  # fmt: skip
TURNS: dict[str, Any] = {
    "record": "turns", "operations": ["bcast"], "bytes": [8], **COLUMNS,
    "lost": [{"resident": 0, "reason": "died"}], "solo": None,
}  # fmt: skip


def read(run: RunInputs, plan: dict[str, Any] | None, *added: dict[str, Any]) -> LaunchFile:
    """The file of a launch with that plan and further records."""
    path: Path = first(run)
    header, *others = records(path)
    path.write_bytes(whole([{**header, "turns": plan}, *others, *added]))
    return read_launch(path)


def test_turns_and_passes_alone_are_read(small: RunInputs) -> None:
    """What was measured alone is no result of the launch."""
    row = records(first(small))[3]
    found = read(small, PLAN, {**row, "record": "solo_measurement"}, {**TURNS, "solo": {**COLUMNS, "company": [0]}})
    assert found.turns is not None and found.turns.ends_ns == [150, 350] and found.turns.lost[0].reason == "died"
    assert found.turns.solo is not None and found.turns.solo.company == [0]
    assert [each.operation for each in found.solo] == [row["operation"]]
    assert len(found.measurements) == len(small.cases)


@pytest.mark.parametrize(
    ("plan", "turns", "said"),
    [
        (PLAN, None, "turns: None cases, but the header says 2"),
        (None, TURNS, "turns: 2 cases, but the header says None"),
        ({**PLAN, "rounds": 3}, TURNS, "turns: 2 cases, but the header says 3"),
        ({**PLAN, "index": 2}, TURNS, "index: 2 of 2 residents"),
        (PLAN, {**TURNS, "t_ns": [100]}, "the columns of the turns differ in length"),
        (PLAN, {**TURNS, "t_ns": [100, 149]}, "a turn begins before the previous one has ended"),
        (PLAN, {**TURNS, "case": [0, 1]}, "case: there are 1 cases"),
        (PLAN, {**TURNS, "solo": {**COLUMNS, "case": [0, 1], "company": []}}, "case: there are 1 cases"),
        (PLAN, {**TURNS, "bytes": []}, "operations, bytes: differ in length"),
        (PLAN, {**TURNS, "lost": [{"resident": 0, "reason": "bored"}]}, "reason"),
    ],
)
def test_turns_that_contradict_themselves(
    small: RunInputs, plan: dict[str, Any] | None, turns: dict[str, Any] | None, said: str
) -> None:
    with pytest.raises(FileError, match=said):
        read(small, plan, *([turns] if turns else []))


def test_a_bad_measurement_alone_is_refused(small: RunInputs) -> None:
    solo = {**records(first(small))[3], "record": "solo_measurement", "valid": [True]}
    with pytest.raises(FileError, match="the numbers must be equal"):
        read(small, PLAN, solo, TURNS)


def test_one_record_of_turns(small: RunInputs) -> None:
    with pytest.raises(FileError, match="more than one header, overhead, turns or footer"):
        read(small, PLAN, TURNS, TURNS)
