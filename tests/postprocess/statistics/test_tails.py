# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from isochron.postprocess.statistics.changes.autocorrelation import autocorrelation
from isochron.postprocess.statistics.changes.moderated import Prior
from isochron.postprocess.statistics.changes.tails import Tails, deleted, scores


def test_the_t_that_deviations_were_drawn_from() -> None:
    tails = Tails()
    assert tails.unknown
    assert np.isinf(tails.freedom(np.array([1]))[0])
    tails.add(np.random.default_rng(1).standard_t(12, (300, 1000)))
    assert tails.freedom(np.array([1]))[0] == pytest.approx(12, rel=0.15)
    assert tails.freedom(np.array([3]))[0] == pytest.approx(4 + 3 * (tails.freedom(np.array([1]))[0] - 4))


def test_few_deviations_may_hide_heavy_tails() -> None:
    tails = Tails()
    tails.add(np.random.default_rng(2).standard_normal(10))
    assert tails.freedom(np.array([1]))[0] < 10


def test_a_deviation_is_from_the_others() -> None:
    values = np.random.default_rng(3).normal(size=(4, 6))
    found = deleted(values, Prior(1.0, 0.0), autocorrelation(0.0, 6), 1e-4)
    others = np.delete(values[1], 2)
    spread = others.std(ddof=1) * np.sqrt(1 + 1 / 5)
    rarity = student.cdf(-abs(values[1, 2] - others.mean()) / spread, df=4)
    assert norm.cdf(-found[1, 2]) == pytest.approx(rarity)


def test_a_spread_from_few_values_makes_no_heavy_tail() -> None:
    drawn = np.random.default_rng(4).standard_t(4, 20_000)
    tails = Tails()
    tails.add(scores(drawn, np.array(4.0)))
    assert tails.freedom(np.array([1]))[0] > 50
