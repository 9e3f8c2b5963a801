# SPDX-License-Identifier: BSD-3-Clause
"""Whole tables of comparisons: errors, coverage and power, on machines with and without regimes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from isochron.postprocess.estimate.compare.pairs import pairs
from isochron.postprocess.estimate.compare.rows import Side
from isochron.postprocess.estimate.values.launches import PROBES
from isochron.stats import multiple_tests as step_down_module
from isochron.stats.multiple_tests import step_down
from tests.postprocess.estimate.compare.made import RULES, campaign

pytestmark = pytest.mark.heavy

WORLDS = ("quiet", "blocks", "dwell-3", "dwell-30", "dwell-100", "drift")
SIZE = 100


@pytest.fixture(autouse=True)
def fewer_exchanges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_down_module, "DRAWN", 1999)


def slowed(side: Side, factor: float) -> Side:
    """The same, its first case slower by a factor."""
    logs = side.logs.copy()
    logs[:, 0] += np.log(factor)
    return replace(side, logs=logs)


def simulated(world: str, blocks: int, per_block: int, factor: float, tables: int) -> dict[str, float]:
    """Of tables of 100 cases, one of them slower by a factor: shares of tables and means over cases."""
    rng = np.random.default_rng([blocks, per_block, int(100 * factor), WORLDS.index(world) if world in WORLDS else 9])
    found, false, covered, equal, width = [], [], [], [], []
    for number in range(tables):
        baseline, candidate = campaign(rng, world, blocks, per_block, SIZE)
        (pair,) = pairs(baseline, slowed(candidate, factor), RULES, families=1)
        (p_values,) = step_down([pair.tests], number)
        claimed = (p_values <= RULES.alpha).reshape(2, SIZE)
        found.append(claimed[0, 0])
        false.append(claimed[:, 1:].any() or (claimed[1, 0] if factor > 1 else claimed[:, 0].any()))
        truth = np.log(np.r_[factor, np.ones(SIZE - 1)])
        covered.append(((pair.ratio.low <= truth) & (truth <= pair.ratio.high)).mean())
        equal.append(((pair.ratio.low >= -RULES.margin) & (pair.ratio.high <= RULES.margin))[1:].mean())
        width.append(np.median(pair.ratio.high - pair.ratio.low))
    means = {"found": found, "false": false, "covered": covered, "equivalent": equal, "width": width}
    return {name: float(np.mean(values)) for name, values in means.items()}


@pytest.mark.parametrize("world", ["quiet", "blocks", "dwell-30", "drift"])
def test_no_stack_is_told_from_itself(world: str) -> None:
    """In no table: a claim is beyond the threshold, from which equal stacks are far. In every world: the next test."""
    told = simulated(world, 10, 2, 1.0, tables=20)
    assert told["false"] == 0
    assert told["covered"] >= 0.93


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(("blocks", "per_block"), [(10, 2), (20, 1), (5, 4)])
def test_no_stack_is_told_from_itself_in_500_tables(world: str, blocks: int, per_block: int) -> None:
    told = simulated(world, blocks, per_block, 1.0, tables=500)
    assert told["false"] <= 0.03
    apart = world == "dwell-3"  # the sum of the intervals of two parts covers more often than it says
    assert 0.93 <= told["covered"] <= (0.999 if apart else 0.985)


@pytest.mark.parametrize(
    ("world", "blocks", "per_block", "factor", "least"),
    [
        ("quiet", 10, 2, 1.10, 0.9),
        ("dwell-8", 10, 2, 1.10, 0.85),
        ("blocks", 20, 1, 1.10, 0.9),
        pytest.param("blocks", 10, 1, 1.20, 0.7, marks=pytest.mark.slow),
    ],
)
def test_one_slower_case_in_a_hundred_is_found(
    world: str, blocks: int, per_block: int, factor: float, least: float
) -> None:
    told = simulated(world, blocks, per_block, factor, tables=24)
    assert told["found"] >= least
    assert told["false"] <= 0.05


def jumping(factors: np.ndarray, tables: int, tails: bool = False) -> dict[str, float]:
    """Of tables of 12 × 2 whose launches jump as a whole: shares of tables with a false claim, of differences found, of
    intervals that cover, and of cases whose common part is told apart."""
    rng = np.random.default_rng([tables, len(factors), int(1000 * factors.sum()), tails])
    truth = np.log(factors)
    beyond = np.stack([truth > RULES.margin, truth < -RULES.margin])
    found, false, covered, apart = [], [], [], []
    for number in range(tables):
        baseline, candidate = campaign(rng, "jumps", 12, 2, len(factors))
        extra = 0.01 * rng.standard_t(3, candidate.logs.shape) if tails else 0.0
        (pair,) = pairs(baseline, replace(candidate, logs=candidate.logs + truth + extra), RULES, families=1)
        claimed = (step_down([pair.tests], number)[0] <= RULES.alpha).reshape(2, -1)
        found.append(claimed[beyond].mean() if beyond.any() else 0.0)
        false.append((claimed & ~beyond).any())
        covered.append(((pair.ratio.low <= truth) & (truth <= pair.ratio.high)).mean())
        apart.append(pair.common.mean())
    means = {"found": found, "false": false, "covered": covered, "apart": apart}
    return {name: float(np.mean(values)) for name, values in means.items()}


def of_thirty(count: int, factor: float) -> np.ndarray:
    return np.where(np.arange(30) < count, factor, 1.0)


@pytest.mark.parametrize("tables", [30, pytest.param(500, marks=pytest.mark.slow)])
def test_one_slower_case_of_thirty_is_found_where_launches_jump(tables: int) -> None:
    """38 % before their common part was told apart."""
    told = jumping(of_thirty(1, 1.1), tables)
    assert told["found"] >= 0.6 and told["apart"] >= 0.8
    assert told["false"] <= 0.05 and told["covered"] >= 0.93


def test_the_common_part_is_told_apart_only_where_both_parts_can_be_significant() -> None:
    sides = campaign(np.random.default_rng(3), "jumps", 8, 2, 20)
    for families, used in ((1, True), (20_000, False)):
        (pair,) = pairs(*sides, RULES, families)
        assert (pair.strata, bool(pair.common.any())) == ("blocks", used)


@pytest.mark.slow
@pytest.mark.parametrize("tails", [False, True])
@pytest.mark.parametrize(
    ("count", "factor"), [(0, 1.0), (10, 1.2), (29, 1.2), (30, 1.2), (30, 1.049), (1, 0.79), (29, 1.27)]
)
def test_the_common_part_is_never_a_case_s_own(count: int, factor: float, tails: bool) -> None:
    """Whatever other cases do: no false claim about a case that does not differ, and what all cases share is found.

    1.27 and 0.79 are how far the launches jump: such stacks look alike, but for how many launches are where.
    """
    told = jumping(of_thirty(count, factor), 200, tails)
    assert told["false"] <= 0.05 and told["covered"] >= 0.93
    assert told["found"] >= 0.5 or abs(np.log(factor)) <= RULES.margin or not count


def test_regimes_cost_little() -> None:
    """Equal stacks are mostly shown to be equal within 5 %, also under regimes that last eight launches."""
    assert simulated("quiet", 10, 2, 1.0, tables=10)["width"] < 0.04
    assert simulated("dwell-8", 10, 2, 1.0, tables=20)["equivalent"] > 0.75


def test_a_difference_below_the_threshold_is_not_claimed() -> None:
    """4.5 % are not 5 %, however sure it is that they are not 0."""
    rng = np.random.default_rng(5)
    claimed = []
    for number in range(60):
        baseline, candidate = campaign(rng, "quiet", 10, 2, 1, spread=0.005)
        (pair,) = pairs(baseline, slowed(candidate, 1.049), RULES, families=1)
        assert pair.p_value[0] < 1e-6
        claimed.append(bool((step_down([pair.tests], number)[0] <= RULES.alpha).any()))
    assert np.mean(claimed) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 60)


@pytest.mark.parametrize(
    ("blocks", "per_block", "families", "strata", "within"),
    [
        (10, 2, 10, "blocks", True),
        (10, 1, 10, "blocks", True),  # 2/2^10 · 10 < 5 %
        (10, 1, 45, "launches", False),  # 2/2^10 · 45 > 5 %, 2/C(20, 10) · 45 < 5 %
        (5, 1, 1, "launches", False),  # 2/2^5 > 5 %
        (3, 1, 1, "", True),  # 2/C(6, 3) > 5 %
        (2, 5, 1, "launches", False),  # two blocks are too few
    ],
)
def test_the_design_decides_about_the_test(
    blocks: int, per_block: int, families: int, strata: str, within: bool
) -> None:
    """The times have no part in it."""
    baseline, candidate = campaign(np.random.default_rng(1), "quiet", blocks, per_block, 1)
    for factor in (1.0, 9.0):
        (pair,) = pairs(baseline, slowed(candidate, factor), RULES, families)
        assert (pair.strata, pair.within_blocks) == (strata, within)


def test_only_common_blocks_count() -> None:
    baseline, candidate = campaign(np.random.default_rng(1), "quiet", 12, 2, 3)
    first, last = baseline.blocks < 8, candidate.blocks >= 4
    sides = Side(baseline.logs[first], baseline.blocks[first]), Side(candidate.logs[last], candidate.blocks[last])
    (pair,) = pairs(*sides, RULES, families=1)
    assert (pair.blocks, pair.within_blocks) == (4, True)
    changed = sides[0].logs.copy()
    changed[sides[0].blocks < 4] += 5
    (same,) = pairs(Side(changed, sides[0].blocks), sides[1], RULES, families=1)
    assert same.ratio.low.tolist() == pair.ratio.low.tolist()


def test_cases_that_a_launch_lacks_have_groups_of_their_own() -> None:
    baseline, candidate = campaign(np.random.default_rng(1), "quiet", 10, 2, 4)
    candidate.logs[3, 1] = np.nan
    baseline.logs[:, 2] = np.nan
    found = {tuple(pair.cases.tolist()): pair for pair in pairs(baseline, candidate, RULES, families=1)}
    assert set(found) == {(0, 3), (1,)}
    assert found[1,].tests.scores.shape == (39, 2)


@pytest.mark.parametrize("launches", [(0, 0), (3, 0), (0, 3)])
def test_a_side_without_launches_has_no_pairs(launches: tuple[int, int]) -> None:
    """Also where probes were read."""
    sides = [Side(np.zeros((number, 2)), np.arange(number), np.zeros((len(PROBES), number, 2))) for number in launches]
    assert list(pairs(sides[0], sides[1], RULES, 1)) == []
