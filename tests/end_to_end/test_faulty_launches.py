# SPDX-License-Identifier: BSD-3-Clause
"""A launch that lies about itself fails its block, is tried again as configured, and never reaches the store."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pandas as pd
import pytest

from isochron.common.sealed import write_sealed
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import BlockState
from tests.end_to_end.conftest import MINI, Place, assert_every_launch_is_stored_once, copied, without

pytestmark = pytest.mark.mpi

STACK = "openmpi-5.0"

#: Stands in for mpiexec: tells its lies in turn in a block's first TIMES launches, and exits 0 all the same. It starts
#: the standard candle as it should be.
LAUNCHER = """#!{python}
import os, subprocess, sys
real, lies, folder, times = {real!r}, {lies!r}, {folder!r}, {times}
words = sys.argv[1:]
if "--check-timer" in words or not any(word.endswith("isochron-engine") for word in words):
    os.execv(real, [real, *words])
block = os.environ["ISOCHRON_LAUNCH"].split(".")[-2]
with open(f"{{folder}}/{{block}}", "a+") as calls:
    calls.seek(0)
    count = len(calls.read())
    calls.write("x")
if count >= times:
    os.execv(real, [real, *words])
lie = lies[count % len(lies)]
engine = next(i for i, word in enumerate(words) if word.endswith("isochron-engine"))
for option in ("--expect-ranks", "--expect-hosts"):
    at = words.index(option)
    del words[at:at + 2]
if lie == "singletons":
    for _ in range(2):
        subprocess.run(words[engine:])
elif lie == "wrong rank count":
    words[words.index("-n") + 1] = "1"
    words = [word.replace("ppr:2:", "ppr:1:") for word in words]
    subprocess.run([real, *words])
elif lie == "truncated":
    subprocess.run([real, *words])
    output = words[words.index("--output") + 1]
    lines = open(output).read().splitlines(keepends=True)
    open(output, "w").writelines(lines[:-2])
"""

#: Each lie with the reason for which its launch is refused.
LIES = {"singletons": "1 process", "wrong rank count": "1 process", "truncated": "footer"}


def lying(place: Place, times: int) -> RunLayout:
    """The run without its first block, and with the lying launcher for one of its stacks."""
    run = without(place, "b001")
    manifest = json.loads(run.manifest(STACK).read_text())
    launcher = place.folder / "mpiexec"
    (place.folder / "calls").mkdir()
    launcher.write_text(
        LAUNCHER.format(
            python=sys.executable,
            real=manifest["launcher"]["argv"][0],
            lies=list(LIES),
            folder=str(place.folder / "calls"),
            times=times,
        )
    )
    launcher.chmod(0o755)
    manifest["launcher"]["argv"][0] = str(launcher)
    write_sealed(run.manifest(STACK), json.dumps(manifest))
    return run


def refused(run: RunLayout) -> dict[str, list[str]]:
    """Reasons of all launches that were refused, in all attempts, by block."""
    outcomes = [BlockState.load(path) for path in sorted(run.root.glob("attempts/*/*/outcome.json"))]
    reasons: dict[str, list[str]] = {}
    for outcome in outcomes:
        reasons.setdefault(outcome.block, []).extend(
            launch.reason for launch in outcome.launches if not launch.accepted
        )
    return reasons


def test_lies_are_found_and_reported_and_stay_out(finished: Place, tmp_path: Path) -> None:
    """The block is tried again as limits.retries says, lied to in another way each time; the next call completes it."""
    place = copied(finished, tmp_path / "here")
    place.write(limits={**MINI["limits"], "retries": len(LIES) - 1})
    run = lying(place, times=len(LIES))
    done = place.isochron("run", "mini.yaml")
    assert done.returncode == 1
    assert "failed with 5 of 6 launches measured" in done.stdout
    assert "block b001" in done.stderr
    assert "block b002" not in done.stderr and "block b003" not in done.stderr
    lost = f"{STACK}.p2.n2.packed.b001.l1"
    kept = [launch.name for launch in Plan.load(run.plan).launches if launch.name != lost]
    assert sorted(path.stem for path in run.launches.glob("*.jsonl")) == sorted(kept)
    reasons = refused(run)
    assert reasons["b002"] == reasons["b003"] == []
    for reason, (lie, expected) in zip(reasons["b001"], LIES.items(), strict=True):
        assert expected in reason, lie
    stored = pd.read_parquet(run.table("launches"))["launch_id"]
    assert sorted(stored) == sorted(f"{run.run_id}.{name}" for name in kept)
    assert "5 of 6" in run.report.read_text(), "the report of what there is"
    done = place.stored()
    assert done.returncode == 0, done.stdout + done.stderr
    assert_every_launch_is_stored_once(run)
    assert set(pd.read_parquet(run.table("launches"))["processes"]) == {2}
