# SPDX-License-Identifier: BSD-3-Clause
"""Comparison within blocks: interval, test and choice of the test, on machines with and without regimes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.random import Generator

from isochron.postprocess.compare import samples
from isochron.postprocess.compare.comparison import compare
from isochron.postprocess.compare.pairs import Pair, Rules, pair
from isochron.postprocess.compare.samples import Launches, Sample
from isochron.postprocess.reading.inputs import ROW
from isochron.postprocess.statistics.exact_ranks import rank_test
from isochron.postprocess.statistics.groups import gap
from isochron.postprocess.values import regimes

pytestmark = pytest.mark.heavy

RULES = Rules(threshold=0.05, confidence=0.95)
CASE = ("barrier", 0, 2, 2, "packed")
#: Made-up campaigns of each simulation.
DRAWS = 300


def drawn(rng: Generator, blocks: int, per_block: int, ratio: float, regime: bool, stray: float) -> Pair:
    """Two stacks on one machine: in each block both are 1 or 2.5 times as slow; a part of the launches strays."""
    sides: tuple[Launches, Launches] = ({}, {})
    for block in range(blocks):
        slow = rng.choice([1.0, 2.5]) if regime else 1.0
        for side, centre in zip(sides, (1.0, ratio), strict=True):
            factors = [rng.choice([1.0, 2.5]) if rng.random() < stray else slow for _ in range(per_block)]
            side[block, 1] = [
                centre * factor * np.exp(rng.normal(0, 0.05) + rng.normal(0, 0.05, 15)) for factor in factors
            ]
    seed = int(rng.integers(2**31))
    return pair(Sample(sides[0], True, "ok", (seed, 0)), Sample(sides[1], True, "ok", (seed, 1)), RULES)


def simulated(blocks: int, per_block: int, ratio: float, regime: bool, stray: float = 0.0) -> tuple[float, ...]:
    """Coverage of the interval, and how often the test within blocks and over launches has p ≤ 5 %."""
    rng = np.random.default_rng([blocks, per_block, int(10 * ratio), regime])
    found = [drawn(rng, blocks, per_block, ratio, regime, stray) for _ in range(DRAWS)]
    covered = [one.interval.low <= ratio <= one.interval.high for one in found]
    within, over = ([rank_test(one.strata[test]) <= 0.05 for one in found] for test in ("blocks", "launches"))
    return float(np.mean(covered)), float(np.mean(within)), float(np.mean(over))


@pytest.fixture(autouse=True)
def fewer_replicates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "REPLICATES", 500)
    monkeypatch.setattr("isochron.postprocess.compare.pairs.REPLICATES", 500)


@pytest.mark.parametrize(
    ("blocks", "per_block", "regime"),
    [
        (10, 2, True),
        (5, 2, True),
        (3, 2, False),
        *(pytest.param(*design, marks=pytest.mark.slow) for design in [(10, 2, False), (5, 2, False), (3, 2, True)]),
        *(pytest.param(10, 1, regime, marks=pytest.mark.slow) for regime in (True, False)),
    ],
)
def test_coverage_and_false_alarms(blocks: int, per_block: int, regime: bool) -> None:
    covered, within, _ = simulated(blocks, per_block, 1.0, regime)
    assert covered >= 0.93
    assert within <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / DRAWS)


@pytest.mark.parametrize(("blocks", "per_block"), [(10, 2), (5, 2)])
def test_coverage_and_power_of_a_difference(blocks: int, per_block: int) -> None:
    covered, within, over = simulated(blocks, per_block, 1.2, regime=True)
    assert covered >= 0.93
    assert within > 0.99
    assert within >= over
    assert covered <= simulated(blocks, per_block, 1.2, regime=False)[0] + 0.05


def test_power_is_clearly_above_that_over_launches() -> None:
    """Five blocks of two launches, a difference of 20 % under regimes of 150 %; and ten of one."""
    for blocks, per_block in ((5, 2), (10, 1)):
        _, within, over = simulated(blocks, per_block, 1.2, regime=True)
        assert within > over + 0.3


def test_launches_that_stray_from_their_block_do_not_break_it() -> None:
    covered, within, _ = simulated(10, 2, 1.0, regime=True, stray=0.2)
    assert covered >= 0.93
    assert within <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / DRAWS)


def row(blocks: dict[int, int], centre: float = 1.0) -> Sample:
    """A row with so many launches in each block."""
    rng = np.random.default_rng(len(blocks))
    launches = {
        (block, 1): [centre * np.exp(rng.normal(0, 0.01, 9)) for _ in range(count)] for block, count in blocks.items()
    }
    return Sample(launches, True, "ok", (len(blocks),))


def test_only_common_blocks_count() -> None:
    found = pair(row(dict.fromkeys(range(1, 9), 2)), row(dict.fromkeys(range(5, 12), 1), 3.0), RULES)
    assert (found.blocks, found.within_blocks) == (4, True)
    assert len(found.strata["blocks"]) == 4
    assert found.strata["launches"][0][0].shape == (7,)


def test_a_block_that_was_taken_up_again_is_two() -> None:
    """Launches of the second allocation are not paired with those of the first."""
    runs = [np.ones(5)]
    one = Sample({(1, 1): runs, (2, 1): runs, (3, 1): runs, (4, 1): runs}, True, "ok", (1,))
    other = Sample({(1, 1): runs, (2, 1): runs, (3, 1): runs, (4, 2): runs}, True, "ok", (2,))
    assert pair(one, other, RULES).blocks == 3


def test_too_few_common_blocks_compare_as_a_whole() -> None:
    found = pair(row({1: 4, 2: 4}), row({1: 4, 2: 4, 3: 4}, 3.0), RULES)
    assert (found.blocks, found.within_blocks, list(found.strata)) == (2, False, ["launches"])
    assert found.ratio == pytest.approx(3, rel=0.05)
    assert found.interval.low < found.ratio < found.interval.high
    assert found.test(10, RULES) == "launches"


@pytest.mark.parametrize(
    ("blocks", "per_block", "tests", "expected"),
    [
        (10, 2, 210, "blocks"),  # 2/6^10
        (10, 1, 1, "blocks"),  # 2/2^10
        (10, 1, 210, "launches"),  # 2/2^10 · 210 > 5 %, 2/C(20, 10) · 210 < 5 %
        (5, 1, 1, "launches"),  # 2/2^5 > 5 %
        (3, 1, 1, None),  # 2/C(6, 3) > 5 %
        (2, 5, 1, "launches"),  # two blocks are too few
    ],
)
def test_the_design_decides_about_the_test(blocks: int, per_block: int, tests: int, expected: str | None) -> None:
    counts = dict.fromkeys(range(blocks), per_block)
    for centre in (1.0, 9.0):  # the times have no part in it
        assert pair(row(counts), row(counts, centre), RULES).test(tests, RULES) == expected


def test_the_table_says_which_test() -> None:
    counts = dict.fromkeys(range(10), 1)
    few = compare([(CASE, {"a": row(counts), "b": row(counts, 2.0)})], ["a", "b"], RULES).iloc[0]
    assert (few["test"], few["p_value"], few["verdict"]) == ("blocks", 2 / 2**10, "slower")
    many = [((*CASE[:1], size, *CASE[2:]), {"a": row(counts), "b": row(counts, 2.0)}) for size in range(200)]
    found = compare(many, ["a", "b"], RULES)
    assert set(found["test"]) == {"launches"}
    assert set(found["verdict"]) == {"slower"}


def rows_of(times: dict[str, list[float]], per_block: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Summary and launches of one case, `times` of the launches of each stack in their order."""
    rows = [
        (stack, *CASE, 1 + index // per_block, 1, time)
        for stack, own in times.items()
        for index, time in enumerate(own)
    ]
    summary = pd.DataFrame(
        [(stack, *CASE, gap(np.array(own))) for stack, own in times.items()], columns=pd.Index([*ROW, "gap"])
    )
    return summary, pd.DataFrame(rows, columns=pd.Index([*ROW, "block", "attempt", "median_us"]))


def test_regimes_are_groups_that_are_whole_blocks() -> None:
    shared = [0.16, 0.17, 0.48, 0.47, 0.16, 0.16, 0.49, 0.48]
    assert regimes.by_block(*rows_of({"a": shared, "b": [2 * time for time in shared]}, 2)) == [True, True]
    steady = [1.0] * 8
    assert regimes.by_block(*rows_of({"a": shared, "b": shared, "c": steady}, 2)) == [True, True, False]
    assert regimes.by_block(*rows_of({"a": shared, "c": steady}, 2)) == [False, False]  # one stack alone
    assert regimes.by_block(*rows_of({"a": shared, "b": shared[1:] + shared[:1]}, 2)) == [False, False]
    assert regimes.by_block(*rows_of({"c": steady}, 2)) == [False]


def test_own_groups_are_hardly_ever_taken_for_blocks() -> None:
    rng = np.random.default_rng(1)
    times = [{stack: rng.choice([0.16, 0.48], 20).tolist() for stack in "abcde"} for _ in range(50)]
    assert not any(any(regimes.by_block(*rows_of(each, 2))) for each in times)
