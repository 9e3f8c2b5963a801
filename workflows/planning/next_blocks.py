# SPDX-License-Identifier: BSD-3-Clause
"""Blocks added to a plan: for remeasurement, and for the next stage of a sequential campaign."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from isochron.schemas.engine.contract import WITHOUT_DATA
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.next_blocks import Comparison, Flagged, FlaggedPoint
from isochron.schemas.run.plan import Block, Plan, PlannedLaunch, Point, launch_name
from isochron.workflows.planning.estimate import START_S

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


@dataclass
class Needed:
    """What a point still needs: launches of these stacks, all of the same operations and sizes."""

    stacks: set[str] = field(default_factory=set)
    operations: set[str] = field(default_factory=set)
    sizes: set[int] = field(default_factory=set)


def next_stage(
    campaign: Campaign, plan: Plan, still_open: list[Comparison], left: float | None, estimate: Estimate
) -> tuple[Plan, int]:
    """The plan with the blocks up to the next look, and how many points `left` node hours do not suffice for.

    Both stacks of an open pair are measured. The points with most open comparisons come first; where nothing is open or
    nothing fits, no block is left for later.
    """
    needed = needs(still_open)
    due = [block for block in plan.later if block.stage == plan.stage + 1]
    counts = Counter(each.point for each in still_open)
    fitting: set[Point] = set()
    for point, _ in counts.most_common():
        parts = [(block.nodes, narrowed(block, {point: needed[point]}, campaign).launches) for block in due]
        cost = sum(estimate(nodes, launches) for nodes, launches in parts)
        if left is not None and cost > left:
            continue
        left = None if left is None else left - cost
        fitting.add(point)
    wanted = {point: each for point, each in needed.items() if point in fitting}
    fresh = [block for each in due if (block := narrowed(each, wanted, campaign)).launches]
    later = [block for block in plan.later if block.stage > plan.stage + 1] if fresh else []
    return plan.model_copy(update={"blocks": [*plan.blocks, *fresh], "later": later}), len(counts) - len(fitting)


def needs(still_open: list[Comparison]) -> dict[Point, Needed]:
    """By point, in its order."""
    found: dict[Point, Needed] = {}
    for each in still_open:
        need = found.setdefault(each.point, Needed())
        need.stacks |= {each.baseline, each.candidate}
        need.operations.add(each.operation)
        if each.operation not in WITHOUT_DATA:
            need.sizes.add(each.bytes)
    return found


def narrowed(block: Block, needed: dict[Point, Needed], campaign: Campaign) -> Block:
    """The block with its launches of the results that are needed, in their order, of what is needed."""
    launches = [
        _narrow(launch, needed[launch.point], campaign)
        for launch in block.launches
        if launch.of_results and launch.point in needed and launch.stack in needed[launch.point].stacks
    ]
    return block.model_copy(update={"launches": launches})


def _narrow(launch: PlannedLaunch, need: Needed, campaign: Campaign) -> PlannedLaunch:
    """A launch of every combination of the operations and sizes that are needed: a few of those may be decided."""
    operations = [name for name in campaign.operations if name in need.operations]
    sizes = [size for size in campaign.sizes if size in need.sizes] or campaign.sizes[:1]
    before = len(launch.cases(campaign.operations, campaign.sizes))
    start = min(START_S, launch.seconds)
    share = len(launch.model_copy(update={"operations": operations, "sizes": sizes}).cases([], [])) / before
    return launch.model_copy(
        update={
            "operations": operations if operations != campaign.operations else launch.operations,
            "sizes": sizes if sizes != campaign.sizes else launch.sizes,
            "seconds": round(start + share * (launch.seconds - start), 3),
        }
    )
