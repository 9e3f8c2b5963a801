# SPDX-License-Identifier: BSD-3-Clause
"""Blocks added to a plan: for remeasurement, and for the next stage of a sequential campaign."""

import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from isochron.schemas.engine.contract import WITHOUT_DATA
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.next_blocks import Comparison, Flagged, FlaggedPoint
from isochron.schemas.run.plan import Block, Plan, PlannedLaunch, Point, launch_name
from isochron.workflows.planning.estimate import START_S
from isochron.workflows.planning.plan import in_random_order

#: Estimate of the node hours of launches on N nodes.
Estimate = Callable[[int, Iterable[PlannedLaunch]], float]


def next_round(
    campaign: Campaign, plan: Plan, flagged: Flagged, remaining_hours: float | None, estimate: Estimate
) -> tuple[Plan, list[FlaggedPoint]]:
    """Return the plan with one more round, and the points for which `remaining_hours` node hours are not enough.

    Every stack of a point is measured again, not only the flagged one, so that stacks can be compared within each
    block. Points with the highest degree come first; the plan is unchanged if no point fits.
    """
    selected: list[FlaggedPoint] = []
    unaffordable: list[FlaggedPoint] = []
    for point in flagged.points:
        template = _template(plan, point)
        launches = [launch for launch in template.launches if launch.point == point.point and launch.of_results]
        cost = campaign.remeasure.blocks * estimate(template.nodes, launches)
        if remaining_hours is not None and cost > remaining_hours:
            unaffordable.append(point)
            continue
        remaining_hours = None if remaining_hours is None else remaining_hours - cost
        selected.append(point)
    number = rounds(plan) + 1
    blocks = list(plan.blocks)
    templates = {_template(plan, point).index: _template(plan, point) for point in selected}
    for repetition in range(campaign.remeasure.blocks):
        for _, template in sorted(templates.items()):
            group = [point for point in selected if _template(plan, point) == template]
            blocks.append(_block(campaign, template, group, len(blocks) + 1, number, repetition))
    return plan.model_copy(update={"blocks": blocks}), unaffordable


def rounds(plan: Plan) -> int:
    """Return the number of further rounds in a plan."""
    return max(block.round for block in plan.blocks)


def _template(plan: Plan, point: FlaggedPoint) -> Block:
    """Return the first block with the point."""
    return next(block for block in plan.blocks if any(launch.point == point.point for launch in block.launches))


def _block(
    campaign: Campaign, template: Block, group: list[FlaggedPoint], index: int, number: int, repetition: int
) -> Block:
    """Return one block of a round: the points of one allocation, on nodes on which the first was measured."""
    points = {point.point for point in group}
    launches = [
        launch.model_copy(
            update={"name": launch_name(launch.stack, launch.point, index, launch.launch), "block": index}
        )
        for launch in template.launches
        if launch.point in points and launch.of_results
    ]
    launches = in_random_order(launches, random.Random(f"{campaign.seed}:doubt:{index}"))
    hosts_of_launches = group[0].hosts
    hosts = (
        [host.split(".")[0] for host in hosts_of_launches[repetition % len(hosts_of_launches)]]
        if hosts_of_launches
        else []
    )
    return template.model_copy(
        update={
            "name": f"b{index:03d}",
            "index": index,
            "launches": launches,
            "round": number,
            "hosts": template.hosts or hosts,
        }
    )


@dataclass
class Needed:
    """The stacks, operations and sizes that a point still needs; all launches have the same operations and sizes."""

    stacks: set[str] = field(default_factory=set)
    operations: set[str] = field(default_factory=set)
    sizes: set[int] = field(default_factory=set)


def next_stage(
    campaign: Campaign, plan: Plan, still_open: list[Comparison], remaining_hours: float | None, estimate: Estimate
) -> tuple[Plan, int]:
    """Return the plan with the blocks up to the next analysis, and the number of points that `remaining_hours` exclude.

    Both stacks of an inconclusive pair are measured. Points with most inconclusive comparisons come first. If nothing
    is inconclusive, or nothing fits, no later blocks remain.
    """
    needed = collect_needs(still_open)
    due = [block for block in plan.later if block.stage == plan.stage + 1]
    counts = Counter(comparison.point for comparison in still_open)
    fitting: set[Point] = set()
    for point, _ in counts.most_common():
        parts = [(block.nodes, narrow_block(block, {point: needed[point]}, campaign).launches) for block in due]
        cost = sum(estimate(nodes, launches) for nodes, launches in parts)
        if remaining_hours is not None and cost > remaining_hours:
            continue
        remaining_hours = None if remaining_hours is None else remaining_hours - cost
        fitting.add(point)
    affordable = {point: need for point, need in needed.items() if point in fitting}
    fresh = [block for planned in due if (block := narrow_block(planned, affordable, campaign)).launches]
    later = [block for block in plan.later if block.stage > plan.stage + 1] if fresh else []
    return plan.model_copy(update={"blocks": [*plan.blocks, *fresh], "later": later}), len(counts) - len(fitting)


def collect_needs(still_open: list[Comparison]) -> dict[Point, Needed]:
    """Collect the needs of each point from its inconclusive comparisons."""
    needed: dict[Point, Needed] = {}
    for comparison in still_open:
        need = needed.setdefault(comparison.point, Needed())
        need.stacks |= {comparison.baseline, comparison.candidate}
        need.operations.add(comparison.operation)
        if comparison.operation not in WITHOUT_DATA:
            need.sizes.add(comparison.bytes)
    return needed


def narrow_block(block: Block, needed: dict[Point, Needed], campaign: Campaign) -> Block:
    """Return the block reduced to the launches, operations and sizes that are needed, in the same order."""
    launches = [
        _narrow(launch, needed[launch.point], campaign)
        for launch in block.launches
        if launch.of_results and launch.point in needed and launch.stack in needed[launch.point].stacks
    ]
    return block.model_copy(update={"launches": launches})


def _narrow(launch: PlannedLaunch, need: Needed, campaign: Campaign) -> PlannedLaunch:
    """Return a launch of all combinations of the needed operations and sizes; a few of these may be decided."""
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
