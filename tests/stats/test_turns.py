# SPDX-License-Identifier: BSD-3-Clause
"""Differences of samples that were measured in turns, and why they are medians over rounds tested by signed ranks."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from isochron.stats.launches import Values
from isochron.stats.multiple_tests import Matrix
from isochron.stats.shift import shifts
from isochron.stats.turns import block_differences, differences, regimes_of_rounds

BLOCKS, ROUNDS = 24, 8


def test_a_block_is_the_mean_of_its_sessions_and_a_session_the_median_of_its_rounds() -> None:
    first = np.array([[[1.0], [2.0], [9.0]], [[4.0], [4.0], [4.0]], [[1.0], [np.nan], [3.0]]])
    second = np.zeros_like(first)
    differences, numbers = block_differences(first, second, np.array([7, 7, 9]))
    assert numbers.tolist() == [7, 9]
    assert differences.tolist() == [[3.0], [2.0]]


def test_rounds_that_one_of_the_two_lacks_do_not_count() -> None:
    first, second = np.array([[[5.0], [1.0]], [[1.0], [2.0]]]), np.array([[[np.nan], [0.0]], [[np.nan], [np.nan]]])
    differences, _ = block_differences(first, second, np.array([1, 2]))
    assert differences[0].tolist() == [1.0]
    assert np.isnan(differences[1]).all()


def test_what_the_machine_does_to_a_round_of_both_cancels() -> None:
    rng = np.random.default_rng(1)
    state = rng.normal(0, 0.5, (BLOCKS, ROUNDS, 3))
    differences, _ = block_differences(state + 0.1, state, np.arange(BLOCKS))
    assert differences == pytest.approx(0.1)


def world(name: str, rng: np.random.Generator, cases: int) -> NDArray[np.float64]:
    """Log ratios of rounds without a difference: (BLOCKS, ROUNDS, cases)."""
    shape, every = (BLOCKS, cases), (BLOCKS, ROUNDS, cases)
    if name == "heavy rounds":
        return rng.normal(0, 0.03, shape)[:, None] + 0.05 * rng.standard_t(1.5, every)
    if name == "jumping blocks":
        jumps = np.log(1.3) * rng.choice([-1, *[0] * 18, 1], shape) + rng.normal(0, 0.02, shape)
        return jumps[:, None] + rng.normal(0, 0.05, every)
    if name == "disturbed rounds":
        side = rng.choice([-1, 1], (BLOCKS, 1, 1))
        hits = (rng.random(every) < 0.3) * np.abs(rng.normal(0, 0.3, every)) * side
        return rng.normal(0, 0.03, shape)[:, None] + rng.normal(0, 0.03, every) + hits
    return rng.normal(0, 0.05, shape)[:, None] + rng.normal(0, 0.05, every)


def intervals(values: Matrix) -> tuple[Values, Values]:
    """Half width and coverage of 0 by signed ranks, (blocks, cases) → (cases,)."""
    places = [(np.array([block]), np.array([len(values) + block])) for block in range(len(values))]
    both = np.concatenate([values, np.zeros_like(values)])
    found = shifts(both, both, places, 0.95)
    return (found.high - found.low) / 2, (found.low <= 0) & (found.high >= 0)


WORLDS = ["quiet", "heavy rounds", "jumping blocks", "disturbed rounds"]


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("cases", [400, pytest.param(20_000, marks=pytest.mark.slow)])
def test_intervals_cover_and_the_median_over_rounds_is_never_much_wider(name: str, cases: int) -> None:
    rng = np.random.default_rng(5)
    rounds = world(name, rng, cases)
    differences, _ = block_differences(rounds, np.zeros_like(rounds), np.arange(BLOCKS))
    half, covers = intervals(differences)
    error = 4 * np.sqrt(0.95 * 0.05 / cases)
    assert covers.mean() > 0.95 - error
    by_mean, _ = intervals(rounds.mean(axis=1))
    gain = float(np.median(by_mean) / np.median(half))
    assert gain > 0.9
    if name in ("heavy rounds", "disturbed rounds"):
        assert gain > 1.3, "a mean follows what disturbs one of the two in some rounds"


@pytest.mark.parametrize("cases", [400, pytest.param(20_000, marks=pytest.mark.slow)])
def test_signed_ranks_are_narrower_than_signs_and_than_the_mean_over_blocks_that_jump(cases: int) -> None:
    rounds = world("jumping blocks", np.random.default_rng(6), cases)
    differences, _ = block_differences(rounds, np.zeros_like(rounds), np.arange(BLOCKS))
    half, _ = intervals(differences)
    ordered = np.sort(differences, axis=0)
    signs = (ordered[BLOCKS - 7] - ordered[6]) / 2  # the sign test's interval at 97.7 %, the nearest to 95 %
    mean = 2.069 * differences.std(axis=0, ddof=1) / np.sqrt(BLOCKS)
    assert np.median(half) < 0.95 * np.median(signs)
    assert np.median(half) < 0.7 * np.median(mean)


def two_regimes(rng: np.random.Generator, slow: NDArray[np.bool_], cases: int) -> NDArray[np.float64]:
    """Readings of the candle: cases that differ a hundredfold, and rounds that are slower by a factor of 3 to 6."""
    response = rng.uniform(np.log(3), np.log(6), cases)
    return slow[..., None] * response + np.linspace(0, 5, cases) + rng.normal(0, 0.05, (*slow.shape, cases))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_candle_assigns_each_round_to_its_regime(share: float) -> None:
    """Whatever it takes for a case, and however many blocks are slow."""
    rng = np.random.default_rng(8)
    slow = rng.random((BLOCKS, ROUNDS)) < 0.1
    slow |= (np.arange(BLOCKS) < share * BLOCKS)[:, None]
    slow[-1] = False
    quiet, disturbed = regimes_of_rounds(two_regimes(rng, slow, 7))
    assert (disturbed == slow[..., None]).all() and (quiet == ~slow[..., None]).all()


def test_rounds_without_a_candle_are_of_no_regime() -> None:
    candle = np.full((3, 4, 2), np.nan)
    candle[0, :, 0] = 1.0
    quiet, disturbed = regimes_of_rounds(candle)
    assert quiet[0, :, 0].all() and quiet.sum() == 4 and not disturbed.any()


def test_a_block_that_met_both_regimes_has_a_difference_in_each() -> None:
    slow = np.zeros((6, 8), dtype=bool)
    slow[:, 5:] = True  # three rounds of eight
    slow[5, 6:] = False  # one alone, which is too few
    first = np.where(slow, 0.7, 0.1)[..., None] * np.ones(3)
    every = differences(first, np.zeros_like(first), two_regimes(np.random.default_rng(9), slow, 3), np.arange(6))
    assert every.quiet == pytest.approx(0.1) and every.disturbed[:5] == pytest.approx(0.7)
    assert np.isnan(every.disturbed[5]).all() and every.values == pytest.approx(0.1)
