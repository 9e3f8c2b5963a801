# SPDX-License-Identifier: BSD-3-Clause
"""What a sequential campaign will probably cost: the launches that are still open after each look, by normal errors.

Taken is that half of the comparisons are of stacks that do not differ and half of such that differ by twice the
practical threshold, each independent of the others. Where differences are larger, or cases of a launch rise and fall
together, it costs less.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log1p, sqrt
from statistics import NormalDist

from isochron.common.detectable import efficiency
from isochron.schemas.engine.operations import cases
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.replication import claim_levels
from isochron.schemas.run.plan import Plan, PlannedLaunch
from isochron.workflows.planning.estimate import START_S
from isochron.workflows.planning.power import SPREADS, pairs_of

NORMAL = NormalDist()


@dataclass(frozen=True)
class Cost:
    """What is expected."""

    launches: float
    node_hours: float


def expected(campaign: Campaign, plan: Plan, spread: float) -> Cost:
    """Of launches that spread by `spread` within a block (standard deviation of logarithms)."""
    still = _open_after(campaign, plan, spread)
    launches, seconds = float(len(plan.launches)), plan.node_hours * 3600
    for block in plan.later:
        for launch in filter(_of_results, block.launches):
            needed, part = _needed(campaign, still[block.stage - 1])
            start = min(START_S, launch.seconds)
            launches += needed
            seconds += block.nodes * (needed * start + part * (launch.seconds - start))
    return Cost(launches, seconds / 3600)


def words(campaign: Campaign, plan: Plan) -> str:
    """Format the expected cost in a line; empty if the campaign is not sequential."""
    if not campaign.replication.sequential:
        return ""
    found = [(spread, expected(campaign, plan, spread)) for spread in SPREADS]
    texts = [
        f"{cost.launches:.0f} launches and {cost.node_hours:.3f} node hours if the launch-to-launch SD is {spread:.0%}"
        for spread, cost in found
    ]
    looks = ", ".join(map(str, campaign.interim_blocks))
    return (
        f"that is the worst case; expected: {' or '.join(texts)}; after interim analyses at {looks} of "
        f"{campaign.replication.blocks} blocks, decided comparisons are no longer measured"
    )


def _of_results(launch: PlannedLaunch) -> bool:
    return launch.of_results


def _open_after(campaign: Campaign, plan: Plan, spread: float) -> list[float]:
    """The probability that a comparison is open after each look but the last."""
    analysis, replication = campaign.analysis, campaign.replication
    margin = log1p(analysis.threshold)
    beyond = log1p(2 * analysis.threshold) - margin
    tests = 2 * pairs_of(campaign) * len(plan.points) * len(cases(campaign.operations, campaign.sizes))
    early = campaign.interim_blocks
    found: list[float] = []
    for blocks, level in zip(early, claim_levels(early, 1 - analysis.confidence), strict=False):
        launches = blocks * replication.launches_per_block
        error = spread * sqrt(2 / launches / efficiency(2 * replication.launches_per_block))
        equal = 2 * NORMAL.cdf(max(0.0, margin / error - NORMAL.inv_cdf(1 - level / 2))) - 1
        different = NORMAL.cdf(beyond / error - NORMAL.inv_cdf(1 - level / tests))
        found.append(min([1 - (equal + different) / 2, *found[-1:]]))
    return found


def _needed(campaign: Campaign, still: float) -> tuple[float, float]:
    """Of a stack at a point: the probability that a launch is needed, and the expected part of its cases.

    `still`: the probability that one comparison is open.
    """
    rows = len(cases(campaign.operations, campaign.sizes))
    case = 1 - (1 - still) ** pairs_of(campaign)
    operation, size = 1 - (1 - case) ** len(campaign.sizes), 1 - (1 - case) ** len(campaign.operations)
    return 1 - (1 - still) ** (rows * (len(campaign.stacks) - 1)), operation * size
