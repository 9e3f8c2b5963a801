# SPDX-License-Identifier: BSD-3-Clause
"""Hooks: called when they should be, told what happened, and never in the way."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.state import RunStatus
from isochron.workflows.driving import hooks
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run, update_state
from tests.workflows.conftest import campaign


def call(
    tmp_path: Path, state: RunStatus, problems: list[str] | None = None, **commands: Any
) -> tuple[RunLayout, list[str]]:
    given = campaign(hooks=commands)
    run = create_run(tmp_path, given, make_plan(given))
    run.logs.mkdir()
    said = hooks.call_hooks(run, given, update_state(run, state, "why"), problems or [])
    return run, said


@pytest.mark.parametrize(
    ("state", "event"),
    [("complete", "complete"), ("failed", "failure"), ("over-budget", "failure"), ("interrupted", None)],
)
@pytest.mark.process
def test_which_hook_is_called(tmp_path: Path, state: RunStatus, event: str | None) -> None:
    tell = "echo $ISOCHRON_EVENT $ISOCHRON_STATE $ISOCHRON_REASON"
    run, said = call(tmp_path, state, on_complete=tell, on_failure=tell)
    logs = {path.name: path.read_text() for path in run.logs.glob("hook-*.log")}
    assert logs == ({} if event is None else {f"hook-{event}.log": f"{event} {state} why\n"})
    assert said == []


@pytest.mark.process
def test_a_hook_that_fails_or_hangs_is_told_and_ended(tmp_path: Path) -> None:
    _, said = call(tmp_path / "1", "failed", on_failure="exit 3")
    assert "hooks.on_failure: ended with code 3; see" in said[0]
    _, said = call(tmp_path / "2", "failed", on_failure="sleep 100", timeout_seconds=1)
    assert "hooks.on_failure: not finished within 1 s" in said[0]


@pytest.mark.process
def test_a_regression_has_a_hook_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "regressions", lambda _: ["bcast is slower", "so is barrier"])
    run, said = call(tmp_path, "complete", on_regression='echo "$ISOCHRON_DETAILS"')
    assert said == []
    assert (run.logs / "hook-regression.log").read_text() == "bcast is slower\nso is barrier\n"


def test_there_is_no_regression_without_an_earlier_run(tmp_path: Path) -> None:
    run, said = call(tmp_path, "complete", on_regression="true")
    assert said == []
    assert not list(run.logs.glob("hook-*"))


@pytest.mark.process
def test_a_hook_that_prints_without_end_fills_no_disk(tmp_path: Path) -> None:
    """And it is not ended by that: it comes to its last word."""
    printed = hooks.LONGEST_LOG + 200_000
    run, said = call(tmp_path, "complete", on_complete=f"head -c {printed} /dev/zero; echo done > {tmp_path}/end")
    assert said == []
    assert (tmp_path / "end").read_text() == "done\n"
    log = (run.logs / "hook-complete.log").read_bytes()
    assert log == b"\0" * hooks.LONGEST_LOG + b"\n(the rest is omitted)\n"


@pytest.mark.process
def test_what_a_hook_leaves_in_the_background_goes_on(tmp_path: Path) -> None:
    waits = f"while [ ! -e {tmp_path}/go ]; do sleep 0.01; done; echo late; echo end > {tmp_path}/end"
    run, said = call(tmp_path, "complete", on_complete=f"({waits}) & echo first")
    assert said == [] and (run.logs / "hook-complete.log").read_text() == "first\n"
    (tmp_path / "go").touch()
    while not (tmp_path / "end").exists():
        time.sleep(0.01)
