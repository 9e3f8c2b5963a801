# SPDX-License-Identifier: BSD-3-Clause
"""The common part of launches: exact whatever the cases do, of use only where launches jump."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import Generator

from isochron.stats.parts import apart
from isochron.stats.shift import Places

BLOCKS, CASES = 12, 20
NAMES = np.tile([1.0, 1.0, 0.0, 0.0], BLOCKS)
PLACES: Places = [(np.array([4 * b, 4 * b + 1]), np.array([4 * b + 2, 4 * b + 3])) for b in range(BLOCKS)]


def jumping(rng: Generator) -> np.ndarray:
    launches = rng.choice(np.log([0.93, 1.18]), len(NAMES))
    return np.asarray(launches[:, None] + rng.normal(0, 0.02, (len(NAMES), CASES)))


def test_values_are_the_sum_of_their_parts() -> None:
    values = jumping(np.random.default_rng(1))
    found = apart(values, PLACES)
    assert found.part + found.own == pytest.approx(values)
    assert np.std(found.own - found.own.mean(axis=0)) < 0.025 < np.std(values - values.mean(axis=0))


def test_a_noisy_case_has_little_weight() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(0, 0.02, (len(NAMES), CASES))
    values[:, 3] += rng.normal(0, 2, len(NAMES))
    assert np.std(apart(values, PLACES).part) < 0.01 < np.std(values.mean(axis=1))


def test_the_sum_follows_the_case_whatever_the_others_do() -> None:
    """Shifts of all cases, of one and of all others move the interval of each case by just its own shift."""
    values = jumping(np.random.default_rng(3))
    plain = apart(values, PLACES).shifts(PLACES, 0.95)
    for moved in (np.full(CASES, 0.3), np.eye(CASES)[0], 0.2 * (np.arange(CASES) > 4)):
        found = apart(values + NAMES[:, None] * moved, PLACES).shifts(PLACES, 0.95)
        assert found.estimate - plain.estimate == pytest.approx(moved, abs=0.02)
        assert found.confidence == plain.confidence >= 0.95


def test_interval_and_test_of_no_difference_agree() -> None:
    rng = np.random.default_rng(4)
    beside = []
    for _ in range(30):
        values = jumping(rng) + NAMES[:, None] * rng.normal(0, 0.05, CASES)
        found = apart(values, PLACES)
        interval = found.shifts(PLACES, 0.95)
        beside.append((interval.low > 0) | (interval.high < 0))
        assert (beside[-1] == (found.no_shift(NAMES, PLACES, 0.95) <= 0.05)).all()
    assert 0.1 < np.mean(beside) < 0.9


def test_it_gains_only_where_launches_jump() -> None:
    rng = np.random.default_rng(5)
    used: dict[str, list[float]] = {"jumps": [], "quiet": [], "normal": []}
    for _ in range(20):
        own = rng.normal(0, 0.02, (len(NAMES), CASES))
        worlds = {"jumps": jumping(rng), "quiet": own, "normal": own + rng.normal(0, 0.1, len(NAMES))[:, None]}
        for name, values in worlds.items():
            used[name].append(apart(values, PLACES).gains(values, NAMES, PLACES, 0.95).mean())
    assert np.mean(used["jumps"]) > 0.8
    assert max(used["quiet"] + used["normal"]) < 0.5, "a pair goes by it where half of its cases gain"
