# SPDX-License-Identifier: BSD-3-Clause
"""A real campaign over two real MPI libraries, small enough for a test; run once, copied for each fault."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import RunState
from isochron.workflows.driving.run import AT_THE_STORE
from isochron.workflows.runs import update_state
from tests.home import at_home
from tests.shared import Shared

MINI: dict[str, Any] = {
    "schema": 1,
    "name": "mini",
    "title": "Two libraries, quickly",
    "stacks": ["openmpi-5.0", "mpich-5.0"],
    "operations": ["barrier", "allreduce", "wait-pattern-null"],
    "sizes": [8, 1024],
    "processes": [2],
    "processes_per_node": [2],
    "replication": {"blocks": 3, "launches_per_block": 1},
    "limits": {"launch_seconds": 300, "retries": 1},
}


@dataclass(frozen=True)
class Place:
    """A folder with a campaign file in which `isochron` is called."""

    folder: Path

    @property
    def campaign(self) -> Path:
        return self.folder / "mini.yaml"

    @property
    def run(self) -> RunLayout:
        """The newest run."""
        return RunLayout((self.folder / "results" / "mini" / "latest").resolve())

    def write(self, **changes: Any) -> None:
        self.campaign.write_text(yaml.safe_dump({**MINI, **changes}, sort_keys=False))

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "isochron", *words]

    def isochron(self, *words: str, timeout: float = 1800) -> subprocess.CompletedProcess[str]:
        """Call `isochron` here and wait for its end."""
        return subprocess.run(
            self.command(*words),
            cwd=self.folder,
            env={**os.environ, **at_home()},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def stored(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Measure what is missing and make the store; the analysis, which is most of the time, is left out."""
        return self.isochron("run", "mini.yaml", "--until", "store", *words)

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start `isochron` here, as the leader of its own session."""
        return subprocess.Popen(
            self.command(*words),
            cwd=self.folder,
            env={**os.environ, **at_home()},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A fresh place with the mini campaign."""
    fresh = Place(tmp_path)
    fresh.write()
    return fresh


@pytest.fixture(scope="session")
def finished(shared: Shared) -> Place:
    """A place in which the mini campaign has been run to its end. Not to be changed."""

    def run(folder: Path) -> None:
        place = Place(folder)
        place.write()
        done = place.isochron("run", "mini.yaml")
        assert done.returncode == 0, done.stdout + done.stderr

    return Place(shared("finished", run))


def copied(source: Place, folder: Path) -> Place:
    """The place with its run in another folder, as a person would move it."""
    shutil.copytree(source.folder, folder, symlinks=True, dirs_exist_ok=True)
    return Place(folder)


def without(place: Place, *blocks: str) -> RunLayout:
    """The place's run as it was before these blocks were measured, and all that was made of the measurement."""
    run = place.run
    for block in Plan.load(run.plan).blocks:
        if block.name in blocks:
            shutil.rmtree(run.attempts(block.name))
            run.block(block.name).unlink()
            for launch in block.launches:
                run.launch(launch.name).unlink()
                run.provenance(launch.name).unlink()
    for folder in (run.root / "store", run.tables, run.figures, run.report.parent, run.logs):
        shutil.rmtree(folder)
    update_state(run, "interrupted", "taken apart for a test")
    return run


def assert_every_launch_is_stored_once(run: RunLayout) -> None:
    """Everything planned is measured, and the run's store holds each launch exactly once."""
    planned = sorted(launch.name for launch in Plan.load(run.plan).launches)
    state = RunState.load(run.state)
    assert state.state == "complete" or state.reason == AT_THE_STORE
    assert sorted(path.stem for path in run.launches.glob("*.jsonl")) == planned
    stored = pd.read_parquet(run.table("launches"))["launch_id"]
    assert sorted(stored) == [f"{run.run_id}.{name}" for name in planned]


def processes_of(run_folder: Path, leader: int) -> set[int]:
    """Every process of a run: the driver, its descendants, and whatever carries the run's mark."""
    found = {leader}
    mark = f"ISOCHRON_RUN_FOLDER={run_folder}".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (entry / "environ").read_bytes().split(b"\0"):
                found.add(int(entry.name))
        except OSError:
            continue
    return found - {os.getpid()}
