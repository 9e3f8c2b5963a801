# SPDX-License-Identifier: BSD-3-Clause
"""Which rows are measured again: those that more launches can help, and no others."""

from __future__ import annotations

import pandas as pd
import pytest

from isochron.postprocess.reading.inputs import ROW
from isochron.postprocess.values.doubt import doubts, measured_again, row_doubt

POINT = (4, 2, "packed")


def rows(
    medians: list[float],
    verdict: str = "ok",
    half: float = 0.01,
    rounds: list[int] | None = None,
    simulated: bool = False,
) -> pd.DataFrame:
    """Launches of one row with these medians; each has an interval of ± `half` (relative)."""
    table = pd.DataFrame(
        {
            "launch_id": [f"run.l{number}" for number in range(len(medians))],
            "median_us": medians,
            "median_low_us": [value * (1 - half) for value in medians],
            "median_high_us": [value * (1 + half) for value in medians],
            "verdict": verdict,
            "reason": "",
            "simulated": simulated,
            "round": rounds or [0] * len(medians),
        }
    )
    return table.assign(**dict(zip(ROW, ("mpich-5.0", "bcast", 8, *POINT), strict=True)))


@pytest.mark.parametrize(
    ("medians", "doubtful"),
    [
        ([10.0, 10.1, 9.9, 10.2], False),
        ([10.0, 10.1, 9.9, 10.2, 30.0], False),
        ([10.0, 10.1, 20.0, 20.2], True),
        ([10.0, 12.0, 14.0], True),
        ([10.0, 10.3, 10.2, 10.4], False),
    ],
)
def test_disagreement_beyond_intervals_and_threshold(medians: list[float], doubtful: bool) -> None:
    degree, reason = row_doubt(rows(medians), 0.05)
    assert (degree > 0) is doubtful
    assert ("disagree" in reason) is doubtful


def test_wide_intervals_disagree_about_nothing() -> None:
    assert row_doubt(rows([10.0, 12.0, 14.0], half=0.5), 0.05) == (0.0, "")


@pytest.mark.parametrize(
    ("verdict", "doubtful"), [("too-few-valid", True), ("unstable", True), ("clock-limited", False)]
)
def test_verdicts_that_more_launches_can_mend(verdict: str, doubtful: bool) -> None:
    degree, reason = row_doubt(rows([10.0] * 4, verdict=verdict), 0.05)
    assert (degree == 1.0) is doubtful
    assert reason.startswith(verdict) is doubtful


def test_the_nodes_of_the_most_deviating_launch_come_first() -> None:
    launches = pd.DataFrame({"launch_id": [f"run.l{n}" for n in range(4)], "hosts": ["a,b", "a,b", "c,d", "e,f"]})
    found = doubts(rows([10.0, 10.1, 14.0, 30.0]), launches, 0.05)
    assert [row.operation for row in found.rows] == ["bcast"]
    assert found.points[0].hosts[:2] == [["e", "f"], ["a", "b"]]


@pytest.mark.parametrize(("again", "outcome"), [([20.0, 20.1, 19.9], "agrees"), ([90.0, 91.0, 90.5], "differs")])
def test_both_results_are_told(again: list[float], outcome: str) -> None:
    first = [10.0, 20.0, 30.0]
    table = measured_again(rows([*first, *again], rounds=[0, 0, 0, 1, 1, 1]), 0.05, 0.95)
    assert table["outcome"].tolist() == [outcome]
    assert table["first_median_us"].tolist() == [20.0]
    assert table["again_median_us"].tolist() == [sorted(again)[1]]


def test_a_row_without_doubt_is_not_told_of() -> None:
    assert not len(measured_again(rows([10.0] * 6, rounds=[0, 0, 0, 1, 1, 1]), 0.05, 0.95))
