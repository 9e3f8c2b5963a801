# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import numpy as np
import pytest

from isochron.stats.groups import gap, slow


def test_two_modes_of_a_machine() -> None:
    """Barrier times of ten launches whose processes shared a core or did not."""
    found = gap(np.array([0.16, 0.47, 0.17, 0.16, 0.16, 0.16, 0.49, 0.48, 0.48, 0.17]))
    assert found == pytest.approx(0.47 / 0.17)


@pytest.mark.parametrize(
    "values",
    [
        [1, 1, 1, 1, 1, 1, 1, 1, 1, 40],  # one outlier is no group
        [1.0, 1.1, 1.2, 1.3, 1.4, 1.5],
        [1, 1, 9, 9],  # too few launches
        [1, 2, 4, 8, 16, 32],  # no group is narrower than the gaps
        [1, 1, 1, 1.4, 1.4, 1.4],  # too close
        [0, 0, 0, 1, 1, 1],  # a time of zero has no ratio
    ],
)
def test_no_groups(values: list[float]) -> None:
    assert np.isnan(gap(np.array(values, dtype=float)))


def test_one_mode_is_hardly_ever_split() -> None:
    rng = np.random.default_rng(4)
    split = [not np.isnan(gap(rng.lognormal(sigma=0.3, size=10))) for _ in range(2000)]
    assert np.mean(split) < 0.01


def test_which_launches_are_slow() -> None:
    assert slow(np.array([0.16, 0.47, 0.17, 0.16, 0.48, 0.17])).tolist() == [False, True, False, False, True, False]
    assert not slow(np.array([1.0, 1.1, 1.2, 1.3, 1.4, 1.5])).any()
