# SPDX-License-Identifier: BSD-3-Clause
"""What a campaign's design can tell: the smallest difference that it will mostly find, before anything is measured."""

from __future__ import annotations

from math import comb

from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.question import QuestionPairs, asked
from isochron.schemas.run.plan import Plan
from isochron.spack_envs.declarations import declaration_in
from isochron.stats.detectable import Design, smallest_p
from isochron.stats.detectable import detectable as of_design

#: Spreads of launches (standard deviation of logarithms) for which it is said: a quiet machine, and a usual one.
SPREADS = (0.02, 0.05)
#: How many practical thresholds a design should find, and the blocks beyond which none is proposed.
WANTED, MAX_BLOCKS = 2, 200


def pairs_of(campaign: Campaign) -> int:
    """Pairs of stacks, each a family of tests that shares the level."""
    return comb(len(campaign.stacks), 2)


def asked_of(campaign: Campaign) -> QuestionPairs:
    """What the campaign asks, by the versions that its stacks are declared to have."""
    declared = {stack: declaration_in(campaign, stack) for stack in campaign.stacks}
    versions = {stack: (each.mpi_library, each.version) for stack, each in declared.items()}
    return asked(campaign.question, campaign.stacks, versions)


def _design(campaign: Campaign, plan: Plan) -> Design:
    """What decides about the smallest difference that is found."""
    return Design(
        blocks=campaign.replication.blocks,
        launches=campaign.replication.launches_per_block,
        pairs=len(asked_of(campaign).pairs),
        cases=len(plan.points) * len(campaign.chosen),
        threshold=campaign.analysis.threshold,
        confidence=campaign.analysis.confidence,
    )


def detectable(campaign: Campaign, plan: Plan, spread: float) -> float | None:
    """`ground.detectable` for a campaign that is yet to be measured."""
    return of_design(_design(campaign, plan), spread)


def words(campaign: Campaign, plan: Plan, measured: float | None = None) -> list[str]:
    """Lines for people: the question, and whether the design can answer it before anything is measured.

    `measured`: the spread of launches in an earlier run, where there is one. Empty where there is nothing to compare,
    or where launches are simulated.
    """
    if pairs_of(campaign) == 0 or campaign.site.machine is not None:
        return []
    lines = [f"question: {_question(asked_of(campaign))}"]
    spreads = SPREADS if measured is None else (measured,)
    found = [(spread, detectable(campaign, plan, spread)) for spread in spreads]
    if any(ratio is None for _, ratio in found):
        return [
            *lines,
            f"no difference between stacks can be established: {campaign.replication.blocks} × "
            f"{campaign.replication.launches_per_block} launches are too few; raise replication.blocks to "
            f"{blocks_needed(campaign)}",
        ]
    basis = "assumed" if measured is None else "as in an earlier run"
    texts = [f"{ratio - 1:.0%} (launches that spread by {spread:.0%}, {basis})" for spread, ratio in found if ratio]
    lines.append(f"a difference in one case is mostly found from {' or '.join(texts)} on")
    for spread, ratio in found[-1:]:
        if ratio is not None and ratio > 1 + WANTED * campaign.analysis.threshold:
            lines.append(_would_do(campaign, plan, spread))
    return lines


def _question(found: QuestionPairs) -> str:
    if found.default:
        return "which stack should be the default?"
    return ", ".join(f"{baseline} → {candidate}" for baseline, candidate in found.pairs)


def _would_do(campaign: Campaign, plan: Plan, spread: float) -> str:
    """The setting that finds a difference of `WANTED` practical thresholds, and what it costs."""
    wanted = WANTED * campaign.analysis.threshold
    blocks = blocks_that_find(campaign, plan, spread, 1 + wanted)
    if blocks is None:
        return f"{wanted:.0%} is out of reach with {MAX_BLOCKS} blocks: measure on a quieter machine"
    hours = plan.node_hours * blocks / campaign.replication.blocks
    return f"replication.blocks: {blocks} would find {wanted:.0%} (spread {spread:.0%}), in {hours:.3f} node hours"


def blocks_that_find(campaign: Campaign, plan: Plan, spread: float, ratio: float) -> int | None:
    """The fewest blocks with which a ratio is mostly found; None where `MAX_BLOCKS` are too few."""
    design = _design(campaign, plan)
    for blocks in range(3, MAX_BLOCKS + 1):
        found = of_design(design.with_blocks(blocks), spread)
        if found is not None and found <= ratio:
            return blocks
    return None


def blocks_needed(campaign: Campaign) -> int:
    """The fewest blocks with which some difference can be established."""
    replication, pairs = campaign.replication, max(1, len(asked_of(campaign).pairs))
    analysis = campaign.analysis
    design = Design(
        replication.blocks, replication.launches_per_block, pairs, 1, analysis.threshold, analysis.confidence
    )
    while smallest_p(design) * pairs > design.alpha:
        design = design.with_blocks(design.blocks + 1)
    return design.blocks
