# SPDX-License-Identifier: BSD-3-Clause
"""Many tests at once: step-down p values and Holm's correction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isochron.stats import multiple_tests as module
from isochron.stats.launches import Values
from isochron.stats.multiple_tests import SAME, holm, permuted_labels, step_down
from isochron.stats.multiple_tests import Tests as HypothesisTests

DRAWN = 1500


def plainly(groups: list[HypothesisTests], seed: int) -> Values:
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


def made(rng: np.random.Generator, hypotheses: int, shift: float) -> list[HypothesisTests]:
    """Blocks of two launches of each of two stacks, many units, blocks of pairs; some hypotheses are false."""
    blocks = [np.arange(4 * block, 4 * block + 4) for block in range(5)]
    names = np.tile([1.0, 1.0, 0.0, 0.0], 5)
    within = rng.normal(size=(20, hypotheses)) + shift * names[:, None] * (np.arange(hypotheses) % 3 == 0)
    many = np.repeat([1.0, 0.0], 35)
    pairs, sides = [np.arange(2 * pair, 2 * pair + 2) for pair in range(8)], np.tile([1.0, 0.0], 8)
    paired = rng.normal(size=(16, hypotheses)) + shift * sides[:, None] * (np.arange(hypotheses) % 4 == 0)
    return [
        HypothesisTests(within, names, permuted_labels(names, blocks)),
        HypothesisTests(rng.normal(size=(70, 3)), many, permuted_labels(many, [np.arange(70)])),
        HypothesisTests(np.empty((16, 0)), sides, permuted_labels(sides, pairs)),
        HypothesisTests(paired, sides, permuted_labels(sides, pairs)),
    ]


@pytest.mark.parametrize("shift", [0.0, 1.5, -3.0])
@pytest.mark.parametrize(("tile", "held"), [(64, 2000), (7, 50)])
def test_as_a_plain_loop(monkeypatch: pytest.MonkeyPatch, shift: float, tile: int, held: int) -> None:
    monkeypatch.setattr(module, "DRAWN", DRAWN)
    monkeypatch.setattr(module, "TILE", tile)
    monkeypatch.setattr(module, "HELD", held)
    groups = made(np.random.default_rng(5), 40, shift)
    assert np.array_equal(np.concatenate(step_down(groups, 9)), plainly(groups, 9))


def test_nothing_to_test() -> None:
    assert step_down([], 1) == []
    names = np.array([1.0, 0.0])
    empty = HypothesisTests(np.empty((2, 0)), names, permuted_labels(names, [np.arange(2)]))
    assert [len(each) for each in step_down([empty], 1)] == [0]


def test_known_example() -> None:
    # 0.01·4, then 0.03·3 (twice, made monotone), 0.04·1 → 0.06.
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_tests_that_were_not_made_do_not_count() -> None:
    found = holm(np.array([0.02, np.nan, 0.03]))
    assert found[[0, 2]] == pytest.approx([0.04, 0.04])
    assert np.isnan(found[1])
    assert len(holm(np.empty(0))) == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_adjusted_values_keep_order_and_never_shrink(p_values: list[float]) -> None:
    given_values = np.array(p_values)
    found = holm(given_values)
    assert (found >= given_values).all()
    assert (found <= 1).all()
    assert (np.diff(found[np.argsort(given_values, kind="stable")]) >= 0).all()
    assert (found <= np.minimum(1, given_values * len(given_values)) + 1e-15).all()  # never worse than Bonferroni


def test_family_wise_error_under_the_null() -> None:
    rng = np.random.default_rng(2)
    false_claims = [(holm(rng.random(20)) <= 0.05).any() for _ in range(3000)]
    assert np.mean(false_claims) == pytest.approx(0.05, abs=0.012)
