# SPDX-License-Identifier: BSD-3-Clause
"""Clopper and Pearson's interval against its definition and its known values."""

from __future__ import annotations

import pytest
from scipy import stats

from isochron.stats.binomial import clopper_pearson, highest, lowest


def test_known_values() -> None:
    """Of 20 tries none: at most 13.9 % (the rule of three says 15 %); 1 - 0.05^(1/n) exactly."""
    assert highest(0, 20, 0.95) == pytest.approx(1 - 0.05 ** (1 / 20))
    assert lowest(20, 20, 0.95) == pytest.approx(0.05 ** (1 / 20))
    assert clopper_pearson(0, 10, 0.95) == (0.0, pytest.approx(1 - 0.025 ** (1 / 10)))
    assert clopper_pearson(0, 0, 0.95) == (0.0, 1.0)


@pytest.mark.parametrize(("hits", "count"), [(1, 10), (7, 10), (19, 20)])
def test_the_bounds_are_where_the_tail_has_its_share(hits: int, count: int) -> None:
    low, high = clopper_pearson(hits, count, 0.9)
    assert stats.binom.sf(hits - 1, count, low) == pytest.approx(0.05)
    assert stats.binom.cdf(hits, count, high) == pytest.approx(0.05)
