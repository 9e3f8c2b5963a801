# SPDX-License-Identifier: BSD-3-Clause
"""One driver for a run; a killed one leaves no lock, and what it left running is ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from workflows.driving.lock import RUN_VARIABLE, end_survivors, is_locked, run_lock
from workflows.schemas.base import FileError
from workflows.schemas.layout import RunLayout

HOLD = """
import sys, time
from pathlib import Path
from workflows.driving.lock import run_lock
from workflows.schemas.layout import RunLayout
with run_lock(RunLayout(Path(sys.argv[1]))):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def run(tmp_path: Path) -> RunLayout:
    return RunLayout(tmp_path.resolve())


def holder(run: RunLayout) -> subprocess.Popen[str]:
    child = subprocess.Popen([sys.executable, "-c", HOLD, str(run.root)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    return child


def test_a_held_lock_names_its_holder_and_dies_with_it(run: RunLayout) -> None:
    child = holder(run)
    try:
        assert is_locked(run) is not None
        with pytest.raises(FileError, match=f"process {child.pid} on .* is running this campaign"), run_lock(run):
            pass
    finally:
        child.send_signal(signal.SIGKILL)
        child.communicate()
    assert is_locked(run) is None
    with run_lock(run):
        assert is_locked(run) is not None


def test_a_run_that_was_never_driven_is_not_locked(run: RunLayout) -> None:
    assert is_locked(run) is None


def test_survivors_of_this_run_are_ended_and_no_others(run: RunLayout) -> None:
    sleep = [sys.executable, "-c", "import time; time.sleep(60)"]
    ours = subprocess.Popen(sleep, env={**os.environ, RUN_VARIABLE: str(run.root)}, start_new_session=True)
    other = subprocess.Popen(sleep, env={**os.environ, RUN_VARIABLE: f"{run.root}-other"})
    try:
        _wait_for_environment(ours.pid)
        # a zombie has no environment any more, so what is waited for here has ended
        assert end_survivors(run) == 1
        assert ours.wait(5) == -signal.SIGTERM
        assert other.poll() is None
    finally:
        for child in (ours, other):
            child.kill()
            child.wait()


def _wait_for_environment(pid: int) -> None:
    """Between fork and exec the child still has our environment."""
    while RUN_VARIABLE.encode() not in Path(f"/proc/{pid}/environ").read_bytes():
        pass
