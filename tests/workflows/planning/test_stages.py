# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of a sequential campaign: all at worst, then only what a look has left open, within the budget."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from pydantic import ValidationError

from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.interim import Comparison
from isochron.workflows.planning import expected
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.planning.stages import next_stage
from tests.workflows.conftest import SMALL, campaign

STACKS = ["openmpi-5.0", "mpich-5.0", "mpich-4.3"]
REPLICATION = {"blocks": 10, "launches_per_block": 2, "sequential": True}
THREE = campaign(stacks=STACKS, replication=REPLICATION)
PLAN = make_plan(THREE)


def comparison(operation: str, size: int, point: int = 0, other: str = "mpich-5.0") -> Comparison:
    return Comparison(
        baseline="openmpi-5.0", candidate=other, operation=operation, bytes=size, point=PLAN.points[point]
    )


def hours(nodes: int, launches: Any) -> float:
    return float(nodes * len(launches))


def test_the_plan_has_the_first_stage_and_the_worst_case() -> None:
    assert THREE.interim_blocks == [5, 7]
    assert Counter(block.stage for block in PLAN.blocks) == {0: 10}, "two node counts"
    assert Counter(block.stage for block in PLAN.later) == {1: 4, 2: 6}
    fixed = make_plan(campaign(stacks=STACKS, replication={**REPLICATION, "sequential": False}))
    assert [block.launches for block in PLAN.worst_case.blocks] == [block.launches for block in fixed.blocks]
    assert not fixed.later


def test_both_stacks_of_an_open_pair_are_measured_and_nothing_else() -> None:
    fresh, left_out = next_stage(THREE, PLAN, [comparison("bcast", 1024)], None, hours)
    added = fresh.blocks[len(PLAN.blocks) :]
    assert (fresh.blocks[: len(PLAN.blocks)], left_out) == (PLAN.blocks, 0)
    assert [block.stage for block in added] == [1, 1]
    for block in added:
        assert Counter(launch.stack for launch in block.launches) == {"openmpi-5.0": 2, "mpich-5.0": 2}
        assert {launch.point for launch in block.launches} == {PLAN.points[0]}
        for launch in block.launches:
            assert launch.cases(THREE.operations, THREE.sizes) == [("bcast", 1024)]
            assert launch.seconds < PLAN.launches[0].seconds
        worst = next(each for each in PLAN.later if each.index == block.index)
        kept = {launch.name for launch in block.launches}
        in_the_plan = [launch.name for launch in worst.launches if launch.name in kept]
        assert [launch.name for launch in block.launches] == in_the_plan, "in the order that was drawn"
    assert {block.stage for block in fresh.later} == {2}


def test_every_combination_of_what_is_open_is_measured() -> None:
    still = [comparison("barrier", 0), comparison("bcast", 8, other="mpich-4.3"), comparison("barrier", 0, point=1)]
    fresh, _ = next_stage(THREE, PLAN, still, None, hours)
    seen = {
        (launch.stack, launch.point.label, case)
        for block in fresh.blocks[len(PLAN.blocks) :]
        for launch in block.launches
        for case in launch.cases(THREE.operations, THREE.sizes)
    }
    first, second = PLAN.points[0].label, PLAN.points[1].label
    both = {(stack, first, case) for stack in STACKS for case in (("barrier", 0), ("bcast", 8))}
    assert seen == both | {(stack, second, ("barrier", 0)) for stack in STACKS[:2]}


def test_where_nothing_is_open_or_fits_no_block_is_left() -> None:
    done, left_out = next_stage(THREE, PLAN, [], None, hours)
    assert (done.blocks, done.later, left_out) == (PLAN.blocks, [], 0)
    still = [comparison("bcast", 8), comparison("bcast", 1024), comparison("bcast", 8, point=1)]
    one, left_out = next_stage(THREE, PLAN, still, 8.0, hours)
    assert {launch.point for block in one.blocks if block.stage for launch in block.launches} == {PLAN.points[0]}
    assert left_out == 1, "the point with more comparisons comes first"
    none, left_out = next_stage(THREE, PLAN, still, 1.0, hours)
    assert (none.blocks, none.later, left_out) == (PLAN.blocks, [], 2)


def test_the_last_stage_leaves_none() -> None:
    still = [comparison("bcast", 8)]
    second, _ = next_stage(THREE, PLAN, still, None, hours)
    third, _ = next_stage(THREE, second, still, None, hours)
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
    worst = PLAN.worst_case
    costs = [expected.expected(THREE, PLAN, spread) for spread in (0.005, 0.02, 0.2)]
    assert len(PLAN.launches) == pytest.approx(costs[0].launches, abs=0.5)
    assert costs[0].launches < costs[1].launches < costs[2].launches <= len(worst.launches)
    assert costs[0].node_hours < costs[1].node_hours < costs[2].node_hours <= worst.node_hours * 1.001
    assert "interim analyses at 5, 7 of 10 blocks" in expected.words(THREE, PLAN)
    assert expected.words(campaign(), make_plan(campaign())) == ""
