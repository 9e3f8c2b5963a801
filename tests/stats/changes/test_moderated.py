# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import numpy as np
import pytest

from isochron.stats.changes.moderated import MAX_FREEDOM, MIN_SERIES, prior


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
