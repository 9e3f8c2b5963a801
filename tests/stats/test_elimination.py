# SPDX-License-Identifier: BSD-3-Clause
"""Elimination of variants on made-up tables: the best is kept, and ties are the default's."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from isochron.stats.elimination import Blocks, Standing, best_variants, stand

#: Variants, cases, blocks of a round, rounds, and the deviation of a ratio between blocks.
VARIANTS, CASES, ROUND, ROUNDS, NOISE = 7, 60, 6, 3, 0.04
THRESHOLD, ERROR = 0.05, 0.05
#: Cases that have none beside them.
ALONE = [[case] for case in range(CASES)]


def table(rng: np.random.Generator, effects: np.ndarray, *, seen: int = ROUNDS) -> Standing:
    """The standing after rounds in which only what is left is measured. `effects`: (V, C), logarithms.

    Noise differs between cases by a factor of 3, has heavy tails, and is partly that of the default.
    """
    wanted = np.ones(effects.shape, dtype=bool)
    noise = NOISE * np.exp(rng.normal(0, 0.5, effects.shape[1]))
    values: Blocks = np.empty((0, *effects.shape))
    left = wanted
    for _ in range(seen):
        own = rng.standard_t(6, (ROUND, *effects.shape)) * noise
        shared = rng.standard_t(6, (ROUND, 1, effects.shape[1])) * noise
        fresh = effects + (own - shared) / np.sqrt(2)
        values = np.concatenate([values, np.where(left, fresh, np.nan)])
        standing = stand(values, wanted, THRESHOLD, ROUNDS, ERROR)
        left = left & standing.left
    return Standing(standing.median, standing.low, standing.high, left)


@pytest.mark.parametrize("count", [40, pytest.param(400, marks=pytest.mark.slow)])
def test_the_best_variant_is_eliminated_in_few_tables(count: int) -> None:
    rng = np.random.default_rng(1)
    lost = 0
    for _ in range(count):
        effects = rng.uniform(-0.3, 0.4, (VARIANTS, CASES))
        best = effects.argmin(axis=0)
        worth = effects.min(axis=0) < -np.log1p(THRESHOLD)
        kept = table(rng, effects).left[best, np.arange(CASES)]
        lost += not kept[worth].all()
    assert lost <= 0.05 * count


def test_worse_variants_are_eliminated_and_the_bad_default_is_found() -> None:
    rng = np.random.default_rng(2)
    effects = np.full((VARIANTS, CASES), 0.25)
    effects[3, 10] = -np.log(1.25)
    standing = table(rng, effects)
    assert standing.left.sum() < 0.02 * standing.left.size
    winners = standing.winners(THRESHOLD, ALONE)
    assert winners[10] == 3 and (np.delete(winners, 10) == -1).all()


def test_each_round_eliminates_more() -> None:
    effects = np.linspace(-0.4, 0.4, VARIANTS)[:, None] + np.zeros((1, CASES))
    left = [table(np.random.default_rng(3), effects, seen=rounds).left.sum() for rounds in (1, 2, 3)]
    assert left[0] > left[1] > left[2] >= CASES


def test_what_has_no_value_is_left_and_wins_nothing() -> None:
    values = np.full((4, 2, 1), np.nan)
    values[:, 0, 0] = [-0.5, -0.51, -0.49, -0.5]
    standing = stand(values, np.ones((2, 1), dtype=bool), THRESHOLD, 1, ERROR)
    assert standing.left.tolist() == [[True], [True]] and standing.winners(THRESHOLD, ALONE).tolist() == [0]


def test_one_slow_launch_of_the_default_gives_no_winner() -> None:
    """In the block all variants take 0.7 of the default's time: the mean of six blocks would be 6 % less."""
    values = np.random.default_rng(4).normal(0, 0.005, (6, 5, 3))
    values[2] += np.log(0.7)
    standing = stand(values, np.ones((5, 3), dtype=bool), THRESHOLD, ROUNDS, ERROR)
    assert standing.left.any()
    assert (standing.winners(THRESHOLD, [[0], [1], [2]]) == -1).all()


def test_a_variant_that_is_not_there_is_not_left() -> None:
    standing = stand(np.zeros((4, 2, 1)) - 0.5, np.array([[True], [False]]), THRESHOLD, 1, ERROR)
    assert standing.left.tolist() == [[True], [False]]


def test_of_equally_good_variants_that_which_is_good_beside_it() -> None:
    mean = np.log([[0.95, 0.800, 1.0], [1.00, 0.797, 1.2], [0.9, 0.85, 0.9]])
    near = [[0, 1], [0, 1, 2], [1, 2]]
    assert best_variants(mean, mean, 0.05, near).tolist() == [2, 0, 2]
    assert best_variants(mean, mean, 0.05, [[0], [1], [2]]).tolist() == [2, 1, 2]
    assert best_variants(mean, mean, 0.15, near).tolist() == [-1, 0, -1]
    without = np.where(np.arange(3)[:, None] == 0, np.nan, mean)
    assert best_variants(without, mean, 0.05, near).tolist() == [2, 1, 2]


def test_rules_of_one_job_are_good_in_another() -> None:
    """Public data: the median of 13 algorithms of allreduce in two jobs on eight nodes of LUMI (lumi-allreduce.csv)."""
    with (Path(__file__).parent / "lumi-allreduce.csv").open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    sizes = sorted({int(row["bytes"]) for row in rows})
    names = sorted({row["algorithm"] for row in rows})
    jobs = np.full((2, len(names), len(sizes)), np.nan)
    for row in rows:
        place = int(row["job"]) - 1, names.index(row["algorithm"]), sizes.index(int(row["bytes"]))
        jobs[place] = np.log(float(row["median_ns"]))
    default = names.index("default_mpich")
    near = [[*range(max(0, case - 1), min(len(sizes), case + 2))] for case in range(len(sizes))]
    lost = gained = possible = rules = 0.0
    for here, there in (jobs, jobs[::-1]):
        ratios = here - here[default]
        for case, winner in enumerate(best_variants(ratios, ratios, THRESHOLD, near)):
            taken = there[winner if winner >= 0 else default, case]
            lost += taken - there[default, case] > np.log(1.05)
            gained += there[default, case] - taken
            possible += there[default, case] - np.nanmin(there[:, case])
            rules += winner >= 0
    assert (lost, rules) == (0, 5) and 0.70 < gained / possible < 0.71
