# SPDX-License-Identifier: BSD-3-Clause
"""The interval of a row's value in several worlds: it covers, or there is a warning; in a quiet one there is none."""

from __future__ import annotations

import numpy as np
import pytest

from isochron.stats.dependence import dependence, middle_between
from isochron.stats.launches import median_interval
from tests.postprocess.estimate.compare.made import campaign

QUIET, REGIMES = ("quiet", "drift"), ("blocks", "dwell-3", "dwell-8", "dwell-30", "dwell-100")
#: The median of what launches of a world are in the long run: between the regimes, or half of the drift.
TRUTH = {"quiet": 0.0, "drift": np.log(1.3) / 2}
CASES = 4
#: Least coverage of the interval, which says 95 %.
LEAST = 0.93


def runs(world: str, blocks: int, per_block: int, number: int) -> dict[str, np.ndarray]:
    """Of the rows of runs, one after the other: whether they are covered, warned of, and have met two regimes."""
    rng = np.random.default_rng([blocks, per_block, sum(map(ord, world))])
    covered, warned, met = [], [], []
    truth = TRUTH.get(world, np.log(2.5) / 2)
    for _ in range(number):
        side, _ = campaign(rng, world, blocks, per_block, CASES)
        found = dependence(side.logs, side.blocks, 0.95)
        covered.append((found.low <= truth) & (truth <= found.high))
        warned.append(~found.holds)
        met.append(np.full(CASES, np.ptp(side.logs) > np.log(2)))
    return {"covered": np.concatenate(covered), "warned": np.concatenate(warned), "met": np.concatenate(met)}


@pytest.mark.heavy
@pytest.mark.parametrize(("blocks", "per_block"), [(12, 2), (20, 1)])
def test_a_quiet_machine_is_hardly_warned_of(blocks: int, per_block: int) -> None:
    found = runs("quiet", blocks, per_block, 60)
    assert found["covered"].mean() >= 0.92
    assert found["warned"].mean() <= 0.1


@pytest.mark.heavy
@pytest.mark.parametrize("world", ["dwell-8", "dwell-30"])
def test_misses_where_two_regimes_were_met_carry_a_warning(world: str) -> None:
    found = runs(world, 12, 2, 60)
    missed = ~found["covered"] & found["met"]
    assert missed.mean() <= 0.07 or found["warned"][missed].mean() >= 0.8


@pytest.mark.slow
@pytest.mark.parametrize("world", [*QUIET, *REGIMES])
@pytest.mark.parametrize(("blocks", "per_block"), [(12, 2), (10, 2), (20, 1), (20, 2)])
def test_intervals_cover_or_warn_in_600_runs(world: str, blocks: int, per_block: int) -> None:
    """Of what a run cannot know, regimes that none of its launches met, nothing is asked."""
    found = runs(world, blocks, per_block, 600)
    if world in QUIET:
        assert found["covered"].mean() >= LEAST
        assert found["warned"].mean() <= 0.1 or world == "drift"
    else:
        missed = ~found["covered"] & found["met"]
        assert missed.mean() <= 0.07 or found["warned"][missed].mean() >= 0.9


def test_one_launch_apart_in_all_cases_at_an_end_of_the_run_is_warned_of() -> None:
    """There a regime may have ended or begun. In the middle it was soon over, and in one case alone it is chance."""
    quiet = np.random.default_rng(4).normal(0, 0.01, (20, 5))
    for launch, cases, warned in ((0, 5, True), (19, 5, True), (10, 5, False), (19, 1, False)):
        values = quiet.copy()
        values[launch, :cases] += 1
        found = dependence(values, np.arange(20) // 2, 0.95)
        assert (~found.holds).tolist() == [warned] * 5


def test_without_a_sign_of_dependence_it_is_the_binomial_interval() -> None:
    values = np.arange(20.0).reshape(2, 10).T.ravel()[:, None] / 100  # 0, 10, 1, 11, …
    found = dependence(values, np.arange(20), 0.95)
    plain = median_interval(values[:, 0], 0.95)
    assert (found.low[0], found.high[0], found.confidence[0]) == (plain.low, plain.high, plain.confidence)
    assert not found.by_block[0] and found.holds[0]


def test_launches_of_a_block_that_are_alike_count_once() -> None:
    blocks = np.repeat(np.arange(10), 4)
    each = np.random.default_rng(4).permutation(np.arange(10.0)) / 100
    found = dependence((each[blocks] + 1e-6 * np.arange(40))[:, None], blocks, 0.95)
    assert found.by_block[0] and found.holds[0]
    assert (round(found.low[0], 2), round(found.high[0], 2)) == (0.01, 0.08)


def test_one_change_of_regime_is_no_interval() -> None:
    rng = np.random.default_rng(5)
    values = np.repeat([0.0, 1.0], 10) + rng.normal(0, 0.01, 20)
    found = dependence(values[:, None], np.arange(20), 0.95)
    assert found.groups[0] and not found.holds[0] and np.isnan(found.confidence[0])


def test_two_groups_are_further_apart_than_they_are_wide() -> None:
    middle = middle_between(np.array([[0, 0, 0], [0.1, 0.3, 0.0], [1.0, 0.6, 0.01], [1.1, 0.9, 0.01]]))
    assert middle[0] == pytest.approx(0.55) and np.isnan(middle[1:]).all()
    assert np.isnan(middle_between(np.array([[0.0], [0.0], [5.0]]))).all()
