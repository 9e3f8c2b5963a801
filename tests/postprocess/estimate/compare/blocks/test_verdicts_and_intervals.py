# SPDX-License-Identifier: BSD-3-Clause
"""What a row says agrees with itself: verdict, interval, p values, in the plain columns and in the adjusted ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.random import Generator

from isochron.postprocess.estimate.compare.comparison import compare
from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.estimate.compare.rows import Side
from isochron.postprocess.estimate.values.launches import PROBES
from isochron.stats import multiple_tests as step_down_module
from tests.postprocess.estimate.compare.looked import SEQUENTIAL
from tests.postprocess.estimate.compare.made import RULES, machine, side_rows

pytestmark = pytest.mark.heavy

DESIGNS = [(24, 1), (10, 2), (5, 4), (12, 2), (8, 3)]
WORLDS = ("quiet", "blocks", "dwell-3", "dwell-8", "drift", "jumps", "follows")
CASES = 12
#: 1,000 tables of a design in `make test-full`.
COUNTS = [6, pytest.param(1000, marks=pytest.mark.slow)]


@pytest.fixture(autouse=True)
def fewer_exchanges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_down_module, "DRAWN", 999)


def sides(rng: Generator, world: str, blocks: int, per_block: int, lost: float = 0.0) -> tuple[Side, Side]:
    """Two stacks, slower or faster by factors around the threshold. `lost`: the share of launches that are missing."""
    each = 2 * per_block
    order = np.concatenate([block * each + rng.permutation(each) for block in range(blocks)])
    met = rng.normal(0, 0.3, len(order)) if world == "follows" else machine(rng, world, len(order))[order]
    number, second = np.repeat(np.arange(blocks), each), np.tile(np.arange(each) >= per_block, blocks)
    factors = rng.choice([1.0, 1.04, 1.08, 1.2], CASES) ** rng.choice([-1, 1], CASES)
    noise = (
        rng.normal(0, 0.03, (len(order), CASES))
        if rng.random() < 0.5
        else 0.02 * rng.standard_t(3, (len(order), CASES))
    )
    logs = np.asarray(met[:, None] + noise + np.log(factors) * second[:, None])
    line = met[:, None] + rng.normal(0, 0.03, logs.shape)
    probes = np.stack([line, *[np.full_like(line, np.nan)] * (len(PROBES) - 1)])
    kept = rng.random(len(order)) >= lost
    return tuple(Side(logs[own], number[own], probes[:, own]) for own in (kept & ~second, kept & second))  # type: ignore[return-value]


def contradictions(table: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """The rows that say two things at once."""
    factor, wrong = 1 + rules.threshold, pd.Series(data=False, index=table.index)
    for ratio, low, high, p, verdict in (
        ("ratio", "ratio_low", "ratio_high", "p_adjusted", "verdict"),
        ("adjusted_ratio", "adjusted_low", "adjusted_high", "adjusted_p", "adjusted_verdict"),
    ):
        told = table[table[low].notna()]
        within = (told[low] >= 1 / factor) & (told[high] <= factor)
        claimed = told[verdict].isin(["slower", "faster"])
        wrong[told.index] |= (told[verdict] == "slower") & (told[low] < factor)
        wrong[told.index] |= (told[verdict] == "faster") & (told[high] > 1 / factor)
        wrong[told.index] |= (told[verdict] == "equivalent") & ~within
        wrong[told.index] |= (told[low] > told[ratio] * (1 + 1e-12)) | (told[ratio] > told[high] * (1 + 1e-12))
        if verdict == "verdict":  # the other one may keep what this one claims
            wrong[told.index] |= claimed & (told[p] > rules.alpha)
        if rules.level is None:  # else tests and intervals have levels of their own
            one_state = told["by_regime"] == ""  # else a claim needs to hold in the quiet regime, too
            wrong[told.index] |= one_state & ~claimed & (told[p] <= rules.alpha)
    differs = (table["ratio_low"] > 1) | (table["ratio_high"] < 1)
    wrong |= ~differs & (table["p_value"] <= 1 - table["confidence"] - 1e-9)
    wrong |= differs & (table["p_value"] > max(1 - rules.confidence, 2 * rules.alpha))
    return table[wrong]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(
    ("blocks", "per_block"), [*DESIGNS[:3], *(pytest.param(*each, marks=pytest.mark.slow) for each in DESIGNS[3:])]
)
def test_no_row_contradicts_itself(blocks: int, per_block: int, count: int) -> None:
    """Whole designs, and such as have lost launches, so that blocks are no longer alike."""
    rng = np.random.default_rng([blocks, per_block])
    claimed = 0
    for number in range(count):
        pair = sides(rng, WORLDS[number % len(WORLDS)], blocks, per_block, lost=0.0 if number % 3 else 0.05)
        table = compare({name: side_rows(name, side) for name, side in zip("ab", pair, strict=True)}, ["a", "b"], RULES)
        assert not len(wrong := contradictions(table, RULES)), wrong.T.to_string()
        claimed += table["verdict"].isin(["slower", "faster"]).sum()
    assert claimed > count


@pytest.mark.parametrize("count", COUNTS)
def test_no_row_of_a_look_contradicts_itself(count: int) -> None:
    """Where claims and intervals have levels of their own."""
    rng = np.random.default_rng(7)
    for number in range(count):
        blocks, level, equal_level = SEQUENTIAL[number % len(SEQUENTIAL)]
        rules = Rules(RULES.threshold, 1 - equal_level, level=level)
        pair = sides(rng, WORLDS[number % len(WORLDS)], blocks, 2)
        table = compare({name: side_rows(name, side) for name, side in zip("ab", pair, strict=True)}, ["a", "b"], rules)
        assert not len(wrong := contradictions(table, rules)), wrong.T.to_string()
