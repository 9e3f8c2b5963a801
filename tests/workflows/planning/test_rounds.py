# SPDX-License-Identifier: BSD-3-Clause
"""A further round is appended to the plan: whole blocks of the points in doubt, within the budget."""

from __future__ import annotations

from collections import Counter

from isochron.schemas.run.plan import PlannedLaunch
from isochron.schemas.run.remeasure import Flagged, FlaggedPoint
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.planning.remeasure import next_round, rounds
from tests.workflows.conftest import campaign

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
