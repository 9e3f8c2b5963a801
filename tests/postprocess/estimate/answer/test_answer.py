# SPDX-License-Identifier: BSD-3-Clause
"""The answer of a run: decided by what is established, with what cannot be excluded, and one letter of quality."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.estimate.answer.decision import decide, pooled
from isochron.postprocess.estimate.answer.trust import CRITERIA, grades
from isochron.postprocess.ingest.inputs import ALLOCATION, CASE


def cases(*lines: tuple[float, float, float, str], blocks: int = 10) -> pd.DataFrame:
    """Comparisons of bcast at 1, 2, … bytes: ratio, interval, verdict."""
    table = pd.DataFrame(lines, columns=["ratio", "ratio_low", "ratio_high", "verdict"])
    keys = {"operation": "bcast", "processes": 4, "processes_per_node": 4, "placement": "packed", "blocks": blocks}
    return table.assign(**keys, bytes=range(1, len(table) + 1))


LOSS = (1.5, 1.4, 1.6, "slower")
GAIN = (0.8, 0.7, 0.9, "faster")
EQUAL = (1.0, 0.98, 1.02, "equivalent")
#: Open, but not slower by more than 5 %.
HARMLESS = (0.97, 0.93, 1.03, "inconclusive")
FEARED = (1.1, 0.9, 1.3, "inconclusive")


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        ([GAIN, EQUAL], "upgrade"),
        ([GAIN, EQUAL, HARMLESS], "upgrade"),
        ([EQUAL], "upgrade"),
        ([GAIN, FEARED], "undecided"),
        ([HARMLESS], "undecided"),
        ([], "undecided"),
        ([GAIN, GAIN, EQUAL, LOSS], "keep-baseline"),
        ([(np.nan, np.nan, np.nan, "missing"), GAIN], "upgrade"),
        ([(1.1, np.nan, np.nan, "inconclusive"), GAIN], "undecided"),
    ],
)
def test_the_decision(lines: list[tuple[float, float, float, str]], word: str) -> None:
    assert decide(cases(*lines), 0.05).word == word


def test_what_it_rests_on() -> None:
    found = decide(cases(EQUAL, (1.2, 1.1, 1.3, "slower"), LOSS, GAIN, FEARED, HARMLESS), 0.05)
    assert (found.cases, found.equal, found.open) == (6, 1, 2)
    assert found.slower["ratio"].tolist() == [1.5, 1.2]
    assert found.at_risk["ratio_high"].tolist() == [1.3]


def test_what_it_would_cost_to_settle() -> None:
    """An interval shrinks with the root of the blocks: to half, four times as many."""
    edge, ratio = 1.05, 1.05 * 1.1
    near = (ratio, ratio / 1.1**2, ratio * 1.1**2, "inconclusive")
    found = decide(cases(near, GAIN), edge - 1)
    assert (found.blocks, found.settled) == (40, 1)
    hopeless = (edge * 1.001, 0.8, 1.4, "inconclusive")
    found = decide(cases(near, hopeless, GAIN), edge - 1)
    assert (found.blocks, found.settled) == (40, 1)
    assert decide(cases(hopeless), edge - 1).blocks == 0


def drawn(rng: np.random.Generator, blocks: int, lacking: bool = False) -> pd.DataFrame:
    """Two stacks in 20 cases; the second is slower by 10 %. What a block does to the ratio it does to all cases."""
    lines = []
    for block in range(blocks):
        shared = rng.normal(0, 0.03)
        for size in range(1, 21):
            for stack, log in (("old", 0.0), ("new", np.log(1.1) + shared)):
                for _ in range(2):
                    value = 3.0 * size * np.exp(log + rng.normal(0, 0.02))
                    lines.append((stack, "bcast", size, 4, 4, "packed", block, 1, value))
    table = pd.DataFrame(lines, columns=["stack", *CASE, *ALLOCATION, "median_us"])
    return table[~((table["block"] == 0) & (table["bytes"] > 10))] if lacking else table


@pytest.mark.parametrize("lacking", [False, True])
def test_the_pooled_effect_covers_though_blocks_are_shared(lacking: bool) -> None:
    rng, held, widths = np.random.default_rng(1), 0, []
    for _ in range(60):
        found = pooled(drawn(rng, 6, lacking), "old", "new", 0.95)
        assert (found.cases, found.blocks) == (20, 5 if lacking else 6)
        assert found.low < found.ratio < found.high
        held += found.low <= 1.1 <= found.high
        widths.append(found.high - found.low)
    assert held >= 51, "95 % of 60, and one in a thousand below"
    assert np.median(widths) < 0.15


def test_no_effect_without_pairs() -> None:
    table = drawn(np.random.default_rng(2), 3)
    assert np.isnan(pooled(table[table["stack"] == "old"], "old", "new", 0.95).ratio)
    one = pooled(table[table["block"] == 0], "old", "new", 0.95)
    assert one.ratio > 1 and np.isnan(one.low)


def summary(**columns: object) -> pd.DataFrame:
    """Four rows; a fifth of each value is the engine's own, and known to a fortieth."""
    base = {"reliable": True, "rse": 0.01, "mode_ratio": np.nan, "clock_error_us": 0.01, "median_us": 1.0}
    base |= {"overhead_us": 0.2, "overhead_low_us": 0.15, "overhead_high_us": 0.2}
    return pd.DataFrame([{**base, **columns}] * 4)


def test_the_grade_is_that_of_each_criterion() -> None:
    runs = pd.DataFrame({"reps_made": [100, 100], "reps_late_start": [1, 1]})
    found = grades(summary(), runs, 10, 10).set_index("criterion")
    assert found["grade"].eq("A").all() and len(found) == len(CRITERIA)
    assert found.loc["late starts", "value"] == pytest.approx(0.01)
    worse = {
        "complete": (grades(summary(), runs, 10, 8), "D"),
        "reliable": (grades(summary(reliable=False), runs, 10, 10), "D"),
        "repeatability": (grades(summary(rse=0.04), runs, 10, 10), "B"),
        "groups": (grades(summary(mode_ratio=1.5), runs, 10, 10), "D"),
        "clock": (grades(summary(clock_error_us=0.2), runs, 10, 10), "D"),
        "overhead": (grades(summary(overhead_high_us=0.36), runs, 10, 10), "C"),
        "late starts": (grades(summary(), runs.assign(reps_late_start=30), 10, 10), "C"),
    }
    for criterion, (table, letter) in worse.items():
        assert table.set_index("criterion").loc[criterion, "grade"] == letter, criterion
    not_measured = grades(summary(overhead_low_us=np.nan), runs, 10, 10).set_index("criterion")
    assert not_measured.loc["overhead", ["value", "grade"]].tolist() == [1.0, "C"]
