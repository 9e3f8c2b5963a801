# SPDX-License-Identifier: BSD-3-Clause
"""The sensitivity of a campaign's design: its smallest detectable difference, before anything is measured."""

from __future__ import annotations

from math import comb

from isochron.common.detectable import MIN_BLOCKS, POWER, Design
from isochron.common.detectable import detectable as of_design
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.question import QuestionPairs, asked
from isochron.schemas.run.plan import Plan
from isochron.spack_envs.declarations import declaration_in

#: Spreads of launches (standard deviation of logarithms) for which it is said: a quiet machine, and a usual one.
SPREADS = (0.02, 0.05)
#: How many practical thresholds a design should find, and the blocks beyond which none is proposed.
WANTED, MAX_BLOCKS = 2, 200


def pairs_of(campaign: Campaign) -> int:
    """Return the number of pairs of stacks."""
    return comb(len(campaign.stacks), 2)


def asked_of(campaign: Campaign) -> QuestionPairs:
    """Return the pairs of the campaign's question, by the declared versions of its stacks."""
    declared = {stack: declaration_in(campaign, stack) for stack in campaign.stacks}
    versions = {stack: (each.mpi_library, each.version) for stack, each in declared.items()}
    return asked(campaign.question, campaign.stacks, versions)


def _design(campaign: Campaign, plan: Plan) -> Design:
    """Return the design that decides about the smallest detectable difference."""
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
    """Format the question and the sensitivity of the design, one line each.

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
    basis = "assumed" if measured is None else "from an earlier run"
    texts = [f"{ratio - 1:.0%} (launch-to-launch SD {spread:.0%}, {basis})" for spread, ratio in found if ratio]
    lines.append(f"smallest detectable difference ({POWER:.0%} power): {' or '.join(texts)}")
    for spread, ratio in found[-1:]:
        if ratio is not None and ratio > 1 + WANTED * campaign.analysis.threshold:
            lines.append(_would_do(campaign, plan, spread))
    return lines


def _question(found: QuestionPairs) -> str:
    if found.default:
        return "which stack should be the default?"
    return ", ".join(f"{baseline} → {candidate}" for baseline, candidate in found.pairs)


def _would_do(campaign: Campaign, plan: Plan, spread: float) -> str:
    """Format the number of blocks that detects `WANTED` practical thresholds, and its cost."""
    wanted = WANTED * campaign.analysis.threshold
    blocks = blocks_that_find(campaign, plan, spread, 1 + wanted)
    if blocks is None:
        return f"{wanted:.0%} is not detectable with {MAX_BLOCKS} blocks; measure on a quieter machine"
    hours = plan.node_hours * blocks / campaign.replication.blocks
    return f"to detect {wanted:.0%} (SD {spread:.0%}): replication.blocks: {blocks}, {hours:.3f} node hours"


def blocks_that_find(campaign: Campaign, plan: Plan, spread: float, ratio: float) -> int | None:
    """Return the smallest number of blocks that detects a ratio; None if `MAX_BLOCKS` are too few."""
    design = _design(campaign, plan)
    for blocks in range(MIN_BLOCKS, MAX_BLOCKS + 1):
        found = of_design(design.with_blocks(blocks), spread)
        if found is not None and found <= ratio:
            return blocks
    return None


def blocks_needed(campaign: Campaign) -> int:
    """Return the smallest number of blocks with which a difference can be significant."""
    replication, pairs = campaign.replication, max(1, len(asked_of(campaign).pairs))
    analysis = campaign.analysis
    design = Design(
        replication.blocks, replication.launches_per_block, pairs, 1, analysis.threshold, analysis.confidence
    )
    while design.smallest_p * pairs > design.alpha:
        design = design.with_blocks(design.blocks + 1)
    return design.blocks
