# SPDX-License-Identifier: BSD-3-Clause
"""Launches of other benchmarks in the plan, and the engine's launches that imitate them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from isochron.reframe_checks.launch.tools import line
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import tool_of
from isochron.schemas.run.plan import Plan, PlannedLaunch
from isochron.schemas.run.tools import Program, Programs
from isochron.workflows.campaign_file import load_campaign, shipped_campaigns
from isochron.workflows.planning.plan import digest, make_plan


def campaign(**changes: Any) -> Campaign:
    document = {
        "schema": 1, "name": "crossed", "stacks": ["intel-mpi-2021", "mpich-5.0"], "stack_source": "wheels",
        "operations": ["barrier", "bcast", "scan"], "sizes": [8, 1024], "processes": [2], "processes_per_node": [2],
        "replication": {"blocks": 3, "launches_per_block": 1}, "site": {"cores_per_node": 4}, "tools": ["imb"],
    }  # fmt: skip
    return Campaign.model_validate({**document, **changes})


def of_tools(plan: Plan) -> list[PlannedLaunch]:
    return [launch for launch in plan.launches if launch.tool]


def test_every_block_has_a_launch_of_imb_and_the_engine_in_its_ways() -> None:
    plan = make_plan(campaign())
    for block in plan.blocks:
        (imb,) = (launch for launch in block.launches if launch.tool)
        assert (imb.stack, imb.operations, imb.of_results) == ("intel-mpi-2021", ["barrier", "bcast"], False)
        assert tool_of(imb.name) == "imb" and imb.file.endswith(".imb.tool-output")
        like = {launch.contrast: launch.operations for launch in block.launches if launch.contrast}
        assert like == {"imb-loop": ["barrier"], "imb-barrier": ["bcast"]}
        assert {launch.stack for launch in block.launches if launch.contrast} == {"intel-mpi-2021"}
    places = {tuple(bool(launch.tool) for launch in block.launches) for block in plan.blocks}
    assert len(places) > 1, "in random order with the engine's"


def test_a_stack_without_the_tool_is_left_out_with_the_reason() -> None:
    (skipped,) = make_plan(campaign()).skipped
    assert (skipped.stack, skipped.label) == ("mpich-5.0", "tools: imb")
    assert "do not contain imb" in skipped.reason and "path" in skipped.reason


def test_osu_has_a_launch_for_each_operation() -> None:
    plan = make_plan(campaign(tools=[{"name": "osu", "path": "/opt/osu/{stack}"}]))
    first = [launch for launch in plan.blocks[0].launches if launch.tool]
    assert sorted((launch.stack, *launch.operations) for launch in first) == [
        ("intel-mpi-2021", "barrier"), ("intel-mpi-2021", "bcast"), ("mpich-5.0", "barrier"), ("mpich-5.0", "bcast"),
    ]  # fmt: skip
    assert len({launch.name for launch in plan.launches}) == len(plan.launches)


def test_messages_are_the_same_between_two_processes_only() -> None:
    words = {"operations": ["ping-pong", "bcast"], "processes": [2, 4], "processes_per_node": [4, 2]}
    plan = make_plan(campaign(**words))
    measured = {launch.point.processes: launch.operations for launch in of_tools(plan)}
    assert measured == {2: ["ping-pong", "bcast"], 4: ["bcast"]}


def test_tools_decide_about_the_measurement() -> None:
    assert digest(campaign(tools=[])) != digest(campaign()) != digest(campaign(tools=["osu", "imb"]))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"tools": ["imb", "imb"]}, "imb is listed twice"),
        ({"operations": ["scan"]}, "imb has no benchmark for this campaign's"),
        ({"tools": [{"name": "imb", "stacks": ["openmpi-5.0"]}]}, "'openmpi-5.0' is not among the stacks"),
        ({"contrasts": {"imb-loop": {"scheme": "loop"}}}, "`tools` defines a contrast of this name"),
        ({"tools": ["osu"], "operations": ["bcast"], "sizes": [0]}, "osu has no benchmark"),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        campaign(**changes)


def test_the_words_of_each_tool(tmp_path: Path) -> None:
    launches = {
        launch.tool: launch for launch in of_tools(make_plan(campaign(tools=["imb", {"name": "osu", "path": "x"}])))
    }
    programs = {name: Program(path=f"/opt/{name}", sha256="0") for name in ("bcast", "barrier", "ping-pong")}
    known = Programs(tool="imb", stack="s", source="path", programs=programs, witness=Program(path="w", sha256="0"))
    imb = line(launches["imb"], known, [8, 1024], tmp_path)
    listed = f"{launches['imb'].name}.sizes"
    assert imb.words == ["-npmin", "2", "-msglen", str(tmp_path / listed), "Barrier", "Bcast"]
    assert imb.files == {listed: "8\n1024\n"}
    osu = launches["osu"].model_copy(update={"operations": ["bcast"]})
    assert line(osu, known, [3, 8, 1000], tmp_path).words == ["-f", "-m", "3:768"]
    latency = launches["osu"].model_copy(update={"operations": ["ping-pong"]})
    assert line(latency, known, [8], tmp_path).words == ["-m", "8:8"]


def test_the_shipped_campaign_plans_imb_in_the_blocks_of_the_demo() -> None:
    assert "demo-tools" in shipped_campaigns()
    path = Path(__file__).parents[3] / "workflows" / "campaigns" / "demo-tools.yaml"
    chosen = load_campaign(path).model_copy(update={"stack_source": "wheels"})
    plan = make_plan(chosen.model_copy(update={"site": chosen.site.model_copy(update={"cores_per_node": 2})}))
    assert all(sum(launch.tool == "imb" for launch in block.launches) == 2 for block in plan.blocks)
