# SPDX-License-Identifier: BSD-3-Clause
"""A night more, and stacks against their controls.

Before nights were asked for, two nights alone gave false claims in 22 to 28 % of tables where the share of slow time
went from 15 to 60 %, in 60 of 60 under an effect of stack, night and case of 3 % (intervals covered 26 %), and about
the unchanged one of two stacks in 11 to 13 %.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from numpy.random import Generator
from scipy.signal import lfilter
from scipy.stats import binom, t

from isochron.stats.nights import FEWEST, controlled, further_night, nights_needed

pytestmark = pytest.mark.heavy


def test_a_claim_needs_as_many_nights_as_its_level_asks_for() -> None:
    assert (nights_needed(0.95), nights_needed(0.99), nights_needed(0.9)) == (19, 99, 9)
    assert nights_needed(0.5) == FEWEST


def test_one_row_by_hand() -> None:
    """Nineteen nights of ±1 in turn, and a twentieth at 5: Student's interval, and the first of twenty ranks."""
    before = np.where(np.arange(19) % 2, 1.0, -1.0)
    found = further_night(np.append(before, 5.0)[:, None], 0.95)
    mean, error = before.mean(), before.std(ddof=1) * np.sqrt(1 + 1 / 19)
    half = t.ppf(0.975, 18) * error
    assert found.nights.tolist() == [19]
    assert [found.shift[0], found.low[0], found.high[0]] == pytest.approx([5 - mean, 5 - mean - half, 5 - mean + half])
    assert found.p_value[0] == pytest.approx(2 * t.sf((5 - mean) / error, 18))
    assert found.p_adjusted[0] == pytest.approx(1 / 20)
    usual = further_night(np.append(before, 0.0)[:, None], 0.95)
    assert usual.p_adjusted[0] == pytest.approx(1.0), "it is the most usual of all nights"


def test_few_nights_give_no_claim_and_fewer_no_interval() -> None:
    rng = np.random.default_rng(3)
    values = np.append(rng.normal(0, 0.01, (25, 4)), np.full((1, 4), 5.0), axis=0)
    values[18:25, 0] = np.nan
    values[4:25, 1] = np.nan
    values[25, 2] = np.nan
    found = further_night(values, 0.95)
    assert found.nights.tolist() == [18, 4, 25, 25]
    assert np.isfinite(found.low).tolist() == [True, False, False, True]
    assert np.isfinite(found.p_adjusted).tolist() == [False, False, False, True]
    assert found.p_adjusted[3] == pytest.approx(1 / 26)


def test_nights_that_agree_to_the_last_digit() -> None:
    values = np.zeros((21, 30))
    assert (further_night(values, 0.95).p_adjusted == 1.0).all()
    values[-1, 4] = 0.1
    found = further_night(values, 0.95)
    assert np.flatnonzero(found.p_adjusted <= 0.05).tolist() == [4]


def alike(rng: Generator, rho: float) -> np.ndarray:
    """21 nights of 30 rows, autoregressive."""
    new = rng.standard_normal((21, 30))
    new[1:] *= np.sqrt(1 - rho**2)
    return np.asarray(lfilter([1.0], [1.0, -rho], new, axis=0))


#: Nights of which the last is one more: heavy tails, rows that share their nights, nights that resemble the one before.
WORLDS = {
    "normal": lambda rng: rng.normal(size=(21, 30)),
    "heavy": lambda rng: rng.standard_t(2, (21, 30)),
    "shared": lambda rng: rng.normal(size=(21, 30)) + 3 * rng.standard_t(3, (21, 1)),
    "bad values": lambda rng: rng.normal(size=(21, 30)) + 13 * (rng.random((21, 30)) < 0.01),
    "rows that differ": lambda rng: rng.normal(size=(21, 30)) * np.logspace(-2, 1, 30),
    "neighbours": lambda rng: alike(rng, 0.5),
}


@pytest.mark.parametrize("tables", [60, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("world", WORLDS)
def test_one_more_night_is_told_from_the_others_in_one_table_of_twenty(world: str, tables: int) -> None:
    """The bound is exceeded in one case of a thousand where the share is 5 % (`neighbours`: 6 %)."""
    rng = np.random.default_rng(len(world))
    told = sum(bool((further_night(WORLDS[world](rng), 0.95).p_adjusted <= 0.05).any()) for _ in range(tables))
    assert told <= binom.ppf(0.999, tables, 0.06 if world == "neighbours" else 0.05)


NIGHTS, STACKS, CASES = 21, 4, 8
MARGIN = float(np.log(1.05))
SLOWER = np.log(1.1)
#: Variance of the median of so many normal values.
OF_MEDIAN = {1: 1.0, 2: 0.5, 3: 0.449}
TABLES = pytest.mark.parametrize("tables", [24, pytest.param(500, marks=pytest.mark.slow)])


def spread(rng: Generator, stacks: int = STACKS, by: float = 0.02) -> np.ndarray:
    """Nights that shift all stacks by 5 %, and each ratio of a stack to its controls by `by`, case by case."""
    own = by / np.sqrt(1 + OF_MEDIAN[stacks - 1])
    return rng.normal(0, 0.05, (NIGHTS, 1, CASES)) + rng.normal(0, own, (NIGHTS, stacks, CASES))


def slow_time(rng: Generator, shares: np.ndarray, by_case: bool) -> np.ndarray:
    """Medians of 12 blocks of two launches, of which a share is slow; each stack (or row) 1.3 to 3 times as slow."""
    factors = rng.uniform(1.3, 3, (STACKS, CASES if by_case else 1))
    slow = rng.random((NIGHTS, 12, 1, 1, 1)) < shares[:, None, None, None, None]
    logs = slow * np.log(factors) + rng.normal(0, 0.02, (NIGHTS, 12, 2, STACKS, CASES))
    return np.asarray(np.median(logs.reshape(NIGHTS, 24, STACKS, CASES), axis=1))


def from_15_to_60(rng: Generator) -> np.ndarray:
    return slow_time(rng, np.append(np.full(NIGHTS - 1, 0.15), 0.6), by_case=bool(rng.integers(2)))


def any_share(rng: Generator) -> np.ndarray:
    return slow_time(rng, rng.uniform(0.1, 0.7, NIGHTS), by_case=bool(rng.integers(2)))


class Table(NamedTuple):
    """What is claimed, +1 slower and -1 faster, and whether the interval holds the true shift: (S, C) each."""

    claims: np.ndarray
    covered: np.ndarray
    contradicts: bool


def judged(logs: np.ndarray, true: np.ndarray | float, controls: np.ndarray) -> Table:
    found = controlled(logs + np.append(np.zeros(NIGHTS - 1), 1.0)[:, None, None] * true, controls, 0.95, MARGIN)
    shape = found.least.shape
    changed = (found.night.p_adjusted.reshape(shape) <= 0.05) & (found.least >= MARGIN) & ~found.odd[:, None]
    low, high = found.night.low.reshape(shape), found.night.high.reshape(shape)
    claims = changed * np.sign(found.night.shift.reshape(shape))
    contradicts = bool((changed & (low <= 0) & (high >= 0)).any())
    return Table(claims, (low <= true) & (true <= high), contradicts)


@TABLES
@pytest.mark.parametrize("world", [spread, lambda rng: spread(rng, by=0.03), from_15_to_60, any_share])
def test_nothing_has_changed(world: Callable[[Generator], np.ndarray], tables: int) -> None:
    rng = np.random.default_rng(tables)
    found = [judged(world(rng), 0.0, np.ones(STACKS, dtype=bool)) for _ in range(tables)]
    assert sum(bool(each.claims.any()) for each in found) <= binom.ppf(0.999, tables, 0.05)
    assert not any(each.contradicts for each in found)
    if world is not from_15_to_60:  # the only one in which the new night is not one more of the same
        assert np.mean([each.covered for each in found]) >= 0.92


@TABLES
@pytest.mark.parametrize("rows", ["one case", "all cases"])
@pytest.mark.parametrize("library", ["same library", "another library"])
def test_a_stack_that_is_slower_by_a_tenth_is_found(rows: str, library: str, tables: int) -> None:
    rng = np.random.default_rng([tables, len(rows)])
    true = np.zeros((STACKS, CASES))
    true[1, 3 if rows == "one case" else slice(None)] = SLOWER
    controls = np.arange(STACKS) != (1 if library == "another library" else -1)
    found = [judged(spread(rng), true, controls) for _ in range(tables)]
    right = [bool(((each.claims > 0) & (true > 0)).any()) for each in found]
    wrong = [bool((each.claims * (true == 0)).any()) for each in found]
    assert np.mean(right) >= (0.6 if tables < 100 else 0.8)
    assert sum(wrong) <= binom.ppf(0.999, tables, 0.05)
    assert not any(each.contradicts for each in found)
    near = 0.08 if tables < 100 else 0.03
    assert np.mean([each.covered[true > 0] for each in found]) == pytest.approx(0.95, abs=near)


@TABLES
def test_of_two_stacks_nothing_is_claimed(tables: int) -> None:
    """Which of the two has changed cannot be known."""
    rng = np.random.default_rng(tables)
    true = np.zeros((2, CASES))
    true[0] = SLOWER
    for _ in range(tables):
        assert not judged(spread(rng, 2), true, np.ones(2, dtype=bool)).claims.any()


@TABLES
def test_of_three_stacks_the_one_that_changed_is_named(tables: int) -> None:
    """Both others have it as one of two controls."""
    rng = np.random.default_rng(tables)
    true = np.zeros((3, CASES))
    true[0] = SLOWER
    claims = [judged(spread(rng, 3), true, np.ones(3, dtype=bool)).claims for _ in range(tables)]
    assert np.mean([bool((each[0] > 0).any()) for each in claims]) >= 0.8
    assert sum(bool(each[1:].any()) for each in claims) <= binom.ppf(0.999, tables, 0.05)


def test_two_that_change_at_once_are_not_told_from_a_machine_that_did() -> None:
    rng = np.random.default_rng(5)
    true = np.zeros((STACKS, CASES))
    true[:2] = [[SLOWER], [3 * SLOWER]]
    logs = spread(rng)
    assert not judged(logs, true, np.ones(STACKS, dtype=bool)).claims.any()
    assert (judged(logs, true, np.arange(STACKS) > 1).claims[:2] > 0).any(axis=1).all(), "by their libraries they may"
