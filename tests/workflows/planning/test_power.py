# SPDX-License-Identifier: BSD-3-Clause
"""What a design can tell, against simulated campaigns; and the order of the launches of a block."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from isochron.postprocess.estimate.compare.pairs import Rules, pairs
from isochron.postprocess.estimate.compare.rows import Side
from isochron.schemas.engine.contract import cases
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.plan import Plan
from isochron.stats.multiple_tests import step_down
from isochron.workflows.planning import power
from isochron.workflows.planning.earlier import Spreads
from isochron.workflows.planning.plan import make_plan
from tests.postprocess.estimate.compare.made import campaign as made
from tests.workflows.conftest import SMALL

#: Two stacks in 17 cases.
TWO: dict[str, Any] = {
    **SMALL,
    "stacks": ["openmpi-5.0", "mpich-5.0"],
    "operations": ["barrier", "bcast", "allreduce"],
    "sizes": [8, 64, 512, 1024, 4096, 8192, 65536, 1048576],
    "processes": [2],
    "processes_per_node": [2],
}


def designed(blocks: int, launches: int, design: str = "random", **changes: Any) -> tuple[Campaign, Plan]:
    replication = {"blocks": blocks, "launches_per_block": launches, "design": design}
    campaign = Campaign.model_validate({**TWO, "replication": replication, **changes})
    return campaign, make_plan(campaign)


@pytest.mark.heavy
@pytest.mark.parametrize(("blocks", "launches"), [(10, 2), pytest.param(6, 3, marks=pytest.mark.slow), (20, 1)])
def test_what_is_promised_is_found(blocks: int, launches: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The difference that is to be found in 90 % of campaigns is, and half of its excess is not."""
    monkeypatch.setattr("isochron.stats.multiple_tests.DRAWN", 1999)
    campaign, plan = designed(blocks, launches)
    ratio = power.detectable(campaign, plan, 0.02)
    assert ratio is not None
    rules = Rules(campaign.analysis.threshold, campaign.analysis.confidence)
    count = len(cases(campaign.operations, campaign.sizes))
    rng = np.random.default_rng([blocks, launches])
    found = {}
    for factor in (ratio, 1 + rules.threshold + (ratio - 1 - rules.threshold) / 3):
        hits = []
        for number in range(30):
            baseline, candidate = made(rng, "quiet", blocks, launches, count)
            slower = candidate.logs + np.log(factor) * (np.arange(count) == 0)
            (pair,) = pairs(baseline, Side(slower, candidate.blocks), rules, families=1)
            hits.append(step_down([pair.tests], number)[0][0] <= rules.alpha)
        found[factor] = float(np.mean(hits))
    assert found.pop(ratio) >= 0.8
    assert all(share <= 0.5 for share in found.values())


@pytest.mark.heavy
def test_what_is_promised_in_turns_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The spread is that of a block's ratio; what all stacks share in a block, ten times as much, does not count."""
    monkeypatch.setattr("isochron.stats.multiple_tests.DRAWN", 1999)
    blocks, spread = 16, 0.03
    campaign, plan = designed(blocks, 1, design="turns")
    ratio = power.detectable(campaign, plan, spread)
    assert ratio is not None and 1.05 < ratio < 1.10
    rules = Rules(campaign.analysis.threshold, campaign.analysis.confidence)
    count = len(cases(campaign.operations, campaign.sizes))
    rng, hits = np.random.default_rng(7), []
    for number in range(30):
        state = rng.normal(0, 10 * spread, (blocks, 1, count))
        sides = []
        for slower in (0.0, np.log(ratio)):
            rounds = state + rng.normal(0, spread / np.sqrt(2), (blocks, 1, count)) + slower * (np.arange(count) == 0)
            sides.append(Side(rounds[:, 0], np.arange(blocks), None, rounds, np.arange(blocks)))
        (pair,) = pairs(*sides, rules, families=1)
        hits.append(step_down([pair.tests], number)[0][0] <= rules.alpha)
    assert np.mean(hits) >= 0.8


def test_the_sensitivity_in_turns_names_what_its_spread_is_of() -> None:
    """An earlier run's, else one that is assumed for the kinds of pairs in the question."""
    versions = {"stacks": ["mpich-4.3", "mpich-5.0"], "design": "turns"}
    _, in_turns, in_random_order, *_ = power.format_sensitivity(*designed(24, 1, **versions))
    assert "(between versions of a library, SD of a block's ratio 5%, assumed)" in in_turns
    assert "between libraries" not in in_turns and "in random order: " in in_random_order
    _, in_turns, *_ = power.format_sensitivity(*designed(24, 1, design="turns"))
    assert "between libraries" in in_turns and "between versions" not in in_turns
    _, in_turns, *_ = power.format_sensitivity(*designed(24, 1, **versions), Spreads(ratios=0.031))
    assert in_turns.endswith("(SD of a block's ratio 3.1%, from an earlier run)")


def test_sessions_of_a_block_do_not_make_its_ratio_better_known() -> None:
    """Most of the variance of a ratio is between blocks."""
    one, two = (power.detectable(*designed(10, launches, design="turns"), 0.03) for launches in (1, 2))
    assert one == two


def test_more_launches_find_smaller_differences() -> None:
    known = [power.detectable(*designed(blocks, 2), 0.05) for blocks in (5, 10, 40)]
    assert None not in known
    assert known == sorted(known, reverse=True)  # type: ignore[type-var]
    assert 1.05 < known[-1] < known[0] < 1.3  # type: ignore[operator]


def test_a_design_that_can_tell_nothing_says_what_would() -> None:
    campaign, plan = designed(3, 1)
    assert power.detectable(campaign, plan, 0.02) is None
    assert power.format_sensitivity(campaign, plan) == [
        "question: which stack should be the default?",
        "no difference between stacks can be established: 3 × 1 launches are too few; raise replication.blocks to 4",
    ]
    assert power.detectable(*designed(4, 1), 0.02) is not None


def test_a_design_that_finds_too_little_says_which_would_do_and_what_it_costs() -> None:
    campaign, plan = designed(4, 2, stacks=["mpich-4.3", "mpich-5.0"])
    question, found, in_turns, advice = power.format_sensitivity(campaign, plan, Spreads(launches=0.05))
    assert question == "question: mpich-4.3 → mpich-5.0"
    assert in_turns.startswith("smallest detectable difference (90% power) in turns: ")
    assert "launch-to-launch SD 5%, from an earlier run" in found
    blocks = power.blocks_to_detect(campaign, plan, 0.05, 1.1)
    assert blocks is not None and f"replication.blocks: {blocks}, " in advice and "10%" in advice
    assert f"{plan.node_hours * blocks / 4:.3f} node hours" in advice
    known = [power.detectable(*designed(each, 2), 0.05) for each in (blocks - 1, blocks)]
    assert known[1] <= 1.1 < known[0]  # type: ignore[operator]
    assert len(power.format_sensitivity(*designed(60, 2), Spreads(launches=0.02))) == 3, "that is enough"


def test_what_is_not_asked_about_does_not_weaken_the_question() -> None:
    stacks = ["mpich-4.3", "mpich-5.0", "intel-mpi-2021", "openmpi-5.0"]
    campaign, plan = designed(4, 2, stacks=stacks)
    assert power.detectable(campaign, plan, 0.05) == power.detectable(*designed(4, 2, stacks=stacks[:2]), 0.05)


def test_one_stack_has_nothing_to_compare() -> None:
    assert power.format_sensitivity(*designed(3, 2, stacks=["mpich-5.0"])) == []


def test_every_order_of_the_launches_of_two_stacks_is_drawn_alike() -> None:
    """The comparison exchanges their names in all six ways, so all six have to be possible."""
    _, plan = designed(600, 2, stacks=["openmpi-5.0", "mpich-5.0", "mpich-4.3"])
    pair = ("openmpi-5.0", "mpich-5.0")
    orders = Counter(tuple(launch.stack for launch in block.launches if launch.stack in pair) for block in plan.blocks)
    assert len(orders) == 6
    assert all(60 <= count <= 145 for count in orders.values()), orders
