# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from isochron.stats.changes.tails import MIN_FREEDOM, Tails, scores


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
