# SPDX-License-Identifier: BSD-3-Clause
"""The change itself: its place, when it was found, what is found after it, and what is no change."""

from __future__ import annotations

import numpy as np
import pytest

from isochron.stats.changes.change_point import changes, continued
from isochron.stats.changes.search import FEWEST, FINEST

NIGHTS = 30


def quiet(seed: int, series: int = 2, nights: int = NIGHTS, spread: float = 0.01) -> np.ndarray:
    """Nights × series, independent, around 10 µs."""
    return 10 * np.exp(np.random.default_rng(seed).normal(0, spread, (nights, series)))


@pytest.mark.parametrize("place", [8, 10, 17, NIGHTS - 2])
def test_a_large_step_is_found_with_its_second_value(place: int) -> None:
    values = quiet(20 + place, series=30)
    values[place:, 1] *= 1.3
    found = changes(values, 0.05)
    assert (found.series.tolist(), found.run.tolist(), found.found.tolist()) == ([1], [place], [place + 1])
    assert found.p_value[0] < found.adjusted[0] <= 0.05


def test_a_small_step_is_found_at_its_place_when_enough_lies_behind_it() -> None:
    values = quiet(1, series=40, spread=0.02)
    values[15:, 0] *= 1.07
    found = changes(values, 0.05)
    assert (found.series.tolist(), found.run.tolist()) == ([0], [15])
    assert 15 < found.found[0] < 26


def test_several_changes_and_a_night_that_stands_alone() -> None:
    values = quiet(2, series=30)
    values[10:, 0] *= 1.3
    values[20:, 0] /= 1.6
    values[25, 1] *= 1.4
    found, _ = continued(values, np.zeros(30, dtype=np.intp), 0.05, None)
    told = found.changes
    assert list(zip(told.series.tolist(), told.run.tolist(), strict=True)) == [(0, 10), (0, 20)]
    alone = set(zip(found.singles.series.tolist(), found.singles.run.tolist(), strict=True))
    assert {(0, 10), (0, 20), (1, 25)} <= alone, (
        "the first night of a change is one that stands alone, until the second"
    )
    assert len(alone) <= 6


@pytest.mark.parametrize("nights", [[20], [12, 25]])
def test_bad_nights_of_all_stacks_are_the_machines(nights: list[int]) -> None:
    values = quiet(12, series=30, spread=0.02)
    values[nights] *= 1.2
    found, _ = continued(values, np.arange(30) % 3, 0.05, None)
    assert len(found.changes.series) == len(found.machine.series) == 0
    assert found.nights.run.tolist() == nights
    assert found.shared[nights] == pytest.approx(np.log(1.2), abs=0.02)
    assert not set(found.singles.run.tolist()) & set(nights)


def test_a_level_of_all_stacks_is_the_machines_and_that_of_one_stack_its_own() -> None:
    values, stacks = quiet(8, series=30, spread=0.02), np.arange(30) % 3
    values[20:] *= 1.15
    found, _ = continued(values, stacks, 0.05, None)
    assert (found.machine.run.tolist(), found.machine.found.tolist()) == ([20], [21])
    assert len(found.changes.series) == 0
    values = quiet(8, series=30, spread=0.02)
    values[20:, stacks == 1] *= 1.15
    found, _ = continued(values, stacks, 0.05, None)
    assert len(found.machine.run) == 0
    assert sorted(found.changes.series.tolist()) == np.flatnonzero(stacks == 1).tolist()


def test_what_was_found_stays_found() -> None:
    values = quiet(3, series=40)
    values[12:, :20] *= 1.06
    whole = changes(values, 0.05)
    for nights in (14, 18):
        part = changes(values[:nights], 0.05)
        known = whole.found < nights
        assert known.sum() >= 3
        for name in ("series", "run", "found", "p_value", "adjusted"):
            assert np.array_equal(getattr(part, name), getattr(whole, name)[known])


@pytest.mark.parametrize("series", [1, 1000])
def test_all_series_may_change_at_once(series: int) -> None:
    values = quiet(4, series)
    values[20:] *= 2
    found = changes(values, 0.05)
    assert len(found.series) == series
    assert (set(found.run.tolist()), set(found.found.tolist())) == ({20}, {21})


def test_missing_values_do_not_count() -> None:
    values = quiet(5, series=30)
    values[17:, 0] *= 1.3
    holes = values.copy()
    holes[[3, 9, 17, 18], 0] = np.nan
    found = changes(holes, 0.05)
    assert (found.series.tolist(), found.run.tolist(), found.found.tolist()) == ([0], [19], [20])


def test_too_few() -> None:
    values = quiet(6, series=30, nights=FEWEST)
    values[-2:, 0] *= 2
    assert len(changes(values[1:], 0.05).series) == 0
    assert changes(values, 0.05).series.tolist() == [0]
    assert len(changes(np.empty((9, 0)), 0.05).series) == 0


def test_values_without_a_spread() -> None:
    """Simulated runs repeat each other: no change is none, and any that is not rounding is one."""
    values = np.full((12, 30), 5.0)
    assert len(changes(values, 0.05).series) == 0
    values[9:, 7] *= 1 + 100 * FINEST
    values[9:, 8] *= 1 + FINEST
    assert changes(values, 0.05).series.tolist() == [7]


def test_what_is_continued_is_what_is_looked_at_at_once() -> None:
    """To the last bit: with any number of runs before, with gaps, and with series that come later."""
    rng = np.random.default_rng(3)
    values = np.exp(rng.normal(0, 0.01, (40, 30)))
    values[20:, :6] *= 1.2
    values[30:, 3:9] *= 0.9
    values[rng.random(values.shape) < 0.1] = np.nan
    values[:25, 25:] = np.nan
    values[12] *= 1.3
    stacks = np.arange(30) % 3
    right, _ = continued(values, stacks, 0.05, None)
    assert len(right.changes.series) >= 9 and len(right.nights.run) == 1
    for runs in (3, 7, 21, 24):
        _, known = continued(values[:runs, :25], stacks[:25], 0.05, None)
        found, known = continued(values[:31], stacks, 0.05, known)
        found, _ = continued(values, stacks, 0.05, known)
        for name in ("changes", "singles", "machine", "nights"):
            pairs = zip(getattr(found, name), getattr(right, name), strict=True)
            assert all(np.array_equal(own, other) for own, other in pairs)
        assert np.array_equal(found.shared, right.shared, equal_nan=True)
