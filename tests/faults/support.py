# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of faults share: what must be so in the end, and finding the victim."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pytest

from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.state import BlockState
from tests.end_to_end.conftest import Place, assert_every_launch_is_stored_once, processes_of

RUN = ("run", "mini.yaml")


def completes(place: Place, *, report: bool = False) -> None:
    """One more `isochron run`: everything is in the store once, and no row is of a launch that was refused.

    It stops at the store unless the report is what the test is about: then there is nothing left to do.
    """
    done = place.isochron(*RUN) if report else place.stored()
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr
    assert_complete(place)
    if report:
        again = place.isochron(*RUN)
        assert "nothing to do" in again.stdout and not again.stderr


def assert_complete(place: Place) -> None:
    """Every launch is in the store once, and no row is of a launch that was refused."""
    assert_every_launch_is_stored_once(place.run)
    assert_no_refused_launch_is_stored(place.run)


def assert_no_refused_launch_is_stored(run: RunLayout) -> None:
    """No stored launch comes from an attempt that refused it."""
    outcomes = [BlockState.load(path) for path in run.root.glob("attempts/*/*/outcome.json")]
    faulty = {(launch.name, each.attempt) for each in outcomes for launch in each.launches if not launch.accepted}
    stored = pd.read_parquet(run.table("launches"))
    names = stored["launch_id"].str.removeprefix(f"{run.run_id}.")
    assert not faulty & set(zip(names, stored["attempt"], strict=True))


def refused(place: Place) -> list[str]:
    """Reasons of all launches that were refused, in all attempts."""
    outcomes = (BlockState.load(path) for path in place.run.root.glob("attempts/*/*/outcome.json"))
    return [launch.reason for outcome in outcomes for launch in outcome.launches if not launch.accepted]


def find(place: Place, is_victim: Callable[[list[str]], bool]) -> list[int]:
    """Processes of the run, by their command line."""
    found = []
    for pid in processes_of(place.run.root, 0) - {0}:
        with suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
            if is_victim(words):
                found.append(pid)
    return sorted(found)


def kill_first(place: Place, is_victim: Callable[[list[str]], bool], delay: float = 0, seconds: float = 240) -> None:
    """kill -9 of the first such process, `delay` seconds after it was seen first."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        victims = find(place, is_victim)
        if victims:
            time.sleep(delay)
            with suppress(ProcessLookupError):
                os.kill(victims[0], signal.SIGKILL)
            return
        time.sleep(0.01)
    pytest.fail("the process to kill did not appear")
