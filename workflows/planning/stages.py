# SPDX-License-Identifier: BSD-3-Clause
"""The next blocks of a sequential campaign, for the comparisons that its last interim analysis left inconclusive."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from isochron.schemas.engine.operations import WITHOUT_DATA
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.interim import Comparison
from isochron.schemas.run.plan import Block, Plan, PlannedLaunch, Point
from isochron.workflows.planning.estimate import START_S
from isochron.workflows.planning.remeasure import Estimate


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
