# SPDX-License-Identifier: BSD-3-Clause
"""The run as a random effect."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from isochron.stats.pooling import Pooled, random_effect

Values = NDArray[np.float64]


def restricted(tau2: float, values: Values, variances: Values) -> float:
    """Minus the restricted log-likelihood, up to a constant (Viechtbauer 2005, equation 7)."""
    weights = 1 / (variances + tau2)
    mean = (weights * values).sum() / weights.sum()
    return float(-np.log(weights).sum() + np.log(weights.sum()) + (weights * (values - mean) ** 2).sum()) / 2


def test_the_variance_between_runs_maximises_the_restricted_likelihood() -> None:
    rng = np.random.default_rng(3)
    variances = rng.uniform(0.5, 2, (6, 40)) ** 2
    values = rng.normal(0, np.sqrt(variances + rng.choice([0, 1, 9], 40)))
    found = random_effect(values, variances, 0.95).tau ** 2
    for series in range(40):
        of = (values[:, series], variances[:, series])
        best = minimize_scalar(restricted, bounds=(0, 200), args=of, method="bounded", options={"xatol": 1e-8}).x
        if restricted(0.0, *of) <= restricted(best, *of):
            best = 0.0
        assert found[series] == pytest.approx(best, rel=1e-3, abs=1e-4)


def test_equal_variances_have_a_closed_form() -> None:
    """τ² = s² - v, the mean is the plain one, and its interval is Student's (Hartung and Knapp)."""
    values = np.array([[1.0], [2.0], [4.0], [7.0]])
    found = random_effect(values, np.full((4, 1), 0.5), 0.95)
    assert found.mean[0] == pytest.approx(3.5)
    assert found.tau[0] ** 2 == pytest.approx(values.var(ddof=1) - 0.5)
    half = 3.182446 * values.std(ddof=1) / 2  # t with 3 degrees of freedom
    assert (found.low[0], found.high[0]) == pytest.approx((3.5 - half, 3.5 + half), rel=1e-6)
    wide = 4.302653 * np.sqrt(found.tau[0] ** 2 + 0.5 + values.var(ddof=1) / 4)  # t with 2
    assert (found.next_low[0], found.next_high[0]) == pytest.approx((3.5 - wide, 3.5 + wide), rel=1e-6)


def test_runs_that_do_not_differ_have_no_variance_between_them() -> None:
    found = random_effect(np.array([[1.0], [1.1], [0.9]]), np.full((3, 1), 1.0), 0.95)
    assert found.tau[0] == 0 and found.matched_p[0] > 0.9
    assert found.high[0] - found.mean[0] == pytest.approx(4.302653 / np.sqrt(3), rel=1e-6)  # not narrower than v says


def test_few_runs_missing_values_and_unknown_variances() -> None:
    nan = np.nan
    values = np.array([[1.0, 1.0, nan], [nan, 2.0, nan], [nan, 2.0, nan]])
    variances = np.array([[0.1, nan, nan], [nan, 0.2, nan], [nan, 0.2, nan]])
    found = random_effect(values, variances, 0.95)
    assert found.runs.tolist() == [1, 3, 0]
    assert found.mean[0] == 1 and np.isnan(found.low[0]) and np.isnan(found.tau[0])
    same = random_effect(values[:, 1:2], np.full((3, 1), 0.2), 0.95)
    assert (found.low[1], found.tau[1]) == (same.low[0], same.tau[0])
    assert np.isnan([found.mean[2], found.low[2], found.next_low[2]]).all()
    two = random_effect(np.array([[1.0], [2.0]]), np.full((2, 1), 0.1), 0.95)
    assert np.isfinite(two.low[0]) and np.isnan(two.next_low[0])


def drawn(runs: int, tau: float, series: int = 4000) -> tuple[Pooled, Values]:
    """Series with a true mean of 0, and what a further run of each measures."""
    rng = np.random.default_rng([runs, int(100 * tau)])
    variances = rng.uniform(0.5, 2, (runs, series)) ** 2
    values = rng.normal(0, np.sqrt(variances + tau**2))
    return random_effect(values, variances, 0.95), rng.normal(0, np.sqrt(rng.uniform(0.5, 2, series) ** 2 + tau**2))


@pytest.mark.slow
@pytest.mark.parametrize("runs", [2, 3, 5, 10])
@pytest.mark.parametrize("tau", [0.0, 1.0, 4.0])
def test_intervals_cover(runs: int, tau: float) -> None:
    """At least 93.5 % of 4000 where 95 % are promised; the interval of a further run where there are three or more."""
    found, further = drawn(runs, tau)
    assert ((found.low <= 0) & (found.high >= 0)).mean() > 0.935
    if runs > 2:
        assert ((found.next_low <= further) & (found.next_high >= further)).mean() > 0.92
