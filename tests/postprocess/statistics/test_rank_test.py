# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from postprocess.statistics.rank_test import rank_test, smallest_p


@pytest.mark.parametrize(("first", "second"), [(3, 4), (5, 5), (10, 10), (8, 12), (25, 30)])
def test_without_ties_it_is_scipys_exact_test(first: int, second: int) -> None:
    rng = np.random.default_rng([first, second])
    for shift in (0.0, 0.5, 2.0):
        a, b = rng.normal(size=first), rng.normal(shift, size=second)
        assert rank_test(a, b) == pytest.approx(stats.mannwhitneyu(a, b, method="exact").pvalue)


def test_with_ties_it_counts_every_permutation() -> None:
    a, b = np.array([1.0, 2.0, 2.0, 3.0]), np.array([2.0, 3.0, 3.0, 4.0, 5.0])
    ranks = stats.rankdata(np.concatenate([a, b]))
    sums = np.array([sum(ranks[list(chosen)]) for chosen in combinations(range(9), 4)])
    observed = ranks[:4].sum()
    expected = 2 * min((sums <= observed).mean(), (sums >= observed).mean())
    assert rank_test(a, b) == pytest.approx(min(1.0, expected))


def test_equal_values_say_nothing() -> None:
    assert rank_test(np.full(5, 7.0), np.full(6, 7.0)) == 1.0


@pytest.mark.parametrize("launches", [2, 3, 4, 5, 10])
def test_smallest_p_is_what_separated_samples_give(launches: int) -> None:
    separated = rank_test(np.arange(launches) * 1.0, 100.0 + np.arange(launches))
    assert separated == pytest.approx(smallest_p(launches, launches))


def test_reachability() -> None:
    assert smallest_p(3, 3) > 0.05  # 0.1: three launches can never be significant
    assert smallest_p(4, 4) < 0.05


def test_false_alarms_keep_their_rate() -> None:
    rng = np.random.default_rng(5)
    p_values = [rank_test(*rng.normal(size=(2, 8))) for _ in range(2000)]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 2000)
