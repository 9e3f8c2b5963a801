# SPDX-License-Identifier: BSD-3-Clause
"""Exact rank tests of two samples and of pairs, against enumeration and SciPy."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from isochron.common.detectable import smallest_p
from isochron.stats.exact_ranks import mid_ranks, rank_test, signed_rank_test
from isochron.stats.shift import no_shift, not_above, shifts


@pytest.mark.parametrize(("first", "second"), [(3, 4), (5, 5), (10, 10), (8, 12), (25, 30)])
def test_without_ties_it_is_scipys_exact_test(first: int, second: int) -> None:
    rng = np.random.default_rng([first, second])
    for shift in (0.0, 0.5, 2.0):
        a, b = rng.normal(size=first), rng.normal(shift, size=second)
        assert rank_test([(a, b)]) == pytest.approx(stats.mannwhitneyu(a, b, method="exact").pvalue)


def test_with_ties_it_counts_every_permutation() -> None:
    a, b = np.array([1.0, 2.0, 2.0, 3.0]), np.array([2.0, 3.0, 3.0, 4.0, 5.0])
    ranks = stats.rankdata(np.concatenate([a, b]))
    sums = np.array([sum(ranks[list(chosen)]) for chosen in combinations(range(9), 4)])
    observed = ranks[:4].sum()
    expected = 2 * min((sums <= observed).mean(), (sums >= observed).mean())
    assert rank_test([(a, b)]) == pytest.approx(min(1.0, expected))


def test_equal_values_say_nothing() -> None:
    assert rank_test([(np.full(5, 7.0), np.full(6, 7.0))]) == 1.0


@pytest.mark.parametrize("launches", [2, 3, 4, 5, 10])
def test_smallest_p_is_what_separated_samples_give(launches: int) -> None:
    separated = rank_test([(np.arange(launches) * 1.0, 100.0 + np.arange(launches))])
    assert separated == pytest.approx(smallest_p([(launches, launches)]))


def test_reachability() -> None:
    assert smallest_p([(3, 3)]) > 0.05  # 0.1: three launches can never be significant
    assert smallest_p([(4, 4)]) < 0.05


def test_false_alarms_keep_their_rate() -> None:
    rng = np.random.default_rng(5)
    p_values = [rank_test([tuple(rng.normal(size=(2, 8)))]) for _ in range(2000)]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 2000)


def test_strata_count_every_permutation_within_them() -> None:
    """Blocks of different sizes, with ties, against the plain enumeration of van Elteren's statistic."""
    strata = [
        (np.array([1.0, 2.0]), np.array([2.0, 3.0, 5.0])),
        (np.array([30.0]), np.array([10.0, 30.0])),
        (np.array([7.0, 7.0, 9.0]), np.array([8.0])),
    ]
    sums = [0.0]
    observed = 0.0
    for first, second in strata:
        weighted = stats.rankdata(np.concatenate([first, second])) / (len(first) + len(second) + 1)
        own = [weighted[list(chosen)].sum() for chosen in combinations(range(len(weighted)), len(first))]
        sums = [a + b for a, b in product(sums, own)]
        observed += weighted[: len(first)].sum()
    low, high = (np.array(sums) <= observed + 1e-9).mean(), (np.array(sums) >= observed - 1e-9).mean()
    assert rank_test(strata) == pytest.approx(min(1.0, 2 * min(low, high)))


def test_pairs_of_single_launches_are_the_sign_test() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 10))
    expected = stats.binomtest(int((a < b).sum()), 10).pvalue
    assert rank_test([(a[i : i + 1], b[i : i + 1]) for i in range(10)]) == pytest.approx(expected)


def test_what_strata_differ_in_has_no_part() -> None:
    rng = np.random.default_rng(4)
    strata = [tuple(rng.normal(size=(2, 2))) for _ in range(10)]
    shifted = [(a + 100 * i, b + 100 * i) for i, (a, b) in enumerate(strata)]
    assert rank_test(shifted) == rank_test(strata)


@pytest.mark.parametrize(("blocks", "launches", "expected"), [(10, 1, 2 / 2**10), (10, 2, 2 / 6**10), (3, 2, 2 / 216)])
def test_smallest_p_of_strata(blocks: int, launches: int, expected: float) -> None:
    separated = [(np.arange(launches) * 1.0, 10.0 + np.arange(launches))] * blocks
    assert smallest_p([(launches, launches)] * blocks) == pytest.approx(expected)
    assert rank_test(separated) == pytest.approx(expected)


def test_mid_ranks_are_those_of_scipy() -> None:
    values = np.random.default_rng(8).integers(0, 6, size=(9, 200)).astype(float)
    values[0, :3] = np.inf
    assert np.array_equal(mid_ranks(values), stats.rankdata(values, axis=0))
    assert np.array_equal(mid_ranks(values[:, 0]), stats.rankdata(values[:, 0]))


def pairs(count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(np.array([2 * pair]), np.array([2 * pair + 1])) for pair in range(count)]


@pytest.mark.parametrize("count", [5, 12, 24])
def test_without_ties_pairs_have_scipys_exact_test(count: int) -> None:
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
