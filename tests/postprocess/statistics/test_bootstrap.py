# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import numpy as np
import pytest

from isochron.postprocess.statistics.bootstrap import (
    block_ratios,
    bootstrap_medians,
    drawn_blocks,
    median_ratio,
    ratio_interval,
)


@pytest.mark.parametrize("count", [5, 8, 31])
def test_one_launch_is_the_plain_bootstrap_of_a_median(count: int) -> None:
    """The order-statistic shortcut has the distribution of drawing the runs again one by one."""
    runs = np.random.default_rng(count).lognormal(size=count)
    ours = bootstrap_medians([runs], 40_000, np.random.default_rng(1))
    plainly = np.median(np.random.default_rng(2).choice(runs, size=(40_000, count)), axis=1)
    quantiles = [0.025, 0.25, 0.5, 0.75, 0.975]
    for value in np.quantile(plainly, quantiles):
        assert (ours <= value).mean() == pytest.approx((plainly <= value).mean(), abs=0.015)
    assert ours.mean() == pytest.approx(plainly.mean(), rel=0.01)


def test_launches_of_different_lengths_stay_within_their_runs() -> None:
    launches = [np.array([1.0]), np.array([2.0, 2.5]), np.array([3.0, 3.5, 4.0])]
    found = bootstrap_medians(launches, 2000, np.random.default_rng(0))
    assert np.isfinite(found).all()
    assert found.min() >= 1.0
    assert found.max() <= 4.0


def test_it_is_seeded() -> None:
    launches = [np.random.default_rng(i).random(9) for i in range(5)]
    first = bootstrap_medians(launches, 100, np.random.default_rng([1, 2]))
    assert (first == bootstrap_medians(launches, 100, np.random.default_rng([1, 2]))).all()


@pytest.mark.parametrize("launches", [5, 10])
def test_ratio_interval_covers(launches: int) -> None:
    """Log-normal launches that spread more than their runs, true ratio 1.5: nominal 95 %."""
    rng = np.random.default_rng(launches)

    def side(centre: float) -> np.ndarray:
        offsets = rng.normal(0, 0.1, launches)
        return bootstrap_medians([centre * np.exp(o + rng.normal(0, 0.05, 15)) for o in offsets], 400, rng)

    covered = 0
    for _ in range(400):
        found = ratio_interval(side(1.5) / side(1.0), launches, 0.95)
        covered += found.low <= 1.5 <= found.high
    assert covered / 400 >= 0.93


def test_a_denominator_of_zero_is_no_crash() -> None:
    base = np.concatenate([np.zeros(10), np.ones(40)])[:, np.newaxis].repeat(3, axis=1)
    ratios = block_ratios(np.ones((50, 3)), base, drawn_blocks(3, 50, 1))
    assert ratio_interval(ratios, 5, 0.95).high == np.inf
    zero = block_ratios(np.zeros((50, 3)), np.zeros((50, 3)), drawn_blocks(3, 50, 1))
    assert np.isnan(ratio_interval(zero, 5, 0.95).low)


def test_median_ratio_is_the_median_of_ratios_and_turns_round() -> None:
    a, b = np.array([2.0, 3.0, 8.0]), np.array([1.0, 1.0, 2.0])
    assert median_ratio(a, b) == pytest.approx(3)
    even = np.array([2.0, 3.0, 8.0, 1.0]), np.array([1.0, 1.0, 2.0, 1.0])
    assert median_ratio(*even) == pytest.approx(np.sqrt(6))
    assert median_ratio(even[1], even[0]) == pytest.approx(1 / np.sqrt(6))


def test_blocks_are_drawn_for_both_sides_together() -> None:
    """A factor of a block that both sides have leaves no trace, however large."""
    rng = np.random.default_rng(1)
    a, b = rng.lognormal(size=(2, 300, 6))
    regime = 10.0 ** np.arange(6)
    drawn = drawn_blocks(6, 300, 7)
    assert block_ratios(a * regime, b * regime, drawn) == pytest.approx(block_ratios(a, b, drawn))
    assert drawn.shape == (300, 6)
    assert set(np.unique(drawn)) == set(range(6))


def test_a_block_that_is_drawn_twice_is_drawn_from_anew() -> None:
    """Of one block with replicates of spread 1, three draws have a median that spreads less."""
    replicates = np.exp(np.random.default_rng(2).normal(size=(4000, 1)))
    ratios = block_ratios(replicates, np.ones_like(replicates), np.zeros((4000, 3), dtype=np.int64))
    assert np.log(ratios).std() == pytest.approx(0.67, abs=0.03)
