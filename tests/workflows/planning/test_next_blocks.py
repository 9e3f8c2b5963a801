# SPDX-License-Identifier: BSD-3-Clause
"""Blocks added to a plan: remeasurement and stages."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import Any

import pytest
from pydantic import ValidationError

from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.replication import Remeasure
from isochron.schemas.run.next_blocks import Comparison, Flagged, FlaggedPoint
from isochron.schemas.run.plan import PlannedLaunch
from isochron.workflows.planning import power
from isochron.workflows.planning.next_blocks import next_round, next_stage, rounds
from isochron.workflows.planning.plan import make_plan
from tests.workflows.conftest import SMALL, campaign

DOUBT = campaign(remeasure={"rounds": 2, "blocks": 2})
PLAN = make_plan(DOUBT)


def flagged(*points: int) -> Flagged:
    found = [FlaggedPoint(point=PLAN.points[each], degree=1.0, hosts=[["a"], ["b"]]) for each in points]
    return Flagged(rows=[], points=found)


def hours(nodes: int, launches: object) -> float:
    assert isinstance(launches, list)
    assert all(isinstance(launch, PlannedLaunch) for launch in launches)
    return float(nodes)


def test_every_stack_of_the_point_is_measured_again_in_new_blocks() -> None:
    fresh, unaffordable = next_round(DOUBT, PLAN, flagged(0), None, hours)
    added = fresh.blocks[len(PLAN.blocks) :]
    assert fresh.blocks[: len(PLAN.blocks)] == PLAN.blocks
    assert not unaffordable
    assert [(block.round, block.nodes, block.hosts) for block in added] == [(1, 1, ["a"]), (1, 1, ["b"])]
    for block in added:
        assert Counter(launch.stack for launch in block.launches) == {"openmpi-5.0": 2, "mpich-5.0": 2}
        assert {launch.point for launch in block.launches} == {PLAN.points[0]}
        assert {launch.block for launch in block.launches} == {block.index}
    assert max(Counter(launch.name for launch in fresh.launches).values()) == 1
    assert rounds(fresh) == 1
    assert rounds(next_round(DOUBT, fresh, flagged(1), None, hours)[0]) == 2


def test_a_round_in_turns_keeps_its_sessions_together() -> None:
    """A session waits for all its launches, so others between them would wait for ever."""
    replication = {"blocks": 3, "launches_per_block": 3, "design": "turns"}
    planned = make_plan(campaign(remeasure={"rounds": 1, "blocks": 6}, replication=replication, processes=[2]))
    again = Flagged(rows=[], points=[FlaggedPoint(point=planned.points[0], degree=1.0, hosts=[["a"]])])
    fresh, _ = next_round(DOUBT.model_copy(update={"remeasure": Remeasure(blocks=6)}), planned, again, None, hours)
    for block in fresh.blocks[len(planned.blocks) :]:
        sessions = [name for name, _ in groupby(launch.session for launch in block.launches)]
        assert len(sessions) == len(set(sessions)) == 3


def test_points_that_cost_too_much_are_left_and_named() -> None:
    fresh, unaffordable = next_round(DOUBT, PLAN, flagged(1, 0), 3.0, hours)
    assert [each.point for each in unaffordable] == [PLAN.points[1]]
    assert {launch.point for block in fresh.blocks if block.round for launch in block.launches} == {PLAN.points[0]}
    assert next_round(DOUBT, PLAN, flagged(0), 1.0, hours)[0] == PLAN


def test_any_beginning_of_the_plan_has_something_of_everything() -> None:
    """Repetitions come one after another: after any block no two cases differ by more than one replication."""
    counts: Counter[tuple[str, object]] = Counter({(launch.stack, launch.point): 0 for launch in PLAN.launches})
    for block in PLAN.blocks:
        counts.update((launch.stack, launch.point) for launch in block.launches)
        assert max(counts.values()) - min(counts.values()) <= DOUBT.replication.launches_per_block


STACKS = ["openmpi-5.0", "mpich-5.0", "mpich-4.3"]
REPLICATION = {"blocks": 10, "launches_per_block": 2, "sequential": True}
THREE = campaign(stacks=STACKS, replication=REPLICATION)
STAGED = make_plan(THREE)


def comparison(operation: str, size: int, point: int = 0, other: str = "mpich-5.0") -> Comparison:
    return Comparison(
        baseline="openmpi-5.0", candidate=other, operation=operation, bytes=size, point=STAGED.points[point]
    )


def hours_by_nodes(nodes: int, launches: Any) -> float:
    return float(nodes * len(launches))


def test_the_plan_has_the_first_stage_and_the_worst_case() -> None:
    assert THREE.interim_blocks == [5, 7]
    assert Counter(block.stage for block in STAGED.blocks) == {0: 10}, "two node counts"
    assert Counter(block.stage for block in STAGED.later) == {1: 4, 2: 6}
    fixed = make_plan(campaign(stacks=STACKS, replication={**REPLICATION, "sequential": False}))
    assert [block.launches for block in STAGED.worst_case.blocks] == [block.launches for block in fixed.blocks]
    assert not fixed.later


def test_both_stacks_of_an_open_pair_are_measured_and_nothing_else() -> None:
    fresh, left_out = next_stage(THREE, STAGED, [comparison("bcast", 1024)], None, hours_by_nodes)
    added = fresh.blocks[len(STAGED.blocks) :]
    assert (fresh.blocks[: len(STAGED.blocks)], left_out) == (STAGED.blocks, 0)
    assert [block.stage for block in added] == [1, 1]
    for block in added:
        assert Counter(launch.stack for launch in block.launches) == {"openmpi-5.0": 2, "mpich-5.0": 2}
        assert {launch.point for launch in block.launches} == {STAGED.points[0]}
        for launch in block.launches:
            assert launch.cases(THREE.operations, THREE.sizes) == [("bcast", 1024)]
            assert launch.seconds < STAGED.launches[0].seconds
        worst = next(each for each in STAGED.later if each.index == block.index)
        kept = {launch.name for launch in block.launches}
        in_the_plan = [launch.name for launch in worst.launches if launch.name in kept]
        assert [launch.name for launch in block.launches] == in_the_plan, "in the order that was drawn"
    assert {block.stage for block in fresh.later} == {2}


def test_every_combination_of_what_is_open_is_measured() -> None:
    still = [comparison("barrier", 0), comparison("bcast", 8, other="mpich-4.3"), comparison("barrier", 0, point=1)]
    fresh, _ = next_stage(THREE, STAGED, still, None, hours_by_nodes)
    seen = {
        (launch.stack, launch.point.label, case)
        for block in fresh.blocks[len(STAGED.blocks) :]
        for launch in block.launches
        for case in launch.cases(THREE.operations, THREE.sizes)
    }
    first, second = STAGED.points[0].label, STAGED.points[1].label
    both = {(stack, first, case) for stack in STACKS for case in (("barrier", 0), ("bcast", 8))}
    assert seen == both | {(stack, second, ("barrier", 0)) for stack in STACKS[:2]}


def test_where_nothing_is_open_or_fits_no_block_is_left() -> None:
    done, left_out = next_stage(THREE, STAGED, [], None, hours_by_nodes)
    assert (done.blocks, done.later, left_out) == (STAGED.blocks, [], 0)
    still = [comparison("bcast", 8), comparison("bcast", 1024), comparison("bcast", 8, point=1)]
    one, left_out = next_stage(THREE, STAGED, still, 8.0, hours_by_nodes)
    assert {launch.point for block in one.blocks if block.stage for launch in block.launches} == {STAGED.points[0]}
    assert left_out == 1, "the point with more comparisons comes first"
    none, left_out = next_stage(THREE, STAGED, still, 1.0, hours_by_nodes)
    assert (none.blocks, none.later, left_out) == (STAGED.blocks, [], 2)


def test_the_last_stage_leaves_none() -> None:
    still = [comparison("bcast", 8)]
    second, _ = next_stage(THREE, STAGED, still, None, hours_by_nodes)
    third, _ = next_stage(THREE, second, still, None, hours_by_nodes)
    assert (third.stage, third.later) == (2, [])
    assert len({launch.name for launch in third.launches}) == len(third.launches)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"stacks": ["openmpi-5.0"]}, "replication.sequential: one stack"),
        ({"remeasure": {"rounds": 1}}, "remeasure.rounds: not allowed with replication.sequential"),
        ({"replication": {**REPLICATION, "blocks": 4}}, "4 × 2 launches are too few"),
    ],
)
def test_what_cannot_be_sequential_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Campaign.model_validate({**SMALL, "replication": REPLICATION, **changes})


def test_a_quiet_machine_is_expected_to_cost_less() -> None:
    worst = STAGED.worst_case
    costs = [power.expected_cost(THREE, STAGED, spread) for spread in (0.005, 0.02, 0.2)]
    assert len(STAGED.launches) == pytest.approx(costs[0].launches, abs=0.5)
    assert costs[0].launches < costs[1].launches < costs[2].launches <= len(worst.launches)
    assert costs[0].node_hours < costs[1].node_hours < costs[2].node_hours <= worst.node_hours * 1.001
    assert "interim analyses at 5, 7 of 10 blocks" in power.format_expected_cost(THREE, STAGED)
    assert power.format_expected_cost(campaign(), make_plan(campaign())) == ""
