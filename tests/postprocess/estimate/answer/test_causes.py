# SPDX-License-Identifier: BSD-3-Clause
"""Causes to distrust a value, and how small a difference a run can show."""

from __future__ import annotations

from math import nan
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
import pytest

from isochron.common.detectable import Design, detectable, efficiency, ratio_spreads, student
from isochron.postprocess.estimate.answer.trust import (
    ISSUES,
    TRUST_COLUMNS,
    detectable_table,
    spreads,
    trust,
)
from isochron.postprocess.ingest.inputs import CASE, RESULT_KEY

KEY = {"operation": "bcast", "processes": 4, "processes_per_node": 4, "placement": "packed"}
SOUND: dict[str, Any] = {
    **KEY, "stack": "a", "launches": 10, "median_us": 10.0, "reliable": True, "rse": 0.01, "overhead_us": 4.0,
    "overhead_low_us": 3.0, "overhead_high_us": 4.5,
    "clock_error_us": 0.1, "mode_ratio": nan, "interval_validity": "yes", "reps_made": 100, "reps_late_start": 3,
}  # fmt: skip
#: What brings each cause about, alone.
WRONG: dict[str, dict[str, Any]] = {
    "verdict": {"reliable": False},
    "overhead": {"overhead_low_us": 2.4},
    "clock": {"clock_error_us": 1.01},
    "RSE": {"rse": 0.051},
    "groups": {"mode_ratio": 1.8},
    "interval": {"interval_validity": "no"},
    "late starts": {"reps_late_start": 11},
    "regime": {},
}


def judged(rows: list[dict[str, Any]], elsewhere: list[int] | None = None) -> pd.DataFrame:
    summary = pd.DataFrame([{**row, "bytes": 8 * number} for number, row in enumerate(rows)])
    regimes = pd.DataFrame(
        [{**KEY, "stack": "a", "bytes": 8 * number} for number in elsewhere or []], columns=RESULT_KEY
    )
    runs = ["reps_made", "reps_late_start"]
    return trust(summary.drop(columns=runs), summary[[*RESULT_KEY, *runs]], regimes)


def test_each_cause_is_told_alone_and_a_sound_row_has_none() -> None:
    names = [cause.name for cause in ISSUES]
    assert list(WRONG) == names
    rows = [SOUND, *({**SOUND, **WRONG[name]} for name in names)]
    found = judged(rows, [1 + names.index("regime")] * 2)
    assert list(found.columns) == list(TRUST_COLUMNS)
    assert found["issues"].tolist() == ["", *names]
    assert found["launches_other_regime"].tolist()[-1] == 2
    parts = [f"overhead_{name}share" for name in ("", "low_", "high_")]
    assert found[parts].to_numpy()[2].tolist() == [pytest.approx(0.4), pytest.approx(0.24), pytest.approx(0.45)]


def test_an_own_cost_that_was_not_measured_is_a_cause() -> None:
    unknown = {"overhead_us": nan, "overhead_low_us": nan, "overhead_high_us": nan}
    assert judged([{**SOUND, **unknown}])["issues"].tolist() == ["overhead"]


def test_causes_add_up_and_what_was_not_measured_is_left_out() -> None:
    found = judged([{**SOUND, "rse": 0.2, "mode_ratio": 2.0}, {**SOUND, "launches": 0}])
    assert found["issues"].tolist() == ["RSE; groups"]


@pytest.mark.parametrize("launches", [1, 4])
def test_the_spread_within_blocks_is_found_whatever_the_blocks_do(launches: int) -> None:
    """5 % within a block, as put in; blocks are 50 % apart, which both stacks meet."""
    rng = np.random.default_rng(launches)
    blocks = rng.normal(0, 0.5, 200)
    rows = [
        {**KEY, "stack": stack, "bytes": 8, "block": block, "attempt": 1,
         "median_us": np.exp(shift + level + rng.normal(0, 0.05))}
        for stack, shift in (("a", 0.0), ("b", 0.3)) for block, level in enumerate(blocks) for _ in range(launches)
    ]  # fmt: skip
    found = spreads(pd.DataFrame(rows), [("a", "b")])
    assert found.index.names == CASE
    assert found.tolist() == [pytest.approx(0.05, rel=0.2)]


def test_the_spread_of_ratios_in_turns_is_that_of_their_intervals() -> None:
    """4 % and 8 % in two cases; what is not asked, or not in turns, does not count."""
    lines = []
    for size, spread in ((8, 0.04), (64, 0.08)):
        for candidate, in_turns, factor in (("b", True, 1.0), ("c", True, 5.0), ("b", False, 5.0)):
            half = student(NormalDist().inv_cdf(0.975), 23) * factor * spread / np.sqrt(24 * efficiency(2))
            line = {**KEY, "bytes": size, "baseline": "a", "candidate": candidate, "in_turns": in_turns, "blocks": 24}
            ends = {"ratio_low": np.exp(0.1 - half), "ratio_high": np.exp(0.1 + half), "confidence": 0.95}
            lines.append(line | ends)
    table = pd.DataFrame(lines)
    found = ratio_spreads(table, [("a", "b")])
    assert found[["bytes", "candidate"]].to_numpy().tolist() == [[8, "b"], [64, "b"]] and found["in_turns"].all()
    assert found["spread"].tolist() == pytest.approx([0.04, 0.08])
    for nothing in (ratio_spreads(table, []), ratio_spreads(table.iloc[:0], [("a", "b")])):
        assert len(nothing) == 0 and {*CASE, "spread"} <= set(nothing.columns)


def test_more_blocks_find_less_and_the_first_line_is_now() -> None:
    design = Design(blocks=10, launches=2, pairs=1, cases=20, threshold=0.05, confidence=0.95)
    table = detectable_table(design, pd.Series([0.02, 0.03, 0.04, 0.2]), block_minutes=1.5)
    assert table["more_blocks"].tolist() == [0, 5, 10, 20, 40]
    assert table["minutes"].tolist() == [0, 7.5, 15, 30, 60]
    assert table["detectable_ratio"].tolist()[0] == detectable(design, 0.035)
    assert table["detectable_ratio"].is_monotonic_decreasing and table["detectable_ratio"].min() > 1.05
    assert (table["noisy_detectable_ratio"] > table["detectable_ratio"]).all()


def test_a_run_that_can_show_nothing_yet_says_from_when_on_it_can() -> None:
    design = Design(blocks=2, launches=1, pairs=1, cases=3, threshold=0.05, confidence=0.95)
    table = detectable_table(design, pd.Series([0.02]), block_minutes=1.0)
    assert table["blocks"].tolist() == [2, 3, 4, 6, 10]
    assert table["detectable_ratio"].isna().tolist() == [True, True, False, False, False]


def test_nothing_to_compare_has_no_lines() -> None:
    design = Design(blocks=5, launches=2, pairs=0, cases=3, threshold=0.05, confidence=0.95)
    assert detectable_table(design, pd.Series([0.02]), 1.0).empty
    assert spreads(
        pd.DataFrame(columns=[*RESULT_KEY, "block", "attempt", "median_us"]).astype({"median_us": float}), []
    ).empty
