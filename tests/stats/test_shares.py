# SPDX-License-Identifier: BSD-3-Clause
"""The share of one difference in another: coverage, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from isochron.stats.shares import mean_interval, share_of


@pytest.mark.parametrize("share", [0.0, 0.3, 0.92, 1.2])
def test_interval_coverage(share: float) -> None:
    draw = np.random.default_rng(11)
    hits, count = 0, 3000
    for _ in range(count):
        common = draw.normal(0, 0.02, 12)
        found = share_of(0.3 * share + common + draw.normal(0, 0.02, 12), 0.3 + common + draw.normal(0, 0.02, 12), 0.95)
        hits += found.low <= share <= found.high
    assert 0.935 <= hits / count <= 0.965


def test_equal_differences_are_a_share_of_one() -> None:
    whole = np.array([0.2, 0.3, 0.25, np.nan])
    found = share_of(whole, whole, 0.95)
    assert (found.share, found.low, found.high) == pytest.approx((1, 1, 1))
    assert found.blocks == 3


def test_no_share_of_a_whole_that_is_not_shown() -> None:
    noise = np.array([0.01, -0.02, 0.015, -0.005])
    assert math.isnan(share_of(noise, noise[::-1].copy(), 0.95).share)
    assert share_of(noise[:1], noise[:1], 0.95).blocks == 1


def test_a_mean_of_normal_values_is_covered() -> None:
    draw = np.random.default_rng(3)
    intervals = [mean_interval(draw.normal(0.1, 0.05, 12), 0.95) for _ in range(3000)]
    hits = sum(low <= 0.1 <= high for _, low, high in intervals)
    assert 0.935 <= hits / 3000 <= 0.965
    assert np.isnan(mean_interval(np.array([1.0, np.nan]), 0.95)).all()
