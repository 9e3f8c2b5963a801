# SPDX-License-Identifier: BSD-3-Clause
"""A further round of blocks for results to be measured again, appended to the plan."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.plan import Block, Plan, PlannedLaunch, launch_name
from isochron.schemas.run.remeasure import Flagged, FlaggedPoint

#: Node hours that launches on so many nodes will need.
Estimate = Callable[[int, Iterable[PlannedLaunch]], float]


def next_round(
    campaign: Campaign, plan: Plan, flagged: Flagged, left: float | None, estimate: Estimate
) -> tuple[Plan, list[FlaggedPoint]]:
    """The plan with one more round, and the points that `left` node hours do not suffice for.

    Every stack of a point is measured again, not only the one in doubt: a block stays a complete block, in
    which stacks can be compared. The greatest doubt comes first, and the plan is the same where nothing fits.
    """
    chosen: list[FlaggedPoint] = []
    unaffordable: list[FlaggedPoint] = []
    for point in flagged.points:
        template = _template(plan, point)
        launches = [launch for launch in template.launches if launch.point == point.point and launch.of_results]
        cost = campaign.remeasure.blocks * estimate(template.nodes, launches)
        if left is not None and cost > left:
            unaffordable.append(point)
            continue
        left = None if left is None else left - cost
        chosen.append(point)
    number = rounds(plan) + 1
    blocks = list(plan.blocks)
    templates = {_template(plan, point).index: _template(plan, point) for point in chosen}
    for repetition in range(campaign.remeasure.blocks):
        for _, template in sorted(templates.items()):
            group = [point for point in chosen if _template(plan, point) == template]
            blocks.append(_block(campaign, template, group, len(blocks) + 1, number, repetition))
    return plan.model_copy(update={"blocks": blocks}), unaffordable


def rounds(plan: Plan) -> int:
    """Further rounds that a plan has already."""
    return max(block.round for block in plan.blocks)


def _template(plan: Plan, point: FlaggedPoint) -> Block:
    """The first block that holds the point."""
    return next(block for block in plan.blocks if any(launch.point == point.point for launch in block.launches))


def _block(
    campaign: Campaign, template: Block, group: list[FlaggedPoint], index: int, number: int, repetition: int
) -> Block:
    """One block of a round: the points of one allocation, on nodes on which the first was measured."""
    points = {point.point for point in group}
    launches = [
        launch.model_copy(
            update={"name": launch_name(launch.stack, launch.point, index, launch.launch), "block": index}
        )
        for launch in template.launches
        if launch.point in points and launch.of_results
    ]
    random.Random(f"{campaign.seed}:doubt:{index}").shuffle(launches)
    seen = group[0].hosts
    again = [host.split(".")[0] for host in seen[repetition % len(seen)]] if seen else []
    return template.model_copy(
        update={
            "name": f"b{index:03d}",
            "index": index,
            "launches": launches,
            "round": number,
            "hosts": template.hosts or again,
        }
    )
