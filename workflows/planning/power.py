# SPDX-License-Identifier: BSD-3-Clause
"""What a campaign's design can tell: the smallest difference that it will mostly find, before anything is measured."""

from __future__ import annotations

from math import comb, exp, log1p, pi, sqrt
from statistics import NormalDist

from isochron.schemas.engine.operations import cases
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.plan import Plan

#: Spreads of launches (standard deviation of logarithms) for which it is said: a quiet machine, and a usual one.
SPREADS = (0.02, 0.05)
#: With which probability a difference is to be found.
POWER = 0.9


def pairs_of(campaign: Campaign) -> int:
    """Pairs of stacks, each a family of tests that shares the level."""
    return comb(len(campaign.stacks), 2)


def smallest_p(campaign: Campaign) -> float:
    """The smallest two-sided p that launches exchanged within blocks, or else over all, can give."""
    repetition = campaign.repetition
    each = repetition.launches_per_block
    within = 2 / comb(2 * each, each) ** repetition.blocks if repetition.blocks > 2 else 1.0
    total = each * repetition.blocks
    return min(within, 2 / comb(2 * total, total))


def detectable(campaign: Campaign, plan: Plan, spread: float) -> float | None:
    """The ratio of two stacks, in one case of all, that is found with probability `POWER`; None where none can be.

    Found is what is shown to be beyond the practical threshold, after the correction over all cases and pairs, which is
    taken as if cases were independent (Bonferroni; the correction that is made costs less). Launches of both stacks
    spread by `spread` within a block. An approximation by normal errors: what the simulations of docs/validation.md
    find is within a point or two of it.
    """
    pairs = pairs_of(campaign)
    alpha = 1 - campaign.analysis.confidence
    if not pairs or smallest_p(campaign) * pairs > alpha:
        return None
    tests = 2 * pairs * len(plan.points) * len(cases(campaign.operations, campaign.sizes))
    launches = campaign.repetition.blocks * campaign.repetition.launches_per_block
    error = spread * sqrt(2 / launches / efficiency(2 * campaign.repetition.launches_per_block))
    normal = NormalDist()
    return exp(log1p(campaign.analysis.threshold) + error * (normal.inv_cdf(1 - alpha / tests) + normal.inv_cdf(POWER)))


def efficiency(together: int) -> float:
    """Of ranks within blocks of so many launches, against means, for normal errors: 3/π · N/(N + 1) (van Elteren 1960).

    With one launch of each stack in a block the differences are cut, not ranked: 3/π is near enough.
    """
    return 3 / pi * (together / (together + 1) if together > 2 else 1.0)


def words(campaign: Campaign, plan: Plan) -> str:
    """One line for people; empty where there is nothing to compare, or where launches are simulated."""
    if pairs_of(campaign) == 0 or campaign.site.machine is not None:
        return ""
    found = [(spread, detectable(campaign, plan, spread)) for spread in SPREADS]
    if any(ratio is None for _, ratio in found):
        return (
            f"no difference between stacks can be established: {campaign.repetition.blocks} × "
            f"{campaign.repetition.launches_per_block} launches are too few; raise repetition.blocks to "
            f"{blocks_needed(campaign)}"
        )
    texts = [f"{ratio - 1:.0%} (launches that spread by {spread:.0%})" for spread, ratio in found if ratio]
    return f"a difference in one case is mostly found from {' or '.join(texts)} on"


def blocks_needed(campaign: Campaign) -> int:
    """The fewest blocks with which some difference can be established."""
    blocks = campaign.repetition.blocks
    alpha = 1 - campaign.analysis.confidence
    while True:
        repetition = campaign.repetition.model_copy(update={"blocks": blocks})
        if smallest_p(campaign.model_copy(update={"repetition": repetition})) * max(pairs_of(campaign), 1) <= alpha:
            return blocks
        blocks += 1
