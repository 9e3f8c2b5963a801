# SPDX-License-Identifier: BSD-3-Clause
"""How far a run is. The time left follows the launches that have ended, weighed by what was planned for each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isochron.workflows.cli.main import main
from isochron.workflows.driving import progress
from isochron.workflows.driving.progress import TimeLeft
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run
from tests.workflows.conftest import campaign


def test_time_left_weighs_launches_by_their_planned_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    left = TimeLeft(planned=1000.0, before=10.0)
    assert left.seconds(10.0) == 990.0  # nothing known but the plan
    assert left.seconds(20.0) == 980.0  # the first launch that ends starts the clock
    now = 120.0
    prior = progress.PRIOR * 1000.0
    assert left.seconds(30.0) == 970.0 * (20.0 + prior) / (10.0 + prior)  # ten planned seconds took twenty
    now = 2100.0
    assert left.seconds(990.0) == pytest.approx(10.0 * 2.0, rel=0.05)  # in the end the plan's pace hardly counts
    assert left.seconds(1000.0) == 0.0


def test_the_status_counts_what_the_block_under_way_has_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first attempt is attempt 1, though a lock lies beside it; what was refused counts no more."""
    plan = make_plan(campaign())
    run = create_run(tmp_path, campaign(), plan)
    block = plan.blocks[0]
    attempt = run.attempts(block.name) / "01"
    attempt.mkdir(parents=True)
    (run.attempts(block.name) / "lock").touch()
    (attempt / f"{block.launches[0].name}.jsonl").touch()
    said = {}
    for moment in ("under way", "ended"):
        assert main(["status", str(run.root), "--format", "json"]) == 0
        (said[moment], *_) = json.loads(capsys.readouterr().out)
        (attempt / "outcome.json").touch()
    assert (said["under way"]["state"], said["under way"]["launches"]) == ("attempt 1", 1)
    assert said["ended"]["launches"] == 0
