# SPDX-License-Identifier: BSD-3-Clause
"""Candles of a run that are damaged or lost: found, restored, and never missing from the analysis without a word."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from isochron.common.copies import copy_of
from isochron.common.files import FileError
from isochron.common.sealed import seal
from isochron.postprocess.ingest.inputs import load_inputs
from isochron.postprocess.ingest.turns import read_candles, write_candles
from isochron.schemas.run.candle import read_candle
from isochron.schemas.run.candle_files import candle_files
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import BlockState, LaunchOutcome
from isochron.workflows.driving.candles import candles_intact, restore_candles
from isochron.workflows.driving.repair import heal_files
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run
from tests.engine.candle.test_file import RECORDS, write
from tests.workflows.conftest import campaign


@pytest.fixture
def run(tmp_path: Path) -> RunLayout:
    """A planned run of two sessions, each with its launches accepted and its candle."""
    mine = campaign(replication={"design": "turns", "blocks": 6, "launches_per_block": 1})
    layout = create_run(tmp_path / "results", mine, make_plan(mine))
    for block in Plan.load(layout.plan).blocks:
        attempt = layout.attempt(block.name, 1)
        attempt.mkdir(parents=True)
        launches = [LaunchOutcome(name=launch.name, accepted=True) for launch in block.launches]
        BlockState(
            block=block.name, state="complete", attempt=1, started_at="", ended_at="", launches=launches
        ).save_sealed(attempt / "outcome.json")
        for session in sorted({launch.session for launch in block.launches}):
            name = f"{block.name}.01.{session}.candle"
            records = [{**RECORDS[0], "launch": {"name": name, "session": session}}, *RECORDS[1:]]
            raw = write(attempt / f"{name}.jsonl", records)
            layout.candles.mkdir(exist_ok=True)
            os.link(raw, layout.candle(name))
            seal(layout.candle(name))
    return layout


def table(run: RunLayout) -> list[object]:
    inputs = load_inputs(run.root)
    run.table("candles").parent.mkdir(exist_ok=True)
    write_candles(inputs)
    return list(read_candles(run).to_dict("records"))


def test_no_damage_of_a_candle_has_an_effect(run: RunLayout) -> None:
    """Cut, changed by a bit or lost: the file or its copy; in the attempt it has the same content."""
    before, plan = table(run), Plan.load(run.plan)
    assert len(before) >= 4 and candles_intact(run, plan)
    candle = sorted(run.candles.glob("*.jsonl"))[0]
    for path in (candle, copy_of(candle)):
        content = path.read_bytes()
        for left in (b"", content[:100], content.replace(b"500.5", b"500.4"), None):
            if left is None:
                path.unlink()
            else:
                path.write_bytes(left)
            assert table(run) == before
            path.write_bytes(content)
    candle.unlink()
    assert heal_files(run) == [f"{candle}: damaged or lost; restored from its copy"]
    assert read_candle(candle) and candles_intact(run, plan)


def test_a_candle_without_a_copy_is_restored_from_its_attempt(run: RunLayout) -> None:
    """As in runs of earlier versions."""
    before, plan = table(run), Plan.load(run.plan)
    candle = sorted(run.candles.glob("*.jsonl"))[0]
    content = candle.read_bytes()
    copy_of(candle).unlink()
    candle.unlink()
    assert table(run) == before and not candles_intact(run, plan)
    (line,) = restore_candles(run, plan)
    assert line.startswith(f"{candle}: damaged or lost; restored from {run.attempt('b001', 1)}")
    assert candle.read_bytes() == content and copy_of(candle).is_file() and candles_intact(run, plan)
    assert restore_candles(run, plan) == []


def test_a_candle_that_is_damaged_everywhere_is_refused_until_run_moves_it_away(run: RunLayout) -> None:
    before, plan = table(run), Plan.load(run.plan)
    candle = sorted(run.candles.glob("*.jsonl"))[0]
    copy_of(candle).unlink()
    candle.write_bytes(candle.read_bytes()[:100])  # the attempt's file is the same one
    assert not candles_intact(run, plan)
    with pytest.raises(FileError, match=r"candle\.jsonl: truncated \(no footer\)"):
        table(run)
    (line,) = restore_candles(run, plan)
    assert "its session has no candle any more" in line
    assert len(candle_files(run, plan)) == len(plan.blocks) - 1
    assert 0 < len(table(run)) < len(before) and candles_intact(run, plan)


def test_the_candle_of_an_attempt_without_accepted_launches_is_not_missed(run: RunLayout) -> None:
    plan = Plan.load(run.plan)
    candle = sorted(run.candles.glob("*.jsonl"))[0]
    outcome = run.attempt("b001", 1) / "outcome.json"
    state = BlockState.load(outcome)
    refused = [launch.model_copy(update={"accepted": False, "reason": "x"}) for launch in state.launches]
    state.model_copy(update={"launches": refused}).save_sealed(outcome)
    for path in (candle, copy_of(candle)):
        path.unlink()
    assert candles_intact(run, plan) and restore_candles(run, plan) == []
