# SPDX-License-Identifier: BSD-3-Clause
"""The interval of a row's value in six worlds: it covers, or it is said that it cannot."""

from __future__ import annotations

import numpy as np
import pytest

from isochron.postprocess.statistics.dependence import Dependence, dependence, two_groups
from isochron.postprocess.statistics.launches import median_interval
from tests.postprocess.compare.made import campaign

WORLDS = ("quiet", "blocks", "dwell-3", "dwell-30", "dwell-100", "drift")
#: The median of what launches of a world are in the long run: between the regimes, or half of the drift.
TRUTH = {"quiet": 0.0, "drift": np.log(1.3) / 2}


def rows(world: str, blocks: int, per_block: int, number: int) -> tuple[np.ndarray, Dependence]:
    """Independent rows, each of a run of its own: whether their intervals cover, and what is said of them."""
    rng = np.random.default_rng([blocks, per_block, WORLDS.index(world)])
    sides = [campaign(rng, world, blocks, per_block, 1)[0] for _ in range(number)]
    found = dependence(np.concatenate([side.logs for side in sides], axis=1), sides[0].blocks, 0.95)
    truth = TRUTH.get(world, np.log(2.5) / 2)
    return (found.low <= truth) & (truth <= found.high), found


def judged(world: str, blocks: int, per_block: int, number: int) -> None:
    """Coverage of 95 %, or of the rows that do not cover, 95 % say so: one regime was met, or it does not hold."""
    covered, found = rows(world, blocks, per_block, number)
    said = ~found.holds | ~found.groups
    least = 0.95 - 2.5 * np.sqrt(0.95 * 0.05 / number)
    assert covered.mean() >= least or said[~covered].mean() >= least
    assert (covered | said).mean() >= 0.95


@pytest.mark.heavy
@pytest.mark.parametrize("world", WORLDS)
def test_the_interval_covers_or_says_that_it_cannot(world: str) -> None:
    judged(world, 10, 2, 300)


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(("blocks", "per_block"), [(10, 2), (20, 1), (6, 2), (20, 2)])
def test_the_interval_covers_or_says_that_it_cannot_in_4000_runs(world: str, blocks: int, per_block: int) -> None:
    judged(world, blocks, per_block, 4000)


@pytest.mark.heavy
def test_independent_launches_are_hardly_doubted() -> None:
    covered, found = rows("quiet", 10, 2, 400)
    assert covered.mean() >= 0.94
    assert found.holds.mean() > 0.95 and not found.groups.any()


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
    middle, there = two_groups(np.array([[0, 0, 0], [0.1, 0.3, 0.0], [1.0, 0.6, 0.01], [1.1, 0.9, 0.01]]))
    assert there.tolist() == [True, False, False]
    assert middle[0] == pytest.approx(0.55) and np.isnan(middle[1:]).all()
    assert not two_groups(np.array([[0.0], [0.0], [5.0]]))[1].any()
