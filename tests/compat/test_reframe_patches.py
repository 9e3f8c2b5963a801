# SPDX-License-Identifier: BSD-3-Clause
"""Each change of ReFrame: without it ReFrame still has the fault, with it the fault is gone.

The first half fails when a release of ReFrame no longer needs the change; its message says what to delete.
"""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import time
from importlib import import_module
from inspect import getsource
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from reframe.core import shell
from reframe.core import warnings as reframe_warnings
from reframe.core.schedulers import local
from reframe.frontend.executors import policies

from isochron.compat.patched_reframe import (
    WAITING_MODULES,
    wait_by_steady_clock,
    warn_without_reading_sources,
    write_scripts_without_chmod,
)
from tests.compat.faults import SettableClock, is_refused, refuse_chmod

#: ReFrame 4.8 waits for a bounded time between two polls.
SLEEPS_BY_CLOCK = pytest.mark.skipif(
    not hasattr(policies._PollController, "reset_poll_rate"), reason="ReFrame before 4.9 does not sleep by the clock"
)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SettableClock:
    """A clock that the test sets; every module of ReFrame that waits is restored afterwards."""
    for name in WAITING_MODULES:
        monkeypatch.setattr(import_module(name), "time", time, raising=False)
    return SettableClock(monkeypatch)


def test_scripts_are_written_if_chmod_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def write() -> None:
        with shell.generate_script(str(tmp_path / "job.sh")) as script:
            script.write_body("echo measured")

    monkeypatch.setattr(shell, "os", os)
    refuse_chmod(monkeypatch)
    assert is_refused(write), (
        "ReFrame writes scripts without chmod now: delete isochron.compat.patched_reframe.write_scripts_without_chmod "
        "and docs/upstream/reframe-script-modes.patch"
    )
    write_scripts_without_chmod()
    write()
    assert "echo measured" in (tmp_path / "job.sh").read_text()


def longest_sleep(clock: SettableClock, monkeypatch: pytest.MonkeyPatch) -> float:
    """The longest sleep of ReFrame, in s, between two polls of a job, if the clock is set back by an hour."""
    sleeps: list[float] = []
    monkeypatch.setattr(
        policies, "time", SimpleNamespace(time=policies.time.time, monotonic=time.monotonic, sleep=sleeps.append)
    )
    rates = {"poll_rate_max": 10.0, "poll_rate_min": 0.1, "poll_rate_decay": 0.1, "poll_randomize_ms": None}
    options = SimpleNamespace(get_option=lambda name: rates[name.rpartition("/")[2]])
    monkeypatch.setattr(policies.rt, "runtime", lambda: options)
    polls = policies._PollController()
    polls.snooze()
    clock.set_by(-3600)
    polls.snooze()
    clock.set_by(0)
    return max(sleeps)


@SLEEPS_BY_CLOCK
def test_polls_do_not_wait_for_a_clock_that_was_set_back(clock: SettableClock, monkeypatch: pytest.MonkeyPatch) -> None:
    assert longest_sleep(clock, monkeypatch) > 3000, delete_clock("reframe.frontend.executors.policies")
    monkeypatch.setattr(policies, "time", time)
    wait_by_steady_clock()
    assert longest_sleep(clock, monkeypatch) < 1


def state_of_local_job(clock: SettableClock, monkeypatch: pytest.MonkeyPatch) -> str:
    """The state of a job with a limit of a minute that has just started, if the clock is set forward by an hour."""
    monkeypatch.setattr(local, "os", SimpleNamespace(waitpid=lambda *_: (0, 0), WNOHANG=os.WNOHANG))
    scheduler = SimpleNamespace(log=lambda *_: None, cancel=lambda _: None, _kill_all=lambda _: None)
    job = SimpleNamespace(jobid=1, _jobid=1, time_limit=60, cancel_time=None, _state="RUNNING")
    job.submit_time = local.time.time()
    clock.set_by(3600)
    local.LocalJobScheduler._poll_job(scheduler, job)
    clock.set_by(0)
    return job._state


def test_a_clock_that_was_set_forward_ends_no_job(clock: SettableClock, monkeypatch: pytest.MonkeyPatch) -> None:
    assert state_of_local_job(clock, monkeypatch) == "TIMEOUT", delete_clock("reframe.core.schedulers.local")
    wait_by_steady_clock()
    assert state_of_local_job(clock, monkeypatch) == "RUNNING"


@pytest.mark.parametrize("module", WAITING_MODULES)
def test_every_module_still_waits_by_the_time_of_day(module: str) -> None:
    uses_time_of_day = "time.time()" in getsource(import_module(module))
    assert uses_time_of_day, delete_clock(module)


def delete_clock(module: str) -> str:
    return (
        f"{module} no longer waits by the time of day: remove it from isochron.compat.patched_reframe.WAITING_MODULES, "
        "and from docs/upstream/reframe-monotonic-waits.patch; if it is the last one, delete wait_by_steady_clock too"
    )


def warned_at(read: list[str]) -> tuple[str, list[str]]:
    """The file in which a deprecated name is used, and the files that ReFrame has read to find it."""
    read.clear()
    with pytest.warns(reframe_warnings.ReframeDeprecationWarning) as caught:
        reframe_warnings.user_deprecation_warning("use another name")
    return caught[0].filename, list(read)


def test_the_user_of_a_deprecated_name_is_found_without_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    findsource = inspect.findsource

    def noted(frame: Any) -> Any:
        read.append(inspect.getfile(frame))
        return findsource(frame)

    monkeypatch.setattr(inspect, "findsource", noted)
    monkeypatch.setattr(reframe_warnings, "inspect", inspect)
    where, sources = warned_at(read)
    assert where == __file__
    assert sources, (
        "ReFrame reads no sources for its warnings now: delete "
        "isochron.compat.patched_reframe.warn_without_reading_sources, isochron/compat/stack_frames.py and "
        "docs/upstream/reframe-warning-frames.patch"
    )
    warn_without_reading_sources()
    assert warned_at(read) == (__file__, [])


CHECK = """
import os

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, run_before, sanity_function


@rfm.simple_test
class Told(rfm.RunOnlyRegressionTest):
    kind = parameter(["fails", "passes", "raises"])
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "echo"

    @run_before("run")
    def refuse(self):
        if self.kind == "raises":
            raise KeyError("not begun")

    @sanity_function
    def judge(self):
        return sn.assert_true(self.kind == "passes")

    def when_ended(self, case, error):
        with open(os.environ["TOLD"], "a") as told:
            print(self.kind, case["result"], case["fail_phase"], case["scheduler"], type(error).__name__, file=told)
"""


@pytest.mark.process
@pytest.mark.parametrize("policy", ["serial", "async"])
def test_tests_are_told_of_their_end(tmp_path: Path, policy: str) -> None:
    """However they end; and ReFrame itself tells them nothing, or it has a hook for this now."""
    (tmp_path / "check.py").write_text(CHECK)
    settings = Path(__file__).parents[2] / "reframe_checks" / "settings" / "local.py"
    options = ["-C", str(settings), "-c", str(tmp_path / "check.py"), "--exec-policy", policy, "--run"]
    for module in ("reframe.frontend.cli", "isochron.compat.patched_reframe"):
        call = [sys.executable, "-c", f"import sys; from {module} import main; sys.exit(main())", *options]
        environment = {**os.environ, "TOLD": str(tmp_path / module), "RFM_ENABLE_RESULTS_STORAGE": "0"}
        subprocess.run(call, cwd=tmp_path, env=environment, capture_output=True, timeout=300, check=False)
    assert not (tmp_path / "reframe.frontend.cli").exists()
    assert sorted((tmp_path / "isochron.compat.patched_reframe").read_text().splitlines()) == [
        "fails fail sanity local SanityError",
        "passes pass None local NoneType",
        "raises fail run local KeyError",
    ]
