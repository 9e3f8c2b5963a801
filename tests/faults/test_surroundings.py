# SPDX-License-Identifier: BSD-3-Clause
"""Faults around a launch: its launcher, its library, its processes, its folder."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pandas as pd
import pytest

from isochron.common.hashing import sha256
from isochron.common.sealed import write_sealed
from isochron.schemas.run.state import RunState
from tests.end_to_end.built import ONE, STACK, build, replace_launcher
from tests.end_to_end.conftest import Place, copied
from tests.faults.support import RUN, completes

pytestmark = pytest.mark.mpi

#: Stops one rank of each launch for a while.
SLEEPER = """#!/bin/bash
(
    until engine=$(pgrep -n -f "^[^ ]*isochron-engine.*<folder>"); do sleep 0.02; done
    sleep 0.1
    kill -STOP "$engine"
    sleep 0.3
    kill -CONT "$engine"
) > /dev/null 2>&1 &
exec <real> "$@"
"""


@pytest.mark.slow
def test_a_missing_launcher(place: Place) -> None:
    path = place.run.manifest(STACK)
    before = path.read_text()
    launcher = replace_launcher(place, "")
    launcher.unlink()
    place.write(**{**ONE, "limits": {"retries": 0}})
    failed = place.isochron(*RUN)
    assert failed.returncode == 1
    assert "exit code 127 (the launcher or a command of the job script was not found; check PATH)" in failed.stderr
    assert RunState.load(place.run.state).state == "failed"
    write_sealed(path, before)
    completes(place)


@pytest.mark.slow
def test_a_library_that_was_swapped_after_the_build(place: Place) -> None:
    path = place.run.manifest(STACK)
    built = path.read_text()
    manifest = json.loads(built)
    library = place.folder / "libmpi.so"
    shutil.copy(manifest["linked_libraries"][0], library)
    assert sha256(library) in manifest["library_sha256"].values(), "the build keeps the hash of its library"
    manifest["library_sha256"] = {str(library): sha256(library)}
    write_sealed(path, json.dumps(manifest))
    library.write_bytes(library.read_bytes() + b"another")
    failed = place.isochron(*RUN)
    assert failed.returncode == 1
    assert f"{library} is not the library with which the engine was built" in failed.stderr
    assert not list(place.run.launches.glob("*.jsonl"))
    write_sealed(path, built)
    completes(place)


@pytest.mark.slow
def test_a_rank_that_sleeps(place: Place) -> None:
    replace_launcher(place, SLEEPER)
    done = place.isochron(*RUN)
    assert done.returncode == 0, done.stderr
    rows = pd.read_parquet(place.run.table("measurements"))
    assert (rows.reps_valid < rows.reps_made).all(), "runs in which a rank slept are not valid"
    assert rows.median_us.max() < 0.5e6


@pytest.mark.slow
def test_copied_elsewhere_and_continued(place: Place, tmp_path: Path) -> None:
    """After an interruption the folder is moved; the lock of a driver that is not there is in it."""
    driver = _first_launch_measured(place)
    driver.kill()
    driver.wait()
    elsewhere = copied(place, tmp_path / "elsewhere")
    measured = {path.name for path in elsewhere.run.launches.glob("*.jsonl")}
    assert (elsewhere.run.root / ".lock").read_text(), "a killed driver has not released its lock"
    completes(elsewhere, report=True)
    assert measured
    assert str(place.folder) not in elsewhere.run.report.read_text()


@pytest.mark.slow
def test_an_interrupted_campaign_has_a_report(tmp_path: Path) -> None:
    place = Place(tmp_path)
    build(place, {**ONE, "replication": {"blocks": 2, "launches_per_block": 1}})
    driver = _first_launch_measured(place)
    driver.send_signal(signal.SIGINT)
    assert driver.wait(120) == 130
    assert len(list(place.run.launches.glob("*.jsonl"))) == 1
    done = place.isochron("report", "mini", "--quiet")
    assert done.returncode == 0, done.stderr
    assert "1 of 2 planned launches measured" in place.run.report.read_text()
    completes(place)


@pytest.mark.slow
def test_two_runs_at_once(place: Place) -> None:
    """The second is refused at once and disturbs nothing."""
    driver = place.start(*RUN)
    lock = place.run.root / ".lock"
    while not (lock.exists() and lock.read_text()):
        assert driver.poll() is None
        time.sleep(0.02)
    second = place.isochron(*RUN)
    assert second.returncode == 2
    assert f"process {driver.pid} on" in second.stderr
    assert driver.wait(300) == 0
    assert not (place.run.root / "attempts" / "b001" / "02").exists()
    completes(place)


@pytest.mark.slow
def test_a_killed_report(place: Place) -> None:
    completes(place, report=True)
    before = place.run.report.read_bytes()
    for step in ("ingest", "analyse", "render"):
        driver = place.start("report", "mini")
        _kill_step(place, driver.pid, step)
        assert driver.wait(120) == 1
        assert place.run.report.read_bytes() == before
    assert place.isochron("report", "mini").returncode == 0
    completes(place, report=True)


def _first_launch_measured(place: Place) -> subprocess.Popen[bytes]:
    """A driver that has got as far as that."""
    driver = place.start(*RUN)
    while not any(place.run.launches.glob("*.jsonl")):
        assert driver.poll() is None
        time.sleep(0.02)
    return driver


def _kill_step(place: Place, driver: int, step: str) -> None:
    """Kill the process that makes a report in one of its steps: the log of the one before is then written."""
    before = {"ingest": None, "analyse": "ingest", "render": "analyse"}[step]
    log = place.run.logs / f"{before}.log"
    written = log.stat().st_mtime_ns if before else 0
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for path in Path(f"/proc/{driver}/task/{driver}/children").read_text().split():
            words = Path(f"/proc/{path}/cmdline").read_bytes().decode().split("\0")
            if "isochron.postprocess" in words and (not before or log.stat().st_mtime_ns > written):
                os.kill(int(path), signal.SIGKILL)
                return
        time.sleep(0.02)
    pytest.fail(f"the step {step} did not start")
