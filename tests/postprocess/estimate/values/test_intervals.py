# SPDX-License-Identifier: BSD-3-Clause
"""What a row says of its interval."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.estimate.values.intervals import FOLLOWING, LASTING, ONE_BLOCK
from isochron.postprocess.estimate.values.summary import summarise
from isochron.postprocess.ingest.inputs import RESULT_KEY

SPREAD = np.random.default_rng(4).permutation(np.linspace(0, 0.02, 20))


def row(logs: np.ndarray, blocks: np.ndarray, *, simulated: bool = False) -> pd.Series:
    """The summary of one row with these launches."""
    key = dict(zip(RESULT_KEY, ("a", "bcast", 8, 4, 4, "packed"), strict=True))
    rows = pd.DataFrame(
        {**key, "block": blocks, "attempt": 1, "launch_id": [f"l{n:02}" for n in range(len(logs))],
         "median_us": 10 * np.exp(logs), "mean_us": 10 * np.exp(logs), "verdict": "ok", "reason": "",
         "simulated": simulated, "clock_error_us": 0.1, "overhead_us": 0.1, "overhead_from_last_us": 0.08}
    )  # fmt: skip
    planned = pd.DataFrame([{**key, "launches_planned": len(logs)}])
    return summarise(planned, rows, 0.95).iloc[0]


BLOCKS = np.arange(20) // 2
REGIMES = np.array([0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0])


@pytest.mark.parametrize(
    ("logs", "blocks", "basis", "holds", "reason"),
    [
        (SPREAD[np.r_[0:20:2, 1:20:2]], BLOCKS, "launches", "yes", ""),
        (SPREAD + np.repeat(REGIMES[:10], 2), BLOCKS, "blocks", "regimes", ""),
        (SPREAD + REGIMES, np.arange(20), "launches", "regimes", ""),
        (SPREAD + (np.arange(20) > 13), BLOCKS, "blocks", "no", LASTING),
        (np.linspace(0, 0.3, 20), np.arange(20), "launches", "no", FOLLOWING),
        (SPREAD, np.zeros(20, dtype=int), "launches", "no", ONE_BLOCK),
    ],
)
def test_words(logs: np.ndarray, blocks: np.ndarray, basis: str, holds: str, reason: str) -> None:
    found = row(logs, blocks)
    assert (found["interval_basis"], found["interval_validity"], found["interval_reason"]) == (basis, holds, reason)
    assert found["median_low_us"] < found["median_us"] < found["median_high_us"]
    assert np.isnan(found["median_confidence"]) == (holds == "no" and reason != ONE_BLOCK)


def test_of_a_single_launch_and_of_simulated_ones_nothing_is_said() -> None:
    for found in (row(np.zeros(1), np.zeros(1)), row(np.zeros(5), np.arange(5), simulated=True)):
        assert (found["interval_basis"], found["interval_validity"], found["interval_reason"]) == ("", "", "")
        assert found["median_low_us"] == found["median_us"]
