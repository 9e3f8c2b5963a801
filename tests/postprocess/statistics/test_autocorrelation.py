# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import numpy as np
import pytest

from isochron.postprocess.statistics.changes.autocorrelation import LARGEST, autocorrelation, cautious


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_variances_are_those_of_the_covariance_matrix(rho: float) -> None:
    before, after = 7, 3
    every = np.arange(before + after)
    covariance = rho ** np.abs(every[:, None] - every)
    weights = np.r_[np.full(before, -1 / before), np.full(after, 1 / after)]
    known = autocorrelation(rho, 10)
    assert known.of_difference(np.array(before), np.array(after)) == pytest.approx(weights @ covariance @ weights)
    centred = np.eye(before) - 1 / before
    assert known.of_squares(np.array(before)) == pytest.approx(np.trace(centred @ covariance[:before, :before]))
    assert known.of_squares(np.array([0, 1])) == pytest.approx([0, 0], abs=1e-12)


def test_rho_is_on_the_safe_side_and_bounded() -> None:
    for rho in (0.0, 0.5):
        assert rho < cautious(2 * (1 - rho), 2 * (1 - rho**2), 30) < rho + 0.25
        assert cautious(2 * (1 - rho), 2 * (1 - rho**2), 1e6) == pytest.approx(rho, abs=0.001)
    assert cautious(2.0, 1.5, 6) == cautious(0.0, 0.0, 6) > 0.3 * 10 / 16, "none below 0, none where nothing differs"
    assert cautious(1.0, 2.5, 1e6) == pytest.approx(LARGEST, abs=0.001)
