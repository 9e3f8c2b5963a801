# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from isochron.stats.launches import matched_columns, mean_estimate, median_interval


@pytest.mark.parametrize("count", [6, 7, 10, 11, 20, 35, 100])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_median_interval_is_scipys_where_the_confidence_can_be_reached(count: int, confidence: float) -> None:
    values = np.random.default_rng(count).lognormal(size=count)
    ours = median_interval(values, confidence)
    if 1 - 2.0 ** (1 - count) < confidence:
        assert (ours.low, ours.high) == (values.min(), values.max())
        return
    theirs = stats.quantile_test(values, q=0, p=0.5).confidence_interval(confidence)
    assert (ours.low, ours.high) == (theirs.low, theirs.high)
    assert ours.confidence >= confidence


def test_few_values_give_the_range_with_its_real_confidence() -> None:
    assert median_interval(np.array([3.0]), 0.95).confidence == 0.0
    five = median_interval(np.array([5.0, 1.0, 4.0, 2.0, 3.0]), 0.95)
    assert (five.low, five.high) == (1.0, 5.0)
    assert five.confidence == pytest.approx(1 - 2.0**-4)


def test_median_interval_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    samples = rng.lognormal(sigma=1.0, size=(4000, 10))
    intervals = [median_interval(sample, 0.95) for sample in samples]
    covered = np.mean([found.low <= 1.0 <= found.high for found in intervals])
    assert covered == pytest.approx(intervals[0].confidence, abs=0.01)


@given(st.lists(st.floats(0.1, 1e6), min_size=1, max_size=40))
def test_the_median_lies_in_its_interval(values: list[float]) -> None:
    found = median_interval(np.array(values), 0.95)
    assert found.low <= np.median(values) * (1 + 1e-12)
    assert found.high >= np.median(values) * (1 - 1e-12)


def test_mean_estimate_is_scipys() -> None:
    values = np.random.default_rng(3).normal(10, 2, 10)
    found = mean_estimate(values, 0.95)
    low, high = stats.t.interval(0.95, 9, loc=values.mean(), scale=stats.sem(values))
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.rse == pytest.approx(values.std(ddof=1) / (values.mean() * sqrt(10)))


def test_one_launch_says_nothing_about_its_spread() -> None:
    found = mean_estimate(np.array([4.0]), 0.95)
    assert found.mean == 4.0
    assert all(isnan(value) for value in (found.se, found.low, found.high, found.rse))


@pytest.mark.parametrize("shape", [(1, 5), (8, 60), (19, 60), (0, 3), (3, 0)])
def test_matched_columns_are_distinct_patterns_in_their_order(shape: tuple[int, int]) -> None:
    mask = np.random.default_rng(5).random(shape) < 0.8
    patterns, numbers = np.unique(mask, axis=1, return_inverse=True)
    matched = list(matched_columns(mask))
    assert len(matched) == patterns.shape[1]
    for number, (columns, rows) in enumerate(matched):
        assert columns.tolist() == np.flatnonzero(numbers.ravel() == number).tolist()
        assert rows.tolist() == patterns[:, number].tolist()
