# SPDX-License-Identifier: BSD-3-Clause
"""A campaign without a person at the keyboard: its budget, its second look at what is in doubt, its hooks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from isochron.schemas.run.budget import usage
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.provenance import read_provenance
from isochron.schemas.run.state import BlockState, RunState
from tests.end_to_end.built import ONE, STACK, build, replace_launcher
from tests.end_to_end.conftest import Place, assert_every_launch_is_stored_once

pytestmark = [pytest.mark.mpi, pytest.mark.campaign]

#: Makes every launch take far longer than the plan expects.
SLOW = """#!/bin/bash
sleep 3
exec <real> "$@"
"""
TELL = "env | grep ^ISOCHRON_ > <file>"


#: What became of each attempt at a block.
OUTCOMES = "attempts/*/[0-9]*/outcome.json"


def told(path: Path) -> dict[str, str]:
    """What a hook was told."""
    return dict(line.split("=", 1) for line in path.read_text().splitlines() if "=" in line)


#: Two blocks of a launch, too few repetitions for the error that is asked for, and a hook for either end of a run.
DOCUMENT = {
    **ONE,
    "replication": {"blocks": 2, "launches_per_block": 1},
    "engine": {"max_reps": 60, "relative_error": 0.00001},
    "remeasure": {"rounds": 1, "blocks": 1},
}


def test_a_budget_ends_a_run_which_then_measures_again_what_is_in_doubt(tmp_path: Path) -> None:
    """What is in doubt is known from the analysis, which the second call makes."""
    place = Place(tmp_path)
    hook = TELL.replace("<file>", str(tmp_path / "told"))
    document = {**DOCUMENT, "hooks": {"on_failure": hook, "on_complete": f"{hook}; exit 3"}}
    run = build(place, document)
    limit = Plan.load(run.plan).node_hours * 1.3
    real = json.loads(run.manifest(STACK).read_text())["launcher"]["argv"][0]
    launcher = replace_launcher(place, SLOW)
    place.write(**{**document, "limits": {"node_hours": limit}})
    stops_over_budget(place, limit)
    said = told(tmp_path / "told")
    assert (said["ISOCHRON_EVENT"], said["ISOCHRON_STATE"]) == ("failure", "over-budget")
    assert said["ISOCHRON_REASON"] == RunState.load(run.state).reason

    launcher.write_text(SLOW.replace("sleep 3", "true").replace("<real>", real))
    place.write(**{**document, "limits": {"node_hours": 10.0}})
    measures_again(place)
    assert told(tmp_path / "told")["ISOCHRON_LAUNCHES"] == "3"
    assert "nothing to do" in place.isochron("run", "mini.yaml").stdout


def stops_over_budget(place: Place, limit: float) -> None:
    """The run ends before the block that may need more node hours than are left."""
    stopped = place.stored()
    run = place.run
    assert stopped.returncode == 4, stopped.stdout + stopped.stderr
    state = RunState.load(run.state)
    assert state.state == "over-budget"
    assert "may need" in state.reason
    assert state.measured_launches == 1
    plan = Plan.load(run.plan)
    spent, hours = usage(run, plan), [BlockState.load(path).node_hours for path in sorted(run.root.glob(OUTCOMES))]
    assert sum(hours[:-1]) <= limit, "the last block began within the budget; a busy machine may lengthen it beyond"
    assert spent.used + spent.estimate(1, plan.blocks[len(hours)].launches) > limit, (
        "another one might have exceeded it"
    )
    assert "stopped with 1 of 2 launches measured" in stopped.stdout


def measures_again(place: Place) -> None:
    """The run is analysed, and its one result, which is in doubt, measured in a further block."""
    done = place.isochron("run", "mini.yaml")
    run = place.run
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 result at 1 point needs remeasurement: round 1 adds 1 block" in done.stdout
    assert "hooks.on_complete: ended with code 3" in done.stderr
    assert_every_launch_is_stored_once(run)
    assert [block.round for block in Plan.load(run.plan).blocks] == [0, 0, 1]
    again = pd.read_csv(run.tables / "remeasured.csv")
    assert again[["first_launches", "again_launches"]].to_numpy().tolist() == [[2, 1]]
    assert "measured again" in run.report.read_text()


def test_every_timer_was_tried_before_each_block(finished: Place) -> None:
    table = pd.read_csv(finished.run.tables / "timers.csv")
    blocks = Plan.load(finished.run.plan).blocks
    assert len(finished.run.timer_checks()) == len(blocks)
    assert set(table["timer"]) == {"mpi-wtime", "clock-gettime", "gettimeofday", "tsc"}
    assert len(table) == 4 * table["host"].nunique() and table["checks"].eq(len(blocks)).all()
    used = table[table["timer"] == "clock-gettime"]
    assert set(used["verdict"]) <= {"good", "coarse", "slow"}
    assert used["cost_us"].between(0.001, 1000).all()
    assert "timers.csv" in finished.run.report.read_text()


def test_every_launch_tells_of_its_nodes(finished: Place) -> None:
    table = pd.read_csv(finished.run.tables / "provenance.csv")
    for launch in Plan.load(finished.run.plan).launches:
        known = read_provenance(finished.run.provenance(launch.name))
        host = known.launch["host"]
        raw = finished.run.launch(launch.name).read_text().splitlines()[0]
        assert [entry["name"] for entry in json.loads(raw)["hosts"]] == list(known.nodes) == [host]
        carried = {"openmpi-5.0": r"pml \S+, btl .*\bsm\b.*", "mpich-5.0": r"(ucx|provider) .+"}[launch.stack]
        assert re.fullmatch(carried, known.launch["transport"])
        assert {"kernel", "load_average", "clock_source", "transparent_huge_pages"} <= known.nodes[host].keys()
    assert table.set_index("fact").loc["kernel", "launches"] == 6
    assert "Transparent huge pages" in finished.run.report.read_text()
