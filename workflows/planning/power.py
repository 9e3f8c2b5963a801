# SPDX-License-Identifier: BSD-3-Clause
"""The sensitivity of a design and the expected cost of a sequential campaign, before anything is measured.

Taken is that half of the comparisons are of stacks that do not differ and half of such that differ by twice the
practical threshold, each independent of the others. Where differences are larger, or cases of a launch rise and fall
together, it costs less.
"""

from dataclasses import dataclass
from math import log1p
from statistics import NormalDist
from typing import NamedTuple

from isochron.common.detectable import MIN_BLOCKS, POWER, Design
from isochron.common.detectable import detectable as of_design
from isochron.schemas.engine.contract import cases
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.question import QuestionPairs
from isochron.schemas.input.replication import claim_levels
from isochron.schemas.run.plan import Plan
from isochron.spack_envs.declarations import declaration_in
from isochron.workflows.planning.design import find_obstacle
from isochron.workflows.planning.earlier import Spreads
from isochron.workflows.planning.estimate import START_S
from isochron.workflows.planning.question import pairs_of, question_pairs

#: Spreads of launches (standard deviation of logarithms) for which it is reported: a quiet machine, and a usual one.
SPREADS = (0.02, 0.05)
#: Standard deviation of a block's ratio in turns: between versions of a library, and between libraries, there after the
#: standard candle. Measured on two shared cores (docs/validation.md); exclusive nodes may have less.
VERSIONS_SPREAD, LIBRARIES_SPREAD = 0.05, 0.09
#: Number of practical thresholds that a design should detect, and the largest number of blocks that is proposed.
TARGET_THRESHOLDS, MAX_BLOCKS = 2, 200


def _design(campaign: Campaign, plan: Plan, *, in_turns: bool | None = None) -> Design:
    """Return the design that decides about the smallest detectable difference. `in_turns`: default the campaign's."""
    return Design(
        blocks=campaign.replication.blocks,
        launches=campaign.replication.launches_per_block,
        pairs=len(question_pairs(campaign).pairs),
        cases=len(plan.points) * len(campaign.chosen),
        threshold=campaign.analysis.threshold,
        confidence=campaign.analysis.confidence,
        in_turns=_is_in_turns(campaign) if in_turns is None else in_turns,
    )


def _is_in_turns(campaign: Campaign) -> bool:
    return campaign.replication.design == "turns"


def detectable(campaign: Campaign, plan: Plan, spread: float) -> float | None:
    """Return the smallest detectable ratio of a campaign before it is measured; None if there is none.

    `spread`: of launches within a block, or of the ratios of blocks if the campaign measures in turns.
    """
    return of_design(_design(campaign, plan), spread)


NO_SPREADS = Spreads()


def format_sensitivity(campaign: Campaign, plan: Plan, measured: Spreads = NO_SPREADS) -> list[str]:
    """Format the question and the sensitivity of the design, and of the other one if it is possible, one line each.

    Empty if there is nothing to compare, or where launches are simulated.
    """
    if pairs_of(campaign) == 0 or campaign.site.machine is not None:
        return []
    lines = [f"question: {_question(question_pairs(campaign))}"]
    in_turns = _is_in_turns(campaign)
    bases = _bases(campaign, measured, in_turns=in_turns)
    ratios = [detectable(campaign, plan, basis.spread) for basis in bases]
    if None in ratios:
        return [
            *lines,
            f"no difference between stacks can be established: {campaign.replication.blocks} × "
            f"{campaign.replication.launches_per_block} launches are too few; raise replication.blocks to "
            f"{blocks_needed(campaign)}",
        ]
    lines.append(_format_detectable(campaign, plan, bases, in_turns=in_turns))
    if in_turns or find_obstacle(campaign) is None:
        other = not in_turns
        lines.append(_format_detectable(campaign, plan, _bases(campaign, measured, in_turns=other), in_turns=other))
    if (ratios[-1] or 0) > 1 + TARGET_THRESHOLDS * campaign.analysis.threshold:
        lines.append(_format_proposal(campaign, plan, bases[-1]))
    return lines


class Basis(NamedTuple):
    """A spread for which the sensitivity is reported, and where it comes from."""

    spread: float
    text: str


def _ratio_spreads(campaign: Campaign) -> dict[str, float]:
    """Return the spreads of ratios that are assumed, by the kinds of pairs in the question."""
    libraries = {stack: declaration_in(campaign, stack).mpi_library for stack in campaign.stacks}
    same = {libraries[baseline] == libraries[candidate] for baseline, candidate in question_pairs(campaign).pairs}
    of_kind = {True: ("between versions of a library", VERSIONS_SPREAD), False: ("between libraries", LIBRARIES_SPREAD)}
    return dict(of_kind[kind] for kind in (True, False) if kind in same)


def _bases(campaign: Campaign, measured: Spreads, *, in_turns: bool) -> list[Basis]:
    """Return the spread of an earlier run, else those that are assumed, the largest last."""
    if in_turns:
        if measured.ratios is not None:
            return [Basis(measured.ratios, f"SD of a block's ratio {measured.ratios:.1%}, from an earlier run")]
        return [
            Basis(spread, f"{text}, SD of a block's ratio {spread:.0%}, assumed")
            for text, spread in _ratio_spreads(campaign).items()
        ]
    if measured.launches is not None:
        return [Basis(measured.launches, f"launch-to-launch SD {measured.launches:.0%}, from an earlier run")]
    return [Basis(spread, f"launch-to-launch SD {spread:.0%}, assumed") for spread in SPREADS]


def _format_detectable(campaign: Campaign, plan: Plan, bases: list[Basis], *, in_turns: bool) -> str:
    """Format the smallest detectable difference of the campaign's blocks in turns or in random order."""
    order = "in turns" if in_turns else "in random order"
    design = _design(campaign, plan, in_turns=in_turns)
    ratios = [(of_design(design, basis.spread), basis.text) for basis in bases]
    texts = [f"{ratio - 1:.0%} ({text})" for ratio, text in ratios if ratio is not None]
    return f"smallest detectable difference ({POWER:.0%} power) {order}: {' or '.join(texts) or 'none'}"


def _question(question: QuestionPairs) -> str:
    if question.default:
        return "which stack should be the default?"
    return ", ".join(f"{baseline} → {candidate}" for baseline, candidate in question.pairs)


def _format_proposal(campaign: Campaign, plan: Plan, basis: Basis) -> str:
    """Format the number of blocks that detects `TARGET_THRESHOLDS` practical thresholds, and its cost."""
    target = TARGET_THRESHOLDS * campaign.analysis.threshold
    blocks = blocks_to_detect(campaign, plan, basis.spread, 1 + target)
    if blocks is None:
        return f"{target:.0%} is not detectable with {MAX_BLOCKS} blocks; measure on a quieter machine"
    hours = plan.node_hours * blocks / campaign.replication.blocks
    return f"to detect {target:.0%} ({basis.text}): replication.blocks: {blocks}, {hours:.3f} node hours"


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
        replication.blocks, replication.launches_per_block, pairs, 1, analysis.threshold, analysis.confidence,
        in_turns=_is_in_turns(campaign),
    )  # fmt: skip
    while not design.can_establish:
        design = design.with_blocks(design.blocks + 1)
    return design.blocks


NORMAL = NormalDist()


@dataclass(frozen=True)
class Cost:
    """The expected cost of a sequential campaign."""

    launches: float
    node_hours: float


def expected_cost(campaign: Campaign, plan: Plan, spread: float) -> Cost:
    """Compute the expected cost; `spread`: standard deviation of logarithms of launches in random order."""
    open_shares = _open_after(campaign, plan, spread)
    launches, seconds = float(len(plan.launches)), plan.node_hours * 3600
    for block in plan.later:
        for launch in (one for one in block.launches if one.of_results):
            needed, part = _needed(campaign, open_shares[block.stage - 1])
            start = min(START_S, launch.seconds)
            launches += needed
            seconds += block.nodes * (needed * start + part * (launch.seconds - start))
    return Cost(launches, seconds / 3600)


def format_expected_cost(campaign: Campaign, plan: Plan) -> str:
    """Format the expected cost in a line; empty if the campaign is not sequential."""
    if not campaign.replication.sequential:
        return ""
    kind, spreads = "launch-to-launch SD", SPREADS
    if _is_in_turns(campaign):
        kind, spreads = "SD of a block's ratio", (VERSIONS_SPREAD, LIBRARIES_SPREAD)
    costs = [(spread, expected_cost(campaign, plan, spread)) for spread in spreads]
    texts = [
        f"{cost.launches:.0f} launches and {cost.node_hours:.3f} node hours if the {kind} is {spread:.0%}"
        for spread, cost in costs
    ]
    analyses = ", ".join(map(str, campaign.interim_blocks))
    return (
        f"that is the worst case; expected: {' or '.join(texts)}; after interim analyses at {analyses} of "
        f"{campaign.replication.blocks} blocks, decided comparisons are no longer measured"
    )


def _open_after(campaign: Campaign, plan: Plan, spread: float) -> list[float]:
    """Return the probability that a comparison is inconclusive after each interim analysis."""
    analysis, design = campaign.analysis, _design(campaign, plan)
    margin = log1p(analysis.threshold)
    beyond = log1p(2 * analysis.threshold) - margin
    tests = 2 * pairs_of(campaign) * len(plan.points) * len(cases(campaign.operations, campaign.sizes))
    early = campaign.interim_blocks
    shares: list[float] = []
    for blocks, level in zip(early, claim_levels(early, 1 - analysis.confidence), strict=False):
        error = design.with_blocks(blocks).standard_error(spread)
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
