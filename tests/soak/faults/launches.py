# SPDX-License-Identifier: BSD-3-Clause
"""Launches whose library, clock or launcher lies: none of them may be reliable where it is wrong."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from isochron.common.files import FileError
from isochron.common.sealed import heal, write_sealed
from isochron.schemas.run.manifest import Manifest
from tests.end_to_end.built import STACK
from tests.soak import launcher
from tests.soak.faults import work
from tests.soak.lies import LIES
from tests.soak.life import RUN, Life


def of_the_library(life: Life) -> None:
    """The MPI library lies, fails or hangs."""
    _told(life, "mpi")


def of_the_clock(life: Life) -> None:
    """The clock of a rank steps, or that of the host runs at a wrong rate."""
    _told(life, "step_clock", "rate_clock")


def of_the_launcher(life: Life) -> None:
    """The launcher starts something else than it was told, or the file of the launch is not what was written."""
    _told(life, "")


def _told(life: Life, *shims: str) -> None:
    """Let the next launch or launches be lied to, in the run as it is: the launcher is replaced for one call."""
    run = life.place.run
    path = run.manifest(STACK)
    heal(path)
    try:
        before = Manifest.load(path)
    except FileError:  # damaged or lost by the fault before: made again by the next call
        life.note("no manifest to lie with")
        return
    lie = life.random.choice([name for name, each in LIES.items() if each.shim in shims])
    plan = _lie(life, lie, before.launcher.argv[0])
    script = life.scratch / "mpiexec"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} {launcher.__file__} {plan} "$@"\n')
    script.chmod(0o755)
    liar = before.launcher.model_copy(update={"argv": [str(script), *before.launcher.argv[1:]]})
    before.model_copy(update={"launcher": liar}).save_sealed(path)
    if all(run.launch(name).exists() for name in _planned(life)):
        work.lose_a_launch(life)
    life.note(f"lie: {lie}")
    life.end(life.start(*RUN))
    if path.exists():
        write_sealed(path, before.model_dump_json(indent=2) + "\n")
    for launch in Path(json.loads(plan.read_text())["log"]).read_text().splitlines():
        attempt, _, name = launch.rpartition("/")
        life.lies[run.run_id, int(Path(attempt).name), name] = lie


def _lie(life: Life, lie: str, real: str) -> Path:
    """What the launcher is told (tests/soak/launcher.py)."""
    told = LIES[lie]
    environment = dict(told.environment)
    if told.shim == "step_clock":
        environment["AFTER_MS"] = str(life.random.choice([0, 20, 60, 100, 200]))
    log = life.scratch / f"lies-{life.calls:03d}.txt"
    log.touch()
    plan = log.with_suffix(".json")
    plan.write_text(
        json.dumps(
            {
                "lie": lie,
                "real": real,
                "library": str(life.shims[told.shim]) if told.shim else "",
                "environment": environment,
                "times": 1 if lie == "a hang" else life.random.choice([1, 2, 4]),
                "log": str(log),
            }
        )
    )
    return plan


def _planned(life: Life) -> list[str]:
    plan = json.loads(life.place.run.plan.read_text())
    return [launch["name"] for block in plan["blocks"] for launch in block["launches"]]
