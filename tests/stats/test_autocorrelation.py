# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import numpy as np
import pytest

from isochron.stats.changes.autocorrelation import (
    BEFOREHAND,
    LARGEST,
    MORE,
    USUAL,
    Persistence,
    autocorrelation,
)


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
