# SPDX-License-Identifier: BSD-3-Clause
"""Estimates from series so far: winsorised values, variances, tails, joint evidence, autocorrelation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from isochron.stats.changes.estimates import (
    BEFOREHAND,
    LARGEST,
    MAX_FREEDOM,
    MIN_FREEDOM,
    MIN_SERIES,
    MORE,
    USUAL,
    Clipped,
    Persistence,
    Tails,
    agree,
    autocorrelation,
    p_value,
    prior,
    scores,
    together,
)


@pytest.mark.parametrize(("start", "end"), [(0, 9), (2, 7), (4, 5), (8, 9)])
def test_stretches_are_as_summed_one_by_one(start: int, end: int) -> None:
    values = np.random.default_rng(1).normal(size=(3, 9))
    counted = np.clip(values, -0.5, 0.5)
    sums = Clipped(values)
    for number in range(9):
        sums.append(np.arange(3), np.full(3, number), values[:, number])
    sums.replace(1, 0, counted[1])
    again = Clipped(values)
    again.resume(*sums.clipped())
    own = counted[1, start:end]
    where = np.array([1]), np.array([start]), np.array([end])
    for each in (sums, again):
        assert each.mean(*where)[0] == pytest.approx(own.mean())
        assert each.squares(*where)[0] == pytest.approx(((own - own.mean()) ** 2).sum(), abs=1e-12)


def test_a_step_begins_where_the_new_values_do() -> None:
    values = np.r_[np.zeros(10), np.full(4, 0.1)][None] + np.random.default_rng(2).normal(0, 0.01, (1, 14))
    assert Clipped(values).step(0, 0, 12, 14) == 10


@pytest.mark.parametrize("freedom", [4.0, 20.0])
def test_the_prior_from_which_variances_were_drawn_is_found(freedom: float) -> None:
    rng = np.random.default_rng(1)
    true = 3 * freedom / rng.chisquare(freedom, 50_000)
    found = prior(true * rng.chisquare(9, len(true)) / 9, np.full(len(true), 9.0))
    assert found.freedom == pytest.approx(freedom, rel=0.1)
    assert found.variance == pytest.approx(3, rel=0.05)


def test_equal_variances_become_one_and_few_stay_alone() -> None:
    drawn = np.random.default_rng(2).chisquare(9, 5000) / 9
    equal = prior(drawn, np.full(5000, 9.0))
    assert equal.freedom > 200
    assert equal.moderated(np.array([3.0]), 9.0) == pytest.approx(1, abs=0.2)
    assert prior(np.ones(50), np.full(50, 9.0)).freedom == MAX_FREEDOM
    few = prior(drawn[: MIN_SERIES - 1], np.full(MIN_SERIES - 1, 9.0))
    assert few.moderated(np.array([3.0]), 9.0) == 3


@pytest.mark.parametrize("correlation", [0.05, 0.4])
@pytest.mark.parametrize("freedom", [8.0, 1e6])
def test_p_is_how_often_two_deviations_show_as_much(correlation: float, freedom: float) -> None:
    drawn = np.random.default_rng(1).standard_normal((3, 2_000_000))
    pair = np.sqrt(1 - correlation) * drawn[:2] + np.sqrt(correlation) * drawn[2]
    pair /= np.sqrt(np.random.default_rng(2).chisquare(freedom, pair.shape[1]) / freedom)
    shown = np.where(pair[0] * pair[1] > 0, together(*pair), 0.0)
    for limit in (1.5, 2.0, 2.5):
        found = p_value(np.array([limit]), np.array([correlation]), np.array([freedom]))[0]
        assert found == pytest.approx((shown > limit).mean(), rel=0.06 if freedom > 100 else 0.25)


def test_one_deviation_alone_shows_nothing() -> None:
    one, other = np.array([13.0, 5.0, 5.0, 5.0]), np.array([2.5, 4.0, -4.0, 1.6])
    assert agree(one, other).tolist() == [False, True, False, False]
    assert together(np.array([13.0]), np.array([0.0])) == 0


@pytest.mark.parametrize("freedom", [3, 5, 12])
def test_the_t_that_deviations_were_drawn_from(freedom: int) -> None:
    tails = Tails()
    assert np.isinf(tails.freedom)
    tails.add(np.random.default_rng(1).standard_t(freedom, (300, 1000)))
    assert tails.freedom == pytest.approx(freedom, rel=0.25)


def test_normal_deviations_have_no_tails_and_one_in_a_hundred_far_away_is_one() -> None:
    drawn = np.random.default_rng(2).standard_normal(3000)
    tails = Tails()
    tails.add(drawn)
    assert tails.freedom > 30
    tails.add(np.full(30, 13.5))
    assert MIN_FREEDOM <= tails.freedom < 2.5
    assert np.array_equal(Tails(tails.known).known, tails.known)


def test_none_counts_for_more_than_one() -> None:
    far, farther = Tails(), Tails()
    far.add(np.r_[np.zeros(99), 14.0])
    farther.add(np.r_[np.zeros(99), 1e6])
    assert far.freedom == farther.freedom


def test_a_spread_from_few_values_makes_no_heavy_tail() -> None:
    drawn = np.random.default_rng(4).standard_t(4, 20_000)
    tails = Tails()
    tails.add(scores(drawn, np.array(4.0)))
    assert tails.freedom > 50
    assert scores(np.array([2.0]), 4.0)[0] == pytest.approx(-norm.ppf(student.sf(2.0, 4)))


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_variances_are_those_of_the_covariance_matrix(rho: float) -> None:
    before, after = 7, 3
    every = np.arange(before + after)
    covariance = rho ** np.abs(every[:, None] - every)
    one, other = np.full(before, 1 / before), np.full(after, 1 / after)
    known = autocorrelation(rho, 10)
    assert known.of_mean[before] == pytest.approx(one @ covariance[:before, :before] @ one)
    assert known.between(np.array(before), np.array(after)) == pytest.approx(one @ covariance[:before, before:] @ other)
    centred = np.eye(before) - 1 / before
    assert known.of_squares(np.array(before)) == pytest.approx(np.trace(centred @ covariance[:before, :before]))
    assert known.of_squares(np.array([0, 1])) == pytest.approx([0, 0], abs=1e-12)


def learnt(rho: float, runs: int, series: int, *, shared: bool = False) -> float:
    rng, known = np.random.default_rng(3), Persistence()
    before = rng.standard_normal(series)
    for _ in range(runs):
        new = np.full(series, rng.standard_normal()) if shared else rng.standard_normal(series)
        after = rho * before + np.sqrt(1 - rho**2) * new
        known.add(before, after)
        before = after
    return Persistence(known.known).rho


def test_rho_is_on_the_safe_side_and_bounded() -> None:
    for rho in (0.0, 0.5):
        assert rho - 0.02 < learnt(rho, 30, 100) < (1 + MORE) * rho + 0.1
    assert learnt(0.0, 30, 100, shared=True) > 0.15, "series that share their runs know no more than one"
    assert Persistence().rho == pytest.approx(USUAL + np.sqrt((1 - USUAL**2) / BEFOREHAND))
    known = Persistence()
    known.add(np.ones(10_000), np.full(10_000, 1.0))
    assert known.rho == LARGEST, "with more of what was shown, and its error, it would be above 1"
