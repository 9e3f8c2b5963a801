# SPDX-License-Identifier: BSD-3-Clause
"""Signed ranks: the test, and estimate and interval that are its inversion."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from isochron.stats.exact_ranks import signed_rank_test
from isochron.stats.shift import no_shift, not_above, shifts


def pairs(count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(np.array([2 * pair]), np.array([2 * pair + 1])) for pair in range(count)]


@pytest.mark.parametrize("count", [5, 12, 24])
def test_without_ties_it_is_scipys_exact_test(count: int) -> None:
    rng = np.random.default_rng(count)
    for shift in (0.0, 0.5, 2.0):
        found = rng.normal(shift, 1, count)
        assert signed_rank_test(found) == pytest.approx(stats.wilcoxon(found, method="exact").pvalue)


def test_with_ties_and_zeros_it_counts_every_sign() -> None:
    found = np.array([0.0, 1.0, -1.0, 2.0, 2.0, -2.0, 3.0, 4.0])
    ranks = stats.rankdata(np.abs(found))[1:]
    sums = np.array([ranks @ np.array(signs) for signs in product((0, 1), repeat=7)])
    observed = stats.rankdata(np.abs(found))[found > 0].sum()
    expected = 2 * min((sums <= observed).mean(), (sums >= observed).mean())
    assert signed_rank_test(found) == pytest.approx(expected)
    assert signed_rank_test(np.zeros(6)) == 1.0


def test_the_estimate_is_the_median_of_walshs_means() -> None:
    values = np.random.default_rng(3).normal(0.3, 1, (24, 2))
    found = values[::2] - values[1::2]
    means = np.array([(found[i] + found[j]) / 2 for i in range(12) for j in range(i, 12)])
    assert shifts(values, values, pairs(12), 0.95).estimate == pytest.approx(np.median(means, axis=0))


def test_interval_and_test_agree() -> None:
    """Just inside the interval the test does not reject the shift, just outside it does."""
    values = np.random.default_rng(4).normal(0, 1, (28, 40))
    first = np.arange(28) % 2 == 0
    found = shifts(values, values, pairs(14), 0.95)
    assert 0.95 <= found.confidence < 0.96
    for inwards, rejected in ((1e-9, False), (-1e-9, True)):
        for end, side in ((found.low + inwards, 1), (found.high - inwards, -1)):
            moved = values - first[:, None] * end
            two_sided, one_sided = no_shift(moved, moved, pairs(14)), not_above(side * moved, side * moved, pairs(14))
            assert ((two_sided <= 1 - found.confidence + 1e-12) == rejected).all()
            assert ((2 * one_sided <= 1 - found.confidence + 1e-12) == rejected).all()
