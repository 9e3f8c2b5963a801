# SPDX-License-Identifier: BSD-3-Clause
"""The correlation of neighbouring blocks, and intervals that hold in spite of it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray

from isochron.stats import multiple_tests
from isochron.stats.block_correlation import (
    FEWEST,
    block_correlation,
    differences_of_blocks,
    effective_blocks,
    share_between,
    widened,
    widened_differences,
    widening,
)
from isochron.stats.margin_test import beyond
from isochron.stats.multiple_tests import step_down
from isochron.stats.shift import Places, shifts

Values = NDArray[np.float64]
MARGIN = float(np.log1p(0.05))


def autoregressive(rng: Generator, blocks: int, cases: int, correlation: float) -> Values:
    """Blocks of order one with standard deviation 1: (blocks, cases)."""
    values = rng.normal(size=(blocks, cases))
    for block in range(1, blocks):
        values[block] = correlation * values[block - 1] + np.sqrt(1 - correlation**2) * values[block]
    return values


def differences(rng: Generator, blocks: int, cases: int, correlation: float, shared: float = 0.0) -> Values:
    """Block differences of which a share of the variance is that of all cases together."""
    parts = [autoregressive(rng, blocks, count, correlation) for count in (1, cases)]
    return np.asarray(np.sqrt(shared) * parts[0] + np.sqrt(1 - shared) * parts[1])


def beside_zeros(values: Values) -> tuple[Values, Values, Places]:
    """Differences of blocks as two samples, their names, and a pair for each block."""
    blocks = len(values)
    places = [(np.array([block]), np.array([blocks + block])) for block in range(blocks)]
    return np.concatenate([values, np.zeros_like(values)]), np.repeat([1.0, 0.0], blocks), places


@pytest.mark.parametrize("correlation", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("blocks", [16, 24])
def test_the_correlation_of_all_cases_together_is_known(correlation: float, blocks: int) -> None:
    estimates = [
        block_correlation(differences(np.random.default_rng(seed), blocks, 20, correlation)) for seed in range(40)
    ]
    assert correlation - 0.06 < np.mean(estimates) < correlation + 0.08
    assert np.std(estimates) < 0.1


def test_cases_that_share_their_blocks_say_no_more_than_one() -> None:
    """Of 20 equal cases as of one, and nearer to 0 than of 20 independent ones."""
    one = autoregressive(np.random.default_rng(1), 24, 1, 0.5)
    assert block_correlation(np.tile(one, 20)) == pytest.approx(block_correlation(one))
    shared = [block_correlation(differences(np.random.default_rng(seed), 24, 20, 0.5, 1.0)) for seed in range(60)]
    own = [block_correlation(differences(np.random.default_rng(seed), 24, 20, 0.5)) for seed in range(60)]
    assert np.mean(shared) < np.mean(own) - 0.05


def test_nothing_is_known_of_few_blocks_or_of_equal_ones() -> None:
    rng = np.random.default_rng(2)
    assert np.isnan(block_correlation(rng.normal(size=(FEWEST - 1, 10))))
    assert np.isnan(block_correlation(np.ones((24, 10))))
    assert np.isnan(block_correlation(np.empty((24, 0))))
    some = rng.normal(size=(24, 10))
    some[FEWEST - 1 :, 5:] = np.nan
    assert block_correlation(some) == block_correlation(some[:, :5]), "cases of too few blocks do not count"


def test_a_block_without_a_value_changes_little() -> None:
    values = differences(np.random.default_rng(3), 24, 40, 0.5)
    complete = block_correlation(values)
    values[5, ::2] = np.nan
    assert block_correlation(values) == pytest.approx(complete, abs=0.06)


def test_the_correlation_does_not_depend_on_the_ratio_or_on_which_stack_is_the_baseline() -> None:
    values = differences(np.random.default_rng(4), 16, 5, 0.3)
    assert block_correlation(3 - 0.01 * values) == pytest.approx(block_correlation(values))


def test_what_blocks_are_worth() -> None:
    assert effective_blocks(0.5, 24) == pytest.approx(8)
    assert effective_blocks(np.nan, 24) == 24
    assert widening(np.nan, 24, 0.95) == widening(0.0, 24, 0.95) == 1
    assert widening(0.5, 1000, 0.95) == pytest.approx(np.sqrt(3), rel=0.01)
    assert 1 < widening(0.2, 24, 0.95) < widening(0.2, 12, 0.95) < widening(0.5, 24, 0.95) < widening(0.5, 12, 0.95)


def test_the_shift_stays_and_its_interval_is_wider_by_the_factor() -> None:
    values, names, places = beside_zeros(0.1 + 0.02 * differences(np.random.default_rng(5), 16, 4, 0.0))
    plain = shifts(values, values, places, 0.95)
    moved = widened(values, names, places, 1.5)
    wide = shifts(moved, moved, places, 0.95)
    assert wide.estimate == pytest.approx(plain.estimate)
    assert wide.low == pytest.approx(plain.estimate + 1.5 * (plain.low - plain.estimate))
    assert wide.high == pytest.approx(plain.estimate + 1.5 * (plain.high - plain.estimate))
    assert widened_differences(values[:16], 1.5) == pytest.approx(moved[:16])


def test_the_shift_of_several_launches_in_a_block_stays_likewise() -> None:
    rng = np.random.default_rng(6)
    names, blocks = np.tile([1.0, 1.0, 0.0, 0.0], 12), np.repeat(np.arange(12), 4)
    places = [
        (np.flatnonzero((blocks == block) & (names == 1)), np.flatnonzero((blocks == block) & (names == 0)))
        for block in range(12)
    ]
    values = rng.normal(size=(12, 3)).repeat(4, axis=0) + 0.1 * names[:, None] + rng.normal(0, 0.02, (48, 3))
    plain = shifts(values, values, places, 0.95)
    moved = widened(values, names, places, 2.0)
    wide = shifts(moved, moved, places, 0.95)
    assert wide.estimate == pytest.approx(plain.estimate)
    assert wide.high - wide.low == pytest.approx(2 * (plain.high - plain.low))
    expected = [values[one].mean(axis=0) - values[other].mean(axis=0) for one, other in places]
    assert differences_of_blocks(values, names, blocks) == pytest.approx(np.array(expected))


def test_what_launches_within_blocks_explain_is_not_correlated() -> None:
    """Nearly nothing is left of independent launches, nearly all of blocks that differ; of one launch each: unknown."""
    rng = np.random.default_rng(8)
    names, blocks = np.tile([1.0, 1.0, 0.0, 0.0], 16), np.repeat(np.arange(16), 4)
    launches = rng.normal(0, 0.02, (64, 20))
    assert share_between(launches, names, blocks) < 0.15
    assert share_between(launches + rng.normal(0, 0.1, (16, 20))[blocks], names, blocks) < 0.15
    apart = launches + rng.normal(0, 0.1, (16, 20))[blocks] * names[:, None]
    assert share_between(apart, names, blocks) > 0.9
    apart[3, 0] = np.nan
    assert share_between(apart, names, blocks) > 0.9
    first = np.tile([True, False], 32)
    assert share_between(apart[first], names[first], blocks[first]) == 1


def test_differences_that_are_not_there_stay_so() -> None:
    values = differences(np.random.default_rng(7), 16, 3, 0.0)
    values[2, 1] = np.nan
    wide = widened_differences(values, 2.0)
    assert np.isnan(wide).tolist() == np.isnan(values).tolist()
    assert np.nanstd(wide[:, 1]) == pytest.approx(2 * np.nanstd(values[:, 1]))


def simulated(
    blocks: int, cases: int, correlation: float, shared: float, tables: int
) -> tuple[float, float, float, float]:
    """Coverage of independent and of widened intervals, and tables with a false `slower` by widened and other tests.

    All cases are at the margin, where false claims are most frequent.
    """
    covered, false = np.zeros((2, tables)), np.zeros((2, tables))
    for table in range(tables):
        rng = np.random.default_rng([table, blocks, cases, round(10 * correlation), round(10 * shared)])
        logs = MARGIN + 0.02 * differences(rng, blocks, cases, correlation, shared)
        values, names, places = beside_zeros(logs)
        for row, factor in enumerate((1.0, widening(block_correlation(logs), blocks, 0.95))):
            moved = widened(values, names, places, factor)
            ratio = shifts(moved, moved, places, 0.95)
            (p_values,) = step_down([beyond((moved, moved), names, places, MARGIN)], 1)
            covered[row, table] = ((ratio.low <= MARGIN) & (ratio.high >= MARGIN)).mean()
            false[row, table] = ((p_values[:cases] <= 0.05) & (ratio.low >= MARGIN)).any()
    return (*covered.mean(axis=1).tolist(), *false.mean(axis=1).tolist())


def test_intervals_and_tests_hold_over_correlated_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiple_tests, "DRAWN", 199)
    plain, wide, plain_false, false = simulated(16, 20, 0.5, 0.0, 25)
    assert plain < 0.85 and wide > 0.93
    assert plain_false > 0.3 and false < 0.2


@pytest.mark.slow
@pytest.mark.parametrize("blocks", [12, 16, 24])
@pytest.mark.parametrize("cases", [4, 20, 40])
@pytest.mark.parametrize("correlation", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("shared", [0.0, 0.5])
def test_intervals_and_tests_hold_in_many_tables(
    monkeypatch: pytest.MonkeyPatch, blocks: int, cases: int, correlation: float, shared: float
) -> None:
    """400 tables: coverage of 93 % and false tables of 5 %, less and plus two and a half standard errors.

    Twelve blocks of four cases show too little of a correlation of 0.5: their intervals may cover 90 %.
    """
    monkeypatch.setattr(multiple_tests, "DRAWN", 499)
    _, wide, _, false = simulated(blocks, cases, correlation, shared, 400)
    unknown = correlation == 0.5 and blocks == 12 and cases == 4
    assert wide > (0.9 if unknown else 0.92)
    assert false < 0.077
