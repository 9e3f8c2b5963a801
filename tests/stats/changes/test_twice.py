# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import numpy as np
import pytest

from isochron.stats.changes.twice import agree, p_value, together


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
