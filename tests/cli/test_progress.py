# SPDX-License-Identifier: BSD-3-Clause
"""The time left follows the launches that have ended, weighed by what was planned for each."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from isochron.cli.main import main
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import BlockState, LaunchOutcome
from isochron.workflows.driving import progress
from isochron.workflows.driving.progress import Display, TimeLeft, read_progress
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


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_line_fits_the_terminal(width: int, tmp_path: Path) -> None:
    plan = make_plan(campaign(replication={"blocks": 100, "launches_per_block": 2}))
    run = create_run(tmp_path, campaign(), plan)
    for launch in {launch.stack: launch for launch in plan.launches}.values():
        run.manifest(launch.stack).parent.mkdir(parents=True, exist_ok=True)
        run.manifest(launch.stack).touch()
    text = io.StringIO()
    console = Console(file=text, width=width, force_terminal=True, color_system=None, legacy_windows=False)
    with Display(run, plan, console, quiet=False) as display:
        display.refresh()
    lines = [line for line in text.getvalue().replace("\r", "\n").splitlines() if "block 1" in line]
    assert lines
    assert all("of 200" in line and f"0/{len(plan.launches)}" in line and "left" in line for line in lines), lines


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_line_says_what_is_installed_or_built(width: int, tmp_path: Path) -> None:
    plan = make_plan(campaign())
    run = create_run(tmp_path, campaign(), plan)
    total = len({launch.stack for launch in plan.launches})
    text = io.StringIO()
    console = Console(file=text, width=width, force_terminal=width < 120, color_system=None, legacy_windows=False)
    with Display(run, plan, console, quiet=False) as display:
        display.refresh()
        step = run.build_step(plan.launches[0].stack)
        step.parent.mkdir(parents=True)
        step.write_text("installing a-1\n")
        display.refresh()
    said = text.getvalue()
    assert f"0 of {total} done: installing a-1" in said
    assert "left" not in said, "builds are not estimated"


def end_attempt(run: RunLayout, number: int, reasons: list[str]) -> None:
    """End an attempt at the first block; an empty reason is a launch that was accepted."""
    launches = [
        LaunchOutcome(name=f"launch-{index}", accepted=not reason, reason=reason)
        for index, reason in enumerate(reasons)
    ]
    state = "failed" if any(reasons) else "complete"
    BlockState(
        block="b001", state=state, attempt=number, started_at="", ended_at="", launches=launches, reason=""
    ).save(run.attempt("b001", number) / "outcome.json")


@pytest.mark.parametrize("terminal", [True, False])
def test_an_attempt_that_was_given_up_is_told_once_with_its_reasons(terminal: bool, tmp_path: Path) -> None:
    plan = make_plan(campaign())
    run = create_run(tmp_path, campaign(), plan)
    end_attempt(run, 1, ["exit code 5"])  # in an earlier call
    text = io.StringIO()
    console = Console(file=text, width=80, force_terminal=terminal, color_system=None, legacy_windows=False)
    late = "exit code 124 (not finished within limits.launch_seconds)"
    with Display(run, plan, console, quiet=False) as display:
        display.refresh()
        end_attempt(run, 2, ["", late, late, "killed"])
        display.refresh()
        end_attempt(run, 3, ["", ""])
        display.refresh()
    line = f"block b001: attempt 2 ended without 3 of 4 launches: launch-1: {late}; launch-3: killed"
    assert text.getvalue().count(line) == 1
    assert text.getvalue().count("attempt") == 1
    quiet = io.StringIO()
    with Display(run, plan, Console(file=quiet, width=80), quiet=True) as display:
        end_attempt(run, 4, [late])
        display.refresh()
    assert quiet.getvalue() == ""


def built(run: RunLayout, plan: Plan) -> None:
    """Give every stack of the plan its manifest."""
    for stack in {launch.stack for launch in plan.launches}:
        run.manifest(stack).parent.mkdir(parents=True, exist_ok=True)
        run.manifest(stack).touch()


def test_a_log_says_again_what_lasts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a minute, and then after twice as long each time: a day adds eleven lines."""
    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    plan = make_plan(campaign())
    run = create_run(tmp_path, campaign(), plan)
    step = run.build_step(plan.launches[0].stack)
    step.parent.mkdir(parents=True)
    step.write_text("downloading a-1 (wheel 2 of 5: b 1.0, 128.8 MB)\n")
    text = io.StringIO()
    with Display(run, plan, Console(file=text, width=200), quiet=False) as display:
        for clock[0] in (0.0, 59.0, 60.0, 119.0, 120.0, 200.0, 241.0):
            display.refresh()
        step.write_text("compiling the engine for a-1\n")
        for clock[0] in (242.0, 302.0):
            display.refresh()
    total = len({launch.stack for launch in plan.launches})
    begin, end = f"building stacks, 0 of {total} done: ", f": 0 of {len(plan.launches)} launches"
    wheel, engine = "downloading a-1 (wheel 2 of 5: b 1.0, 128.8 MB)", "compiling the engine for a-1"
    assert text.getvalue().splitlines() == [
        f"{begin}{wheel}{end}",
        f"{begin}{wheel}, for 0:01:00{end}",
        f"{begin}{wheel}, for 0:02:00{end}",
        f"{begin}{wheel}, for 0:04:01{end}",
        f"{begin}{engine}{end}",
        f"{begin}{engine}, for 0:01:00{end}",
    ]


def test_a_terminal_says_for_how_long_a_stack_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    plan = make_plan(campaign())
    run = create_run(tmp_path, campaign(), plan)
    text = io.StringIO()
    console = Console(file=text, width=150, force_terminal=True, color_system=None, legacy_windows=False)
    with Display(run, plan, console, quiet=False) as display:
        display.refresh()
        now = 75.0
        display.refresh()
    assert "for 0:01:15" in text.getvalue()


@pytest.mark.parametrize(
    ("of", "step"), [("candle", "compiling the candle"), ("", "compiling programs with a-1 (6 of NPB)")]
)
def test_what_is_built_after_the_engines_is_said_too(of: str, step: str, tmp_path: Path) -> None:
    plan = make_plan(campaign())
    run = create_run(tmp_path, campaign(), plan)
    built(run, plan)
    assert read_progress(run, plan).stage.startswith("measuring block 1 of")
    path = run.build_step(of or plan.launches[0].stack)
    path.parent.mkdir(parents=True)
    path.write_text(f"{step}\n")
    total = len({launch.stack for launch in plan.launches})
    assert read_progress(run, plan).stage == f"building stacks, {total} of {total} done: {step}"


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
