# SPDX-License-Identifier: BSD-3-Clause
"""A small campaign of one stack, built but not measured: a test then takes what its fault takes."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from isochron.common.sealed import write_sealed
from isochron.reframe_checks.make_stack import build_stack
from isochron.schemas.run.layout import RunLayout
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.planning.design import with_decided_design
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run
from tests.end_to_end.conftest import MINI, Place

STACK = "openmpi-5.0"

#: One stack, one block of two launches.
ONE: dict[str, Any] = {
    **MINI,
    "stacks": [STACK],
    "operations": ["allreduce"],
    "sizes": [8],
    "replication": {"blocks": 1, "launches_per_block": 2},
    "engine": {"stop": "time", "time_budget": 0.7, "max_reps": 100000},
}


def build(place: Place, document: dict[str, Any]) -> RunLayout:
    """A run of the campaign, planned and with its stacks built, but not measured."""
    place.write(**document)
    campaign = with_decided_design(load_campaign(place.campaign))
    run = create_run(place.folder / "results", campaign, make_plan(campaign))
    for stack in campaign.stacks:
        build_stack(run.root, stack)
    return run


#: The timers are tried, and the transport is asked for, by the stack's own launcher.
SPARED = """#!/bin/bash
case " $* " in *" --check-timer "* | *" env "*) exec <real> "$@" ;; esac
"""


def replace_launcher(place: Place, script: str, **values: object) -> Path:
    """Let the stack start its launches by a bash script; `<real>` in it is the stack's own launcher."""
    script = script.replace("#!/bin/bash\n", SPARED, 1)
    path = place.run.manifest(STACK)
    manifest = json.loads(path.read_text())
    launcher = place.folder / "mpiexec"
    fill = {"python": sys.executable, "real": manifest["launcher"]["argv"][0], "folder": str(place.folder), **values}
    for name, value in fill.items():
        script = script.replace(f"<{name}>", str(value))
    launcher.write_text(script)
    launcher.chmod(0o755)
    manifest["launcher"]["argv"][0] = str(launcher)
    write_sealed(path, json.dumps(manifest))
    return launcher
