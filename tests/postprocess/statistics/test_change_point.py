# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from isochron.postprocess.statistics.change_point import FEWEST_EACH, change_point


def statistic(values: np.ndarray) -> int:
    """Pettitt's own definition, with signs of all pairs."""
    count = len(values)
    return max(
        abs(sum(int(np.sign(values[j] - values[i])) for i in range(t) for j in range(t, count)))
        for t in range(FEWEST_EACH, count - FEWEST_EACH + 1)
    )


def test_a_step_is_found_where_it_is() -> None:
    rng = np.random.default_rng(1)
    for place in (2, 7, 12):
        values = np.concatenate([rng.normal(10, 0.1, place), rng.normal(12, 0.1, 14 - place)])
        found = change_point(values)
        assert found is not None
        assert found.index == place
        assert (found.p_value < 0.01) == (place == 7), "a change at the edge asks for more values"


def test_p_is_that_of_all_orders() -> None:
    values = np.array([1.0, 3.0, 2.0, 6.0, 5.0, 7.0, 4.0])
    every = [statistic(np.array(order)) for order in permutations(values)]
    exact = np.mean(np.array(every) >= statistic(values))
    found = change_point(values)
    assert found is not None
    assert found.p_value == pytest.approx(exact, abs=0.015)


def test_without_a_change_it_is_seldom_significant() -> None:
    rng = np.random.default_rng(2)
    significant = 0
    for _ in range(400):
        found = change_point(rng.lognormal(0, 0.2, 12))
        assert found is not None
        significant += found.p_value <= 0.05
    assert significant <= 400 * 0.05 + 3 * np.sqrt(400 * 0.05 * 0.95)


def test_too_few_and_all_equal() -> None:
    assert change_point(np.array([1.0, 2.0, 3.0])) is None
    found = change_point(np.ones(8))
    assert found is not None
    assert found.p_value == 1
