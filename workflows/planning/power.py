# SPDX-License-Identifier: BSD-3-Clause
"""The sensitivity of a design and the expected cost of a sequential campaign, before anything is measured.

Taken is that half of the comparisons are of stacks that do not differ and half of such that differ by twice the
practical threshold, each independent of the others. Where differences are larger, or cases of a launch rise and fall
together, it costs less.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, log1p, sqrt
from statistics import NormalDist

from isochron.common.detectable import MIN_BLOCKS, POWER, Design, efficiency
from isochron.common.detectable import detectable as of_design
from isochron.schemas.engine.contract import cases
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.question import QuestionPairs, asked
from isochron.schemas.input.replication import claim_levels
from isochron.schemas.run.plan import Plan, PlannedLaunch
from isochron.spack_envs.declarations import declaration_in
from isochron.workflows.planning.estimate import START_S

#: Spreads of launches (standard deviation of logarithms) for which it is reported: a quiet machine, and a usual one.
SPREADS = (0.02, 0.05)
#: Number of practical thresholds that a design should detect, and the largest number of blocks that is proposed.
TARGET_THRESHOLDS, MAX_BLOCKS = 2, 200


def pairs_of(campaign: Campaign) -> int:
    """Return the number of pairs of stacks."""
    return comb(len(campaign.stacks), 2)


def question_pairs(campaign: Campaign) -> QuestionPairs:
    """Return the pairs of the campaign's question, by the declared versions of its stacks."""
    declared = {stack: declaration_in(campaign, stack) for stack in campaign.stacks}
    versions = {stack: (declaration.mpi_library, declaration.version) for stack, declaration in declared.items()}
    return asked(campaign.question, campaign.stacks, versions)


def _design(campaign: Campaign, plan: Plan) -> Design:
    """Return the design that decides about the smallest detectable difference."""
    return Design(
        blocks=campaign.replication.blocks,
        launches=campaign.replication.launches_per_block,
        pairs=len(question_pairs(campaign).pairs),
        cases=len(plan.points) * len(campaign.chosen),
        threshold=campaign.analysis.threshold,
        confidence=campaign.analysis.confidence,
    )


def detectable(campaign: Campaign, plan: Plan, spread: float) -> float | None:
    """Return the smallest detectable ratio of a campaign before it is measured; None if there is none."""
    return of_design(_design(campaign, plan), spread)


def format_sensitivity(campaign: Campaign, plan: Plan, measured: float | None = None) -> list[str]:
    """Format the question and the sensitivity of the design, one line each.

    `measured`: the spread of launches in an earlier run, where there is one. Empty if there is nothing to compare,
    or where launches are simulated.
    """
    if pairs_of(campaign) == 0 or campaign.site.machine is not None:
        return []
    lines = [f"question: {_question(question_pairs(campaign))}"]
    spreads = SPREADS if measured is None else (measured,)
    ratios = [(spread, detectable(campaign, plan, spread)) for spread in spreads]
    if any(ratio is None for _, ratio in ratios):
        return [
            *lines,
            f"no difference between stacks can be established: {campaign.replication.blocks} × "
            f"{campaign.replication.launches_per_block} launches are too few; raise replication.blocks to "
            f"{blocks_needed(campaign)}",
        ]
    basis = "assumed" if measured is None else "from an earlier run"
    texts = [f"{ratio - 1:.0%} (launch-to-launch SD {spread:.0%}, {basis})" for spread, ratio in ratios if ratio]
    lines.append(f"smallest detectable difference ({POWER:.0%} power): {' or '.join(texts)}")
    for spread, ratio in ratios[-1:]:
        if ratio is not None and ratio > 1 + TARGET_THRESHOLDS * campaign.analysis.threshold:
            lines.append(_format_proposal(campaign, plan, spread))
    return lines


def _question(question: QuestionPairs) -> str:
    if question.default:
        return "which stack should be the default?"
    return ", ".join(f"{baseline} → {candidate}" for baseline, candidate in question.pairs)


def _format_proposal(campaign: Campaign, plan: Plan, spread: float) -> str:
    """Format the number of blocks that detects `TARGET_THRESHOLDS` practical thresholds, and its cost."""
    target = TARGET_THRESHOLDS * campaign.analysis.threshold
    blocks = blocks_to_detect(campaign, plan, spread, 1 + target)
    if blocks is None:
        return f"{target:.0%} is not detectable with {MAX_BLOCKS} blocks; measure on a quieter machine"
    hours = plan.node_hours * blocks / campaign.replication.blocks
    return f"to detect {target:.0%} (SD {spread:.0%}): replication.blocks: {blocks}, {hours:.3f} node hours"


def blocks_to_detect(campaign: Campaign, plan: Plan, spread: float, ratio: float) -> int | None:
    """Return the smallest number of blocks that detects a ratio; None if `MAX_BLOCKS` are too few."""
    design = _design(campaign, plan)
    for blocks in range(MIN_BLOCKS, MAX_BLOCKS + 1):
        detectable_ratio = of_design(design.with_blocks(blocks), spread)
        if detectable_ratio is not None and detectable_ratio <= ratio:
            return blocks
    return None


def blocks_needed(campaign: Campaign) -> int:
    """Return the smallest number of blocks with which a difference can be significant."""
    replication, pairs = campaign.replication, max(1, len(question_pairs(campaign).pairs))
    analysis = campaign.analysis
    design = Design(
        replication.blocks, replication.launches_per_block, pairs, 1, analysis.threshold, analysis.confidence
    )
    while design.smallest_p * pairs > design.alpha:
        design = design.with_blocks(design.blocks + 1)
    return design.blocks


NORMAL = NormalDist()


@dataclass(frozen=True)
class Cost:
    """The expected cost of a sequential campaign."""

    launches: float
    node_hours: float


def expected_cost(campaign: Campaign, plan: Plan, spread: float) -> Cost:
    """Compute the expected cost; `spread`: standard deviation of logarithms of launches within a block."""
    open_shares = _open_after(campaign, plan, spread)
    launches, seconds = float(len(plan.launches)), plan.node_hours * 3600
    for block in plan.later:
        for launch in filter(_of_results, block.launches):
            needed, part = _needed(campaign, open_shares[block.stage - 1])
            start = min(START_S, launch.seconds)
            launches += needed
            seconds += block.nodes * (needed * start + part * (launch.seconds - start))
    return Cost(launches, seconds / 3600)


def format_expected_cost(campaign: Campaign, plan: Plan) -> str:
    """Format the expected cost in a line; empty if the campaign is not sequential."""
    if not campaign.replication.sequential:
        return ""
    costs = [(spread, expected_cost(campaign, plan, spread)) for spread in SPREADS]
    texts = [
        f"{cost.launches:.0f} launches and {cost.node_hours:.3f} node hours if the launch-to-launch SD is {spread:.0%}"
        for spread, cost in costs
    ]
    analyses = ", ".join(map(str, campaign.interim_blocks))
    return (
        f"that is the worst case; expected: {' or '.join(texts)}; after interim analyses at {analyses} of "
        f"{campaign.replication.blocks} blocks, decided comparisons are no longer measured"
    )


def _of_results(launch: PlannedLaunch) -> bool:
    return launch.of_results


def _open_after(campaign: Campaign, plan: Plan, spread: float) -> list[float]:
    """Return the probability that a comparison is inconclusive after each interim analysis."""
    analysis, replication = campaign.analysis, campaign.replication
    margin = log1p(analysis.threshold)
    beyond = log1p(2 * analysis.threshold) - margin
    tests = 2 * pairs_of(campaign) * len(plan.points) * len(cases(campaign.operations, campaign.sizes))
    early = campaign.interim_blocks
    shares: list[float] = []
    for blocks, level in zip(early, claim_levels(early, 1 - analysis.confidence), strict=False):
        launches = blocks * replication.launches_per_block
        error = spread * sqrt(2 / launches / efficiency(2 * replication.launches_per_block))
        equal = 2 * NORMAL.cdf(max(0.0, margin / error - NORMAL.inv_cdf(1 - level / 2))) - 1
        different = NORMAL.cdf(beyond / error - NORMAL.inv_cdf(1 - level / tests))
        shares.append(min([1 - (equal + different) / 2, *shares[-1:]]))
    return shares


def _needed(campaign: Campaign, still: float) -> tuple[float, float]:
    """Return the probability that a launch of a stack at a point is needed, and the expected share of its cases.

    `still`: probability that one comparison is inconclusive.
    """
    case_count = len(cases(campaign.operations, campaign.sizes))
    case = 1 - (1 - still) ** pairs_of(campaign)
    operation, size = 1 - (1 - case) ** len(campaign.sizes), 1 - (1 - case) ** len(campaign.operations)
    return 1 - (1 - still) ** (case_count * (len(campaign.stacks) - 1)), operation * size
