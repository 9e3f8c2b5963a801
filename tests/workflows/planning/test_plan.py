# SPDX-License-Identifier: BSD-3-Clause
"""The plan holds every launch once, in blocks, in random but repeatable order."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from isochron.cli.main import main
from isochron.common.files import FileError
from isochron.schemas.run.next_blocks import Flagged, FlaggedPoint
from isochron.schemas.run.plan import Plan, Point
from isochron.workflows.planning.next_blocks import next_round
from isochron.workflows.planning.plan import make_plan, over_budget
from tests.workflows.conftest import CampaignFile, campaign


def test_every_stack_runs_on_every_point_in_every_block() -> None:
    plan = make_plan(campaign())
    assert [block.nodes for block in plan.blocks] == [1, 2, 1, 2, 1, 2]
    assert len(plan.launches) == 3 * 2 * 2 * 2
    assert max(Counter(launch.name for launch in plan.launches).values()) == 1
    for block in plan.blocks:
        assert {launch.point.nodes for launch in block.launches} == {block.nodes}
        assert Counter(launch.stack for launch in block.launches) == {"openmpi-5.0": 2, "mpich-5.0": 2}


def test_the_order_is_random_between_blocks_and_the_same_for_the_same_seed() -> None:
    many = campaign(replication={"blocks": 8, "launches_per_block": 3}, processes=[2])
    orders = [tuple(launch.stack for launch in block.launches) for block in make_plan(many).blocks]
    assert len(set(orders)) > 1
    assert make_plan(many) == make_plan(many)
    other = make_plan(many.model_copy(update={"seed": 2}))
    assert [block.launches for block in other.blocks] != [block.launches for block in make_plan(many).blocks]


def test_in_turns_the_launches_of_all_stacks_at_a_point_are_one_session() -> None:
    plan = make_plan(campaign(replication={"blocks": 4, "launches_per_block": 2, "design": "turns"}))
    for block in plan.blocks:
        sessions = [list(group) for _, group in groupby(block.launches, key=lambda launch: launch.session)]
        assert [len(session) for session in sessions] == [2, 2], "a session is not interrupted"
        for session in sessions:
            assert {launch.stack for launch in session} == {"openmpi-5.0", "mpich-5.0"}
            assert len({(launch.point, launch.launch) for launch in session}) == 1
            assert sum(launch.solo for launch in session) == 1
    alone = Counter((launch.point.processes, launch.stack) for launch in plan.launches if launch.solo)
    assert set(alone.values()) == {4}, "every stack measures alone equally often at each point"


def test_turns_need_two_stacks_on_a_real_machine_and_no_gate() -> None:
    turns = {"blocks": 2, "design": "turns"}
    with pytest.raises(ValidationError, match=r"replication\.design: one stack has nobody to take turns with"):
        campaign(stacks=["openmpi-5.0"], replication=turns)
    with pytest.raises(ValidationError, match=r"design: `engine\.probes: gate` .*; write `probes: record`"):
        campaign(engine={"probes": "gate"}, replication=turns)
    with pytest.raises(ValidationError, match=r"design: `engine\.buffers: cold` .*; write `buffers: warm`"):
        campaign(engine={"buffers": "cold"}, replication=turns)


def test_what_does_not_fit_is_listed_with_its_reason() -> None:
    plan = make_plan(
        campaign(
            processes=[2, 4, 8],
            processes_per_node=[2, 4],
            site={"nodes": 2, "cores_per_node": 2},
            allow_oversubscription=True,
        )
    )
    reasons = {(item.stack, item.point.processes, item.point.processes_per_node): item.reason for item in plan.skipped}
    assert "needs 4 nodes; site.nodes is 2" in reasons["openmpi-5.0", 8, 2]
    assert "spin while they wait" in reasons["mpich-5.0", 4, 4]
    assert "more than the 2 processes" in reasons["openmpi-5.0", 2, 4]
    planned = {(launch.stack, launch.point.processes, launch.point.processes_per_node) for launch in plan.launches}
    assert not planned & set(reasons)
    assert len(planned) + len(reasons) == 2 * 3 * 2
    assert ("openmpi-5.0", 4, 4) in planned


def test_oversubscription_must_be_asked_for() -> None:
    plan = make_plan(campaign(processes_per_node=[2, 4]))
    refused = {item.stack: item.reason for item in plan.skipped if item.point.processes == 4 == item.point.nodes * 4}
    too_many = "4 processes on a node with 2 cores"
    assert refused == {
        "openmpi-5.0": f"{too_many}; lower processes_per_node, or set allow_oversubscription: true",
        "mpich-5.0": f"{too_many}, and processes of this stack spin while they wait; lower processes_per_node",
    }


def test_a_campaign_of_which_nothing_can_run_is_refused() -> None:
    with pytest.raises(FileError, match="no launch can run here") as caught:
        make_plan(campaign(processes=[8, 16], processes_per_node=[8]))
    assert "lower processes_per_node, or set allow_oversubscription: true (openmpi-5.0)" in str(caught.value)
    assert str(caught.value).count("8 processes on a node") == 2  # a reason once, however many points it is about


def test_blocks_on_one_machine_are_not_run_side_by_side() -> None:
    with pytest.raises(FileError, match=r"site\.parallel_blocks"):
        make_plan(campaign(site={"nodes": 2, "cores_per_node": 2, "parallel_blocks": 2}))


def test_earlier_durations_are_the_estimate() -> None:
    point = Point(processes=2, processes_per_node=2, placement="packed")
    plan = make_plan(campaign(processes=[2]), {("openmpi-5.0", point): 7.25})
    seconds = {launch.stack: launch.seconds for launch in plan.launches}
    assert seconds["openmpi-5.0"] == 7.25
    assert 0 < seconds["mpich-5.0"] != 7.25


def test_passes_cost_what_they_last_and_the_runs_before_each() -> None:
    def seconds(**engine: float) -> float:
        return make_plan(campaign(processes=[2], engine=engine)).launches[0].seconds

    assert seconds(passes=1) < seconds(passes=8, pass_span=0.0) < seconds(passes=8, pass_span=0.0, warmup_reps=40)
    assert seconds(passes=8, pass_span=100.0) > 87.5 > seconds(passes=8)
    assert seconds(passes=1, pass_span=100.0) == seconds(passes=1)
    assert seconds(passes=1, operations_per_rep=50) > seconds(passes=1, operations_per_rep=1) == seconds(passes=1)


def test_the_budget() -> None:
    asked = campaign(limits={"node_hours": 1e-6})
    problem = over_budget(asked, make_plan(asked))
    assert problem is not None
    assert "limits.node_hours = 1e-06" in problem
    assert over_budget(campaign(limits={"node_hours": 100}), make_plan(campaign())) is None


def test_node_hours_are_nodes_times_time() -> None:
    plan = make_plan(campaign())
    assert plan.node_hours == pytest.approx(sum(block.nodes * block.seconds for block in plan.blocks) / 3600)


@pytest.mark.parametrize("verb", ["plan", "run"])
def test_over_budget_is_exit_4_and_measures_nothing(
    verb: str, campaign_file: CampaignFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = campaign_file(limits={"node_hours": 1e-6})
    assert main([verb, str(path), "--results", str(tmp_path / "results")]) == 4
    assert "node hours, more than limits.node_hours" in capsys.readouterr().err
    assert not (tmp_path / "results").exists()


def test_plan_prints_one_row_a_launch(campaign_file: CampaignFile, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(campaign_file()), "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["launch"] for row in rows] == [launch.name for launch in make_plan(campaign()).launches]


def test_plan_survives_its_file(tmp_path: Path) -> None:
    plan = make_plan(campaign())
    plan.save(tmp_path / "plan.json")
    assert Plan.load(tmp_path / "plan.json") == plan


def test_a_contrast_is_one_more_launch_of_what_it_can_measure() -> None:
    plan = make_plan(
        campaign(operations=["barrier", "bcast", "reduce"], contrasts={"rotating-root": {"scheme": "rotating-root"}})
    )
    further = [launch for launch in plan.launches if launch.contrast]
    assert len(further) == len(plan.launches) / 2
    assert max(Counter(launch.name for launch in plan.launches).values()) == 1
    assert {tuple(launch.operations) for launch in further} == {("bcast", "reduce")}
    assert {launch.contrast for launch in further} == {"rotating-root"}
    assert not [launch for launch in make_plan(campaign()).launches if launch.contrast]
    with pytest.raises(ValidationError, match=r"contrasts\.loop: identical to `engine`"):
        campaign(contrasts={"loop": {"scheme": "loop"}}, engine={"scheme": "loop"})


def test_every_contrast_is_launched_as_often_as_the_results_and_costs_what_it_takes() -> None:
    """Two timers, cold buffers and a loop of four times the runs, in one campaign."""
    ways = {
        "tsc": {"timer": "tsc"},
        "cold": {"buffers": "cold"},
        "long": {"scheme": "loop", "max_valid": 400, "max_reps": 1600},
    }
    once = {"passes": 1, "warmup_time": 0}  # several, and a warm-up, take their time however few the runs
    plan, plain = make_plan(campaign(contrasts=ways, engine=once)), make_plan(campaign(engine=once))
    count = Counter(launch.contrast for launch in plan.launches)
    assert count == {name: len(plain.launches) for name in ("", *ways)}
    seconds = {(launch.contrast, launch.stack, launch.point): launch.seconds for launch in plan.launches}
    for stack in campaign().stacks:
        for point in plan.points:
            start = 1.5 + (0.004 + 0.002) * point.processes
            own = seconds["", stack, point]
            assert seconds["cold", stack, point] == own
            assert seconds["long", stack, point] == pytest.approx(start + 4 * (own - start), abs=0.01)
    assert plan.node_hours > 4 * plain.node_hours
    assert plan.digest != plain.digest == make_plan(campaign(engine=once | {"sync_patience": 100})).digest


def test_synchronisers_are_compared_once_and_apart_from_the_results() -> None:
    """Each but the campaign's own, once a stack and point, in the first block of the point, of the first operation."""
    plain, plan = make_plan(campaign()), make_plan(campaign(compare_clock_syncs=["linear", "ring", "hca3"]))
    further = [launch for launch in plan.launches if not launch.of_results]
    assert len(plan.launches) - len(further) == len(plain.launches)
    assert Counter((launch.stack, launch.point, launch.clock_sync) for launch in further) == {
        (stack, point, sync): 1 for stack in campaign().stacks for point in plan.points for sync in ("linear", "hca3")
    }
    assert {launch.block for launch in further} == {1, 2}
    assert {(*launch.operations, *launch.sizes) for launch in further} == {("barrier", 8)}
    assert max(Counter(launch.name for launch in plan.launches).values()) == 1


def test_a_further_round_compares_no_synchronisers_again() -> None:
    asked = campaign(
        compare_clock_syncs=["hca3"], contrasts={"barrier": {"scheme": "barrier"}}, remeasure={"rounds": 1, "blocks": 2}
    )
    plan = make_plan(asked)
    flagged = Flagged(rows=[], points=[FlaggedPoint(point=plan.points[0], degree=1.0, hosts=[])])
    extended, _ = next_round(asked, plan, flagged, None, lambda *_: 0.0)
    again = [launch for block in extended.blocks if block.round for launch in block.launches]
    assert again and all(launch.of_results for launch in again)


def test_sizes_of_single_operations_are_measured_in_launches_of_their_own() -> None:
    chosen = campaign(sizes_by_operation={"bcast": [1024]}, operations=["barrier", "bcast", "reduce"], processes=[2])
    assert chosen.chosen == [("barrier", 0), ("bcast", 1024), ("reduce", 8), ("reduce", 1024)]
    plan = make_plan(chosen)
    block = [launch for launch in plan.blocks[0].launches if launch.stack == "mpich-5.0"]
    measured = [sorted(launch.cases(chosen.operations, chosen.sizes)) for launch in block]
    assert sorted(case for cases in measured for case in cases) == sorted(chosen.chosen * 2)
    assert len(block) == 4 and len({launch.name for launch in block}) == 4


def test_a_size_that_one_operation_alone_has_need_not_suit_the_others() -> None:
    """4 MiB of each of 512 processes are 2³¹ bytes, one more than gather without large counts can take."""
    asked: dict[str, Any] = {"operations": ["ping-pong", "gather"], "sizes": [128, 2**22], "processes": [512]}
    with pytest.raises(ValueError, match="4194304 bytes are too many for gather on 512 processes"):
        campaign(**asked)
    chosen = campaign(**asked, sizes_by_operation={"gather": [128]}).chosen
    assert chosen == [("ping-pong", 128), ("ping-pong", 2**22), ("gather", 128)]


@pytest.mark.parametrize(
    ("sizes_by_operation", "said"),
    [
        ({"brcast": [8]}, "sizes_by_operation: 'brcast' is not among the operations, did you mean 'bcast'?"),
        ({"barrier": [8]}, "sizes_by_operation.barrier: the operation has no size"),
        ({"bcast": [16]}, "sizes_by_operation.bcast: 16 is not among `sizes`"),
    ],
)
def test_sizes_of_operations_are_sizes_of_the_campaign(sizes_by_operation: dict[str, list[int]], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        campaign(sizes_by_operation=sizes_by_operation)
