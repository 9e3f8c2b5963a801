# SPDX-License-Identifier: BSD-3-Clause
"""A call that is cut off leaves no process behind, and a folder from which the next call completes the block."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from isochron.common import orphans
from isochron.reframe_checks.call import Interrupted, lock_folder
from isochron.reframe_checks.run_blocks import run_blocks
from tests.reframe_checks.conftest import FakeRun, run_block
from tests.signals import action

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
PATIENCE = 300.0


def wait_for(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def work(run: FakeRun) -> str:
    return str(run.layout.root / "attempts")


def start_and_reach_the_second_launch(run: FakeRun, number: signal.Signals = signal.SIGTERM) -> subprocess.Popen[str]:
    run.mode("hangs-second")
    command = [sys.executable, "-m", "isochron.reframe_checks", "blocks", str(run.layout.root), "b001"]
    with action(number):
        call = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True)
    wait_for(lambda: len(run.started()) == 2 and bool(orphans.find(work(run))))
    return call


def completes_without_a_second_measurement(run: FakeRun) -> None:
    run.mode("good")
    (run.bin / "started").unlink()
    assert run_block(run.layout.root, "b001") == []
    assert run.started() == run.names[1:]
    assert run.published() == sorted(run.names)
    assert run.outcome(1)["reason"] == "interrupted"
    assert [launch["accepted"] for launch in run.outcome(1)["launches"]] == [True, False, False]
    assert orphans.find(work(run)) == []


#: All are handled by one function, and `tests/end_to_end/test_interruptions.py` has Ctrl-C.
SIGNALS = [
    signal.SIGTERM,
    pytest.param(signal.SIGINT, marks=pytest.mark.slow),
    pytest.param(signal.SIGHUP, marks=pytest.mark.slow),
]


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_the_call_and_everything_below(fake_run: FakeRun, number: signal.Signals) -> None:
    call = start_and_reach_the_second_launch(fake_run, number)
    call.send_signal(number)
    _, said = call.communicate(timeout=PATIENCE)
    assert call.returncode == 128 + number
    assert said == f"b001: interrupted by signal {number}\n"
    assert orphans.find(work(fake_run)) == []
    assert fake_run.published() == fake_run.names[:1]
    completes_without_a_second_measurement(fake_run)


def test_interrupted_in_one_of_several_blocks(tmp_path: Path) -> None:
    """What is complete is kept, and a block that had not begun has no attempt."""
    run = FakeRun(tmp_path, launches=1)
    run.add_blocks("b002", "b003")
    run.mode("hangs-second")
    command = [sys.executable, "-m", "isochron.reframe_checks", "blocks", str(run.layout.root), "b001", "b002", "b003"]
    with action(signal.SIGTERM):
        call = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True)
    wait_for(lambda: len(run.started()) == 2)
    call.send_signal(signal.SIGTERM)
    _, printed = call.communicate(timeout=PATIENCE)
    assert (call.returncode, printed) == (143, "b001, b002, b003: interrupted by signal 15\n")
    assert run.layout.block("b001").exists()
    assert run.outcome(1, "b002")["reason"] == "interrupted"
    assert not run.layout.attempts("b003").exists()
    run.mode("good")
    assert [each.exit for each in run_blocks(run.layout.root, ["b001", "b002", "b003"])] == [0, 0, 0]
    assert [name[-7:-3] for name in run.started()] == ["b001", "b002", "b002", "b003"]


def test_a_lost_connection_that_is_to_be_ignored_is(tmp_path: Path) -> None:
    """`nohup isochron run`: the driver goes on, and so do its blocks; another signal still ends them."""
    with action(signal.SIGHUP, signal.SIG_IGN):
        with pytest.raises(Interrupted, match="15"), lock_folder(tmp_path):
            os.kill(os.getpid(), signal.SIGHUP)
            signal.raise_signal(signal.SIGTERM)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def test_the_guard_ends_everything_when_the_call_is_killed(fake_run: FakeRun) -> None:
    call = start_and_reach_the_second_launch(fake_run)
    call.kill()
    call.communicate()
    wait_for(lambda: orphans.find(work(fake_run)) == [])
    assert fake_run.published() == []
    completes_without_a_second_measurement(fake_run)


def test_the_next_call_ends_what_survived_the_guard(fake_run: FakeRun) -> None:
    call = start_and_reach_the_second_launch(fake_run)
    below = orphans.find(work(fake_run))
    guards = [process for process in children(call.pid) if process not in below]
    assert len(guards) == 1
    for process in guards:
        os.kill(process, signal.SIGKILL)
    call.kill()
    call.communicate()
    assert orphans.find(work(fake_run))
    completes_without_a_second_measurement(fake_run)


def test_a_second_call_waits_for_the_first(fake_run: FakeRun) -> None:
    command = [sys.executable, "-m", "isochron.reframe_checks", "blocks", str(fake_run.layout.root), "b001"]
    calls = [subprocess.Popen(command, cwd=ROOT) for _ in range(2)]
    assert [call.wait(timeout=PATIENCE) for call in calls] == [0, 0]
    assert fake_run.started() == fake_run.names


@pytest.mark.slow
@pytest.mark.parametrize("tenths", range(1, 13))
@pytest.mark.parametrize("all_of_it", [False, True])
def test_killed_at_any_moment_the_next_call_completes(fake_run: FakeRun, tenths: int, all_of_it: bool) -> None:
    command = [sys.executable, "-m", "isochron.reframe_checks", "blocks", str(fake_run.layout.root), "b001"]
    call = subprocess.Popen(command, cwd=ROOT)
    time.sleep(tenths / 12)
    for process in [call.pid, *(descendants(call.pid) if all_of_it else [])]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    call.wait()
    kept = {name: fake_run.layout.launch(name).stat().st_mtime_ns for name in fake_run.published()}
    assert run_block(fake_run.layout.root, "b001") == []
    assert fake_run.published() == sorted(fake_run.names)
    assert {name: fake_run.layout.launch(name).stat().st_mtime_ns for name in kept} == kept
    assert orphans.find(work(fake_run)) == []


def descendants(parent: int) -> list[int]:
    return [process for child in children(parent) for process in [child, *descendants(child)]]


def children(parent: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(path.parent.name))
    return found
