# SPDX-License-Identifier: BSD-3-Clause
"""The step-down in tiles and distinct exchanges is that of a plain loop over all exchanges."""

from __future__ import annotations

import numpy as np
import pytest

from isochron.stats import step_down as module
from isochron.stats.launches import Values
from isochron.stats.permutations import permuted_labels
from isochron.stats.step_down import SAME, Tests, step_down

DRAWN = 1500


def plainly(groups: list[Tests], seed: int) -> Values:
    """Westfall and Young, one exchange after another, in the order in which they are drawn."""
    rng = np.random.default_rng(seed)
    observed = np.concatenate([each.names @ each.scores for each in groups])
    order = np.argsort(observed, kind="stable")
    reached = np.zeros(len(order))
    for start in range(0, DRAWN, 1000):
        parts = [each.exchanged(rng, min(1000, DRAWN - start)) @ each.scores for each in groups]
        for drawn in np.concatenate(parts, axis=1):
            reached += np.maximum.accumulate(drawn[order]) >= observed[order] - SAME
    p_values = np.maximum.accumulate(((1 + reached) / (1 + DRAWN))[::-1])[::-1]
    adjusted = np.empty(len(order))
    adjusted[order] = p_values
    return adjusted


def made(rng: np.random.Generator, hypotheses: int, shift: float) -> list[Tests]:
    """Blocks of two launches of each of two stacks, many units, blocks of pairs; some hypotheses are false."""
    blocks = [np.arange(4 * block, 4 * block + 4) for block in range(5)]
    names = np.tile([1.0, 1.0, 0.0, 0.0], 5)
    within = rng.normal(size=(20, hypotheses)) + shift * names[:, None] * (np.arange(hypotheses) % 3 == 0)
    many = np.repeat([1.0, 0.0], 35)
    pairs, sides = [np.arange(2 * pair, 2 * pair + 2) for pair in range(8)], np.tile([1.0, 0.0], 8)
    paired = rng.normal(size=(16, hypotheses)) + shift * sides[:, None] * (np.arange(hypotheses) % 4 == 0)
    return [
        Tests(within, names, permuted_labels(names, blocks)),
        Tests(rng.normal(size=(70, 3)), many, permuted_labels(many, [np.arange(70)])),
        Tests(np.empty((16, 0)), sides, permuted_labels(sides, pairs)),
        Tests(paired, sides, permuted_labels(sides, pairs)),
    ]


@pytest.mark.parametrize("shift", [0.0, 1.5, -3.0])
@pytest.mark.parametrize(("tile", "held"), [(1024, 2000), (7, 50)])
def test_as_a_plain_loop(monkeypatch: pytest.MonkeyPatch, shift: float, tile: int, held: int) -> None:
    monkeypatch.setattr(module, "DRAWN", DRAWN)
    monkeypatch.setattr(module, "TILE", tile)
    monkeypatch.setattr(module, "HELD", held)
    groups = made(np.random.default_rng(5), 40, shift)
    assert np.array_equal(np.concatenate(step_down(groups, 9)), plainly(groups, 9))


def test_nothing_to_test() -> None:
    assert step_down([], 1) == []
    names = np.array([1.0, 0.0])
    empty = Tests(np.empty((2, 0)), names, permuted_labels(names, [np.arange(2)]))
    assert [len(each) for each in step_down([empty], 1)] == [0]
