# SPDX-License-Identifier: BSD-3-Clause
"""The change itself: its place, when it was found, what is found after it, and what is no change."""

from __future__ import annotations

import numpy as np
import pytest

from isochron.postprocess.statistics.changes.change_point import FEWEST, FINEST, changes, continued

NIGHTS = 30


def quiet(seed: int, series: int = 2, nights: int = NIGHTS, spread: float = 0.01) -> np.ndarray:
    """Nights × series, independent, around 10 µs."""
    return 10 * np.exp(np.random.default_rng(seed).normal(0, spread, (nights, series)))


@pytest.mark.parametrize("place", [6, 9, 17, NIGHTS - 1])
def test_a_large_step_is_found_with_its_first_value(place: int) -> None:
    values = quiet(place)
    values[place:, 1] *= 1.3
    found = changes(values, 0.05)
    assert (found.series.tolist(), found.run.tolist(), found.found.tolist()) == ([1], [place], [place])
    assert found.p_value[0] < found.adjusted[0] <= 0.05


def test_a_small_step_is_found_at_its_place_when_enough_lies_behind_it() -> None:
    values = quiet(1, series=40, spread=0.02)
    values[15:, 0] *= 1.07
    found = changes(values, 0.05)
    assert (found.series.tolist(), found.run.tolist()) == ([0], [15])
    assert 16 < found.found[0] < 26


def test_several_changes_and_a_night_that_stands_alone() -> None:
    values = quiet(2)
    values[10:, 0] *= 1.3
    values[20:, 0] /= 1.6
    values[25, 1] *= 1.4
    found = changes(values, 0.05)
    assert list(zip(found.series.tolist(), found.run.tolist(), strict=True)) == [(0, 10), (0, 20), (1, 25), (1, 26)]


def test_what_was_found_stays_found() -> None:
    values = quiet(3, series=40)
    values[12:, :20] *= 1.06
    whole = changes(values, 0.05)
    for nights in (14, 18):
        part = changes(values[:nights], 0.05)
        known = whole.found < nights
        assert known.sum() >= 10
        for name in ("series", "run", "found", "p_value", "adjusted"):
            assert np.array_equal(getattr(part, name), getattr(whole, name)[known])


@pytest.mark.parametrize("series", [1, 1000])
def test_all_series_may_change_at_once(series: int) -> None:
    values = quiet(4, series)
    values[20:] *= 2
    found = changes(values, 0.05)
    assert len(found.series) == series
    assert set(found.run.tolist()) == set(found.found.tolist()) == {20}


def test_missing_values_do_not_count() -> None:
    values = quiet(5)
    values[17:, 0] *= 1.3
    holes = values.copy()
    holes[[3, 9, 17, 18], 0] = np.nan
    found = changes(holes, 0.05)
    assert (found.series.tolist(), found.run.tolist(), found.found.tolist()) == ([0], [19], [19])


def test_too_few() -> None:
    values = quiet(6, nights=FEWEST)
    values[-1] *= 2
    assert len(changes(values[1:], 0.05).series) == 0
    assert changes(values, 0.05).series.tolist() == [0, 1]
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
    right = changes(values, 0.05)
    assert len(right.series) >= 9
    for runs in (3, 7, 21, 24):
        _, known = continued(values[:runs, :25], 0.05, None)
        found, known = continued(values[:31], 0.05, known)
        found, _ = continued(values, 0.05, known)
        assert all(np.array_equal(own, other) for own, other in zip(found, right, strict=True))
