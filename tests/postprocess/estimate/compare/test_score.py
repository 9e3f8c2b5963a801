# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts held against a known truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.estimate.compare.score import SCORE_COLUMNS, Truth, counts, outcome, score
from isochron.stats.binomial import highest

RULES = Rules(threshold=0.05, confidence=0.95)
SAME = Truth("t-002", "mpich-5.0", {}, {})


@pytest.mark.parametrize(
    ("verdict", "injected", "found"),
    [
        ("slower", 1.1, "detected"),
        ("faster", 1 / 1.1, "detected"),
        ("faster", 1.1, "false"),
        ("slower", 1 / 1.1, "false"),
        ("slower", 1.0, "false"),
        ("faster", 1.0, "false"),
        ("slower", 1.05, "false"),
        ("faster", 1 / 1.05, "false"),
        ("equivalent", 1.05, "correct"),
        ("inconclusive", 1.05, "correct"),
        ("inconclusive", 1.0, "correct"),
        ("equivalent", 1.1, "false-equivalent"),
        ("not-slower", 1.1, "false-equivalent"),
        ("not-slower", 1 / 1.1, "missed"),
        ("not-slower", 1.05, "correct"),
        ("not-faster", 1 / 1.1, "false-equivalent"),
        ("inconclusive", 1.1, "missed"),
        ("missing", 1 / 1.1, "missed"),
    ],
)
def test_what_a_verdict_is_worth(verdict: str, injected: float, found: str) -> None:
    """A difference of just the threshold is none that counts, on both sides."""
    assert outcome(verdict, injected, RULES) == found


def row(operation: str, ratio: float, half: float, verdict: str) -> dict[str, Any]:
    low, high = ratio / (1 + half), ratio * (1 + half)
    return {
        "operation": operation, "bytes": 8, "ratio": ratio, "ratio_low": low, "ratio_high": high, "verdict": verdict,
    }  # fmt: skip


def scored(truth: Truth, *rows: dict[str, Any]) -> pd.DataFrame:
    names = [each["operation"] for each in rows]
    summary = pd.DataFrame({"operation": names * 2, "bytes": 8, "rse": [0.01] * len(names) + [0.03] * len(names)})
    return score(pd.DataFrame(rows), summary, truth, RULES)


def test_the_side_that_was_slowed_decides_about_the_ratio() -> None:
    truth = Truth("t-001", "mpich-5.0", {"bcast": 0.25}, {"reduce": 0.1})
    found = scored(
        truth, row("bcast", 0.8, 0.01, "faster"), row("reduce", 1.2, 0.01, "slower"), row("scan", 1, 1, "equivalent")
    )
    assert list(found.columns) == list(SCORE_COLUMNS)
    assert found["injected"].tolist() == pytest.approx([0.8, 1.1, 1.0])
    assert found["effect"].tolist() == [0.25, 0.1, 0.0]
    assert found["outcome"].tolist() == ["detected", "detected", "correct"]
    assert found["covered"].tolist() == [True, False, True]
    assert found["rse"].tolist() == [0.03] * 3


def test_a_row_without_an_interval_is_neither_covered_nor_not() -> None:
    found = scored(SAME, row("bcast", np.nan, 0, "missing"), row("reduce", 1, 0.1, "equivalent"))
    assert found["covered"].tolist() == [None, True]
    assert counts(found, [SAME], RULES)["covered"].of == 1


def test_counts() -> None:
    slowed = Truth("t-001", "mpich-5.0", {"bcast": 0.2}, {"reduce": 0.2})
    rows = pd.concat(
        [
            scored(
                slowed,
                row("bcast", 0.83, 0.01, "faster"),
                row("reduce", 1.0, 0.1, "equivalent"),
                row("scan", 1, 1, "slower"),
            ),
            scored(SAME, row("bcast", 1, 0.1, "equivalent"), row("reduce", 1.3, 0.1, "inconclusive")),
        ]
    )
    found = counts(rows, [slowed, SAME], RULES)
    assert (found["false_tables"].hits, found["false_tables"].of) == (1, 2)
    assert found["false_tables"].high == pytest.approx(highest(1, 2, 0.95))
    assert (found["false_same"].hits, found["false_same"].of) == (0, 1)
    assert (found["false_rows"].hits, found["false_rows"].of) == (1, 3)
    assert (found["false_equivalent"].hits, found["false_equivalent"].of) == (1, 2)
    assert (found["covered"].hits, found["covered"].of) == (3, 5)
    assert found["median_rse"] == 0.03
    effects = {each.effect: each for each in found["effects"]}
    assert (effects[0.2].detected.hits, effects[0.2].detected.of) == (1, 2)
    assert (effects[0.2].covered.hits, effects[0.0].covered.hits) == (1, 2)
    assert effects[0.2].detected.low == pytest.approx(0.0126, abs=1e-4)


def test_several_false_verdicts_of_one_table_count_once() -> None:
    rows = scored(SAME, row("bcast", 1.3, 0.01, "slower"), row("reduce", 1.3, 0.01, "slower"))
    found = counts(rows, [SAME], RULES)
    assert (found["false_tables"].hits, found["false_same"].hits, found["false_rows"].hits) == (1, 1, 2)
