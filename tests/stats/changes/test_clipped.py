# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import numpy as np
import pytest

from isochron.stats.changes.clipped import Clipped


@pytest.mark.parametrize(("start", "end"), [(0, 9), (2, 7), (4, 5), (8, 9)])
def test_stretches_are_as_summed_one_by_one(start: int, end: int) -> None:
    values = np.random.default_rng(1).normal(size=(3, 9))
    counted = np.clip(values, -0.5, 0.5)
    sums = Clipped(values)
    for number in range(9):
        sums.append(np.arange(3), np.full(3, number), values[:, number])
    sums.replace(1, 0, counted[1])
    again = Clipped(values)
    again.resume(*sums.clipped())
    own = counted[1, start:end]
    where = np.array([1]), np.array([start]), np.array([end])
    for each in (sums, again):
        assert each.mean(*where)[0] == pytest.approx(own.mean())
        assert each.squares(*where)[0] == pytest.approx(((own - own.mean()) ** 2).sum(), abs=1e-12)


def test_a_step_begins_where_the_new_values_do() -> None:
    values = np.r_[np.zeros(10), np.full(4, 0.1)][None] + np.random.default_rng(2).normal(0, 0.01, (1, 14))
    assert Clipped(values).step(0, 0, 12, 14) == 10
