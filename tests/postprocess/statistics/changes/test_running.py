# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import numpy as np
import pytest

from isochron.postprocess.statistics.changes.running import Running


@pytest.mark.parametrize(("start", "end"), [(0, 9), (2, 7), (4, 5), (8, 9)])
def test_stretches_are_as_summed_one_by_one(start: int, end: int) -> None:
    values = np.random.default_rng(1).normal(size=(3, 9))
    sums = Running(values)
    own = values[1, start:end] - values[1, start:end].mean()
    where = np.array([1]), np.array([start]), np.array([end])
    assert sums.mean(*where)[0] == pytest.approx(values[1, start:end].mean())
    assert sums.squares(*where)[0] == pytest.approx((own**2).sum(), abs=1e-12)
    for lag in (1, 2):
        apart = own[lag:] - own[:-lag]
        assert sums.differences(*where, lag)[0] == pytest.approx((apart**2).sum(), abs=1e-12)
