# SPDX-License-Identifier: BSD-3-Clause
"""Jumps of made-up curves: found where they are, in few points, and none where the curve is smooth."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log

import numpy as np
import pytest

from isochron.workflows.cliffs.search import Cliff, Level, grid, search

Curve = Callable[[int], float]
#: Blocks of each experiment.
BLOCKS = 6


def searched(
    curve: Curve, low: int = 16, high: int = 1024, noise: float = 0.0, seed: int = 1, most: int = 20, parts: int = 2
) -> tuple[list[Cliff], set[int]]:
    """What is found in a curve of times, and the points that were measured; the noise is that of a block."""
    draw = np.random.default_rng(seed)
    steps = search(low, high, 0.2, most, parts)
    asked, points = next(steps), set[int]()
    while True:
        points |= set(asked)
        values = {point: log(curve(point)) + draw.normal(0, noise, BLOCKS) for point in asked}
        levels = {
            point: Level(float(each.mean()), 2.57 * float(each.std(ddof=1)) / BLOCKS**0.5)
            for point, each in values.items()
        }
        try:
            asked = steps.send(levels)
        except StopIteration as end:
            return end.value, points


def hockney(point: int) -> float:
    """A latency and a time per byte."""
    return 2.0 + 0.05 * point


def smooth(draw: np.random.Generator) -> Curve:
    """A curve with a latency, and a part that grows with some power."""
    latency, each, power = draw.uniform(0.5, 10), draw.uniform(0.001, 0.2), draw.uniform(0.3, 2.0)
    return lambda point: latency + each * point**power


@pytest.mark.parametrize("at", [17, 32, 33, 128, 129, 200, 700, 1024])
@pytest.mark.parametrize("factor", [1.5, 0.6])
@pytest.mark.parametrize("noise", [0.0, 0.03])
def test_a_jump_is_found_where_it_is(at: int, factor: float, noise: float) -> None:
    found, points = searched(lambda point: hockney(point) * (factor if point >= at else 1), noise=noise)
    assert [(one.before, one.after) for one in found] == [(at - 1, at)]
    assert found[0].jump == pytest.approx(log(factor), abs=0.05 + 2 * found[0].half)
    assert len(points) <= (15 if at == 128 else 20)


def test_more_parts_are_fewer_experiments() -> None:
    """Sizes share a launch, so that points cost little."""
    found, points = searched(lambda point: hockney(point) * (2 if point >= 50000 else 1), 1024, 65536, most=64, parts=8)
    assert [(one.before, one.after) for one in found] == [(49999, 50000)]
    assert len(points) <= 64


def test_a_search_that_ends_early_says_between_which_points() -> None:
    [cliff], points = searched(lambda point: hockney(point) * (2 if point >= 50000 else 1), 1024, 65536, most=12)
    assert cliff.after - cliff.before > 1 and cliff.before < 50000 <= cliff.after
    assert len(points) == 12


def test_two_jumps() -> None:
    found, _ = searched(lambda point: 5 * (2 if point >= 40 else 1) * (2 if point >= 300 else 1), most=40)
    assert [(one.before, one.after) for one in found] == [(39, 40), (299, 300)]
    assert [exp(one.jump) for one in found] == pytest.approx([2, 2])


def test_a_smooth_curve_has_no_jump() -> None:
    """The acceptance: none in 100 curves with a noise of 5 %."""
    draw = np.random.default_rng(3)
    found = [searched(smooth(draw), noise=0.05, seed=number)[0] for number in range(100)]
    assert not any(found)


def test_small_jumps_are_not_looked_for() -> None:
    assert searched(lambda point: 5 * (1.05 if point >= 128 else 1))[0] == []


def test_the_first_points_are_whole_numbers_within_the_range() -> None:
    assert grid(16, 1024) == [16, 32, 64, 128, 256, 512, 1024]
    assert grid(2, 4) == [2, 3, 4]
