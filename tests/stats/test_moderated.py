# SPDX-License-Identifier: BSD-3-Clause
"""Moderated means of few blocks: coverage, what a mean of zero is called, and values that are missing."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from isochron.stats.moderated import moderated_means

CASES = 4000


def drawn(blocks: int, spread: float) -> NDArray[np.float64]:
    """Values of equal means, each case with a standard deviation of its own, lognormal by `spread`."""
    draw = np.random.default_rng(7)
    return draw.normal(0, 0.03 * draw.lognormal(0, spread, CASES), (blocks, CASES))


@pytest.mark.parametrize("blocks", [3, 8])
def test_equal_variances_are_nearly_known(blocks: int) -> None:
    found = moderated_means(drawn(blocks, 0.0), 0.95)
    covered = ((found.low <= 0) & (found.high >= 0)).mean()
    assert 0.94 <= covered <= 0.985  # the common variance is known better than a prior of four blocks says
    assert (found.p_value < 0.05).mean() == pytest.approx(1 - covered)
    plain, widths = drawn(blocks, 0.0).std(axis=0, ddof=1), found.high - found.low
    assert widths.std() / widths.mean() < 0.8 * plain.std() / plain.mean()


def test_a_case_that_varies_more_has_the_wider_interval() -> None:
    values = drawn(8, 0.0)
    values[:, 0] *= 20
    found = moderated_means(values, 0.95)
    widths = found.high - found.low
    assert widths[0] > 5 * np.median(widths)


def test_missing_values() -> None:
    values = drawn(4, 0.0)
    values[0, 0] = values[:3, 1] = np.nan
    found = moderated_means(values, 0.95)
    assert found.mean[0] == pytest.approx(values[1:, 0].mean())
    assert np.isnan(found.mean[1]) and np.isnan(found.p_value[1])
    assert np.isfinite(found.mean[2:]).all()
    assert np.isnan(moderated_means(np.full((3, 2), np.nan), 0.95).mean).all()
