# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import numpy as np
import pytest

from postprocess.statistics.bootstrap import bootstrap_medians, ratio_interval


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
        found = ratio_interval(side(1.5), side(1.0), launches, 0.95)
        covered += found.low <= 1.5 <= found.high
    assert covered / 400 >= 0.93


def test_a_denominator_of_zero_is_no_crash() -> None:
    found = ratio_interval(np.ones(50), np.concatenate([np.zeros(10), np.ones(40)]), 5, 0.95)
    assert found.high == np.inf
    assert np.isnan(ratio_interval(np.zeros(5), np.zeros(5), 5, 0.95).low)
