# SPDX-License-Identifier: BSD-3-Clause
"""The worst case that is named under heavy tails: truly a loss, and truly as large as what is shown at least."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.random import Generator
from numpy.typing import NDArray

from isochron.postprocess.estimate.answer.decision import by_least, oriented
from isochron.postprocess.estimate.answer.least import at_least
from isochron.postprocess.estimate.compare.pairs import Rules, Side
from isochron.schemas.input.analysis import Analysis
from isochron.stats import multiple_tests
from tests.postprocess.estimate.compare import sessions

CASES, ROUNDS, NOISE = 20, 6, 0.02
RULES = Rules(threshold=0.05, confidence=0.95)


def loaded(rng: Generator, blocks: int) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Comparisons in turns and their true ratios: half the cases are slower, one in seven jumps between two states."""
    truth = np.where(rng.random(CASES) < 0.5, rng.exponential(0.1, CASES), 0.0)
    jumps, number, pair = rng.random(CASES) < 0.15, np.arange(blocks), []
    for slower in (0.0, truth):
        tails = rng.standard_t(2, (blocks, 1, CASES)) + rng.standard_t(2, (blocks, ROUNDS, CASES))
        states = np.where(jumps & (rng.random((blocks, 1, CASES)) < 0.3), np.log(2.5), 0.0)
        rounds = NOISE * tails + states + slower
        candle = rng.normal(0, 0.05, rounds.shape)
        pair.append(Side(np.median(rounds, axis=1), number, None, rounds, number, candle))
    return oriented(sessions.compared((pair[0], pair[1]), RULES), Analysis()), np.exp(truth)


@pytest.mark.heavy
@pytest.mark.parametrize("tables", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_the_named_worst_case_is_truly_a_loss_and_at_least_as_large(
    tables: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 200 tables under heavy tails no more than 5 % name a case or state a least loss that is not so."""
    monkeypatch.setattr(multiple_tests, "DRAWN", 199)
    monkeypatch.setattr(sessions, "BLOCKS", 12)
    rng, losses, least = np.random.default_rng(5), [], []
    for _ in range(tables):
        table, truth = loaded(rng, 12)
        slower = by_least(table[(table["stack"] == "b") & (table["verdict"] == "slower")], slowest_first=True)
        if len(slower):
            losses.append(truth[slower.index[0]] > 1.05)
            least.append(truth[slower.index[0]] >= slower["least"].iloc[0])
    assert len(losses) >= 0.7 * tables
    assert np.mean(losses) >= 0.95 and np.mean(least) >= 0.95


def rows(*lines: tuple[float, float, float, str], **columns: object) -> pd.DataFrame:
    known = {"family": "question", "blocks": 12, "in_turns": True, "regime": "", "baseline_launches": 12}
    table = pd.DataFrame(lines, columns=["ratio", "ratio_low", "ratio_high", "verdict"])
    return table.assign(**known | {"candidate_launches": 12} | columns)


def test_a_wide_interval_does_not_lead() -> None:
    """3.81 times [1.16; 12.9] is less than what 1.35 [1.34; 1.37] shows; the direction does not matter."""
    found = at_least(rows((3.81, 1.16, 12.9, "slower"), (1.35, 1.34, 1.37, "slower")), 0.95, 0.05)
    assert found[0] == pytest.approx(1.05), "what its test shows, and no more"
    assert 1.05 < found[1] < 1.34
    turned = at_least(
        rows((1 / 3.81, 1 / 12.9, 1 / 1.16, "faster"), (1 / 1.35, 1 / 1.37, 1 / 1.34, "faster")), 0.95, 0.05
    )
    assert turned == pytest.approx(1 / found)


def test_nothing_is_shown_by_an_interval_that_holds_1_or_is_not_known() -> None:
    nothing = rows((1.2, 0.9, 1.6, "inconclusive"), (1.2, 0.0, np.inf, "inconclusive"), (np.nan,) * 3 + ("missing",))
    assert at_least(nothing, 0.95, 0.05).tolist() == [1.0, 1.0, 1.0]


def test_more_comparisons_show_less_of_each_and_families_are_counted_apart() -> None:
    one = (1.35, 1.3, 1.4, "slower")
    alone, many = at_least(rows(one), 0.95, 0.05), at_least(rows(*[one] * 20), 0.95, 0.05)
    assert alone == pytest.approx([1.3]) and (many < alone).all()
    apart = at_least(rows(*[one] * 20, family=["question", *["exploratory"] * 19]), 0.95, 0.05)
    assert apart[0] == alone[0]
    assert at_least(rows(one, *[one] * 19, blocks=5), 0.95, 0.05)[0] < many[0], "fewer blocks, heavier tails"
    of_launches = {"in_turns": False, "blocks": 4, "baseline_launches": 20, "candidate_launches": 20}
    assert at_least(rows(*[one] * 20, **of_launches), 0.95, 0.05)[0] > many[0]
    of_regime, six = (
        at_least(rows(*[one] * 20, **kinds), 0.95, 0.05) for kinds in ({"regime": "quiet"}, {"blocks": 6})
    )
    assert of_regime == pytest.approx(six), "an interval of 95 % by signed ranks has six blocks at least"
