# SPDX-License-Identifier: BSD-3-Clause
"""A launch that lies about itself fails its block, is tried again as configured, and never reaches the store."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from isochron.schemas.campaign import Campaign
from isochron.schemas.layout import RunLayout
from isochron.schemas.state import BlockState
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run
from tests.end_to_end.conftest import MINI, Place, assert_every_launch_is_stored_once

pytestmark = pytest.mark.mpi

STACK = "openmpi-5.0"

#: Stands in for mpiexec: does something wrong in its first TIMES calls, and exits 0 all the same.
LAUNCHER = """#!{python}
import os, subprocess, sys
real, mode, counter, times = {real!r}, {mode!r}, {counter!r}, {times}
words = sys.argv[1:]
if "--check-timer" in words:
    os.execv(real, [real, *words])
with open(counter, "a+") as calls:
    calls.seek(0)
    count = len(calls.read())
    calls.write("x")
if count >= times:
    os.execv(real, [real, *words])
engine = next(i for i, word in enumerate(words) if word.endswith("isochron-engine"))
for option in ("--expect-ranks", "--expect-hosts"):
    at = words.index(option)
    del words[at:at + 2]
if mode == "singletons":
    for _ in range(2):
        subprocess.run(words[engine:])
elif mode == "wrong rank count":
    words[words.index("-n") + 1] = "1"
    words = [word.replace("ppr:2:", "ppr:1:") for word in words]
    subprocess.run([real, *words])
elif mode == "truncated":
    subprocess.run([real, *words])
    output = words[words.index("--output") + 1]
    lines = open(output).read().splitlines(keepends=True)
    open(output, "w").writelines(lines[:-2])
"""

REASONS = {
    "singletons": "1 process",
    "wrong rank count": "1 process",
    "truncated": "footer",
}


def prepare(place: Place, mode: str, times: int) -> RunLayout:
    """A run with both stacks built, one of them with the lying launcher."""
    campaign = Campaign.model_validate(MINI)
    run = create_run(place.folder / "results", campaign, make_plan(campaign))
    for stack in campaign.stacks:
        built = subprocess.run(
            [sys.executable, "-m", "isochron.reframe_checks", "build", str(run.root), stack], check=False
        )
        assert built.returncode == 0
    manifest = json.loads(run.manifest(STACK).read_text())
    launcher = place.folder / "mpiexec"
    launcher.write_text(
        LAUNCHER.format(
            python=sys.executable,
            real=manifest["launcher"]["argv"][0],
            mode=mode,
            counter=str(place.folder / "calls"),
            times=times,
        )
    )
    launcher.chmod(0o755)
    manifest["launcher"]["argv"][0] = str(launcher)
    run.manifest(STACK).write_text(json.dumps(manifest))
    return run


def refused(run: RunLayout) -> list[str]:
    """Reasons of all launches that were refused, in all attempts."""
    outcomes = (BlockState.load(path) for path in run.root.glob("attempts/*/*/outcome.json"))
    return [launch.reason for outcome in outcomes for launch in outcome.launches if not launch.accepted]


@pytest.mark.parametrize("mode", REASONS)
def test_a_lie_is_found_and_the_block_tried_again(mode: str, place: Place) -> None:
    run = prepare(place, mode, times=1)
    done = place.isochron("run", "mini.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(refused(run)) == 1
    assert REASONS[mode] in refused(run)[0]
    assert_every_launch_is_stored_once(run)
    assert set(pd.read_parquet(run.table("launches"))["processes"]) == {2}


def test_what_fails_at_every_attempt_is_reported_and_stays_out(place: Place) -> None:
    run = prepare(place, "singletons", times=1000)
    done = place.isochron("run", "mini.yaml")
    assert done.returncode == 1
    assert "failed with 3 of 6 launches measured" in done.stdout
    assert all(f"block b00{number}" in done.stderr for number in (1, 2, 3))
    assert sorted(path.name.split(".p2")[0] for path in run.launches.glob("*.jsonl")) == ["mpich-5.0"] * 3
    assert len(refused(run)) == 6, "each of three blocks was tried once more, as limits.retries says"

    partial = place.isochron("report", "mini", "--quiet")
    assert partial.returncode == 0, partial.stderr
    assert set(pd.read_parquet(run.table("launches"))["stack"]) == {"mpich-5.0"}
    assert "3 of 6" in Path(run.report).read_text()
