# SPDX-License-Identifier: BSD-3-Clause
"""Which rows are measured again: those that more launches can help, and no others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.analysis.analyse import analyse
from isochron.postprocess.estimate.values.remeasure import MENDABLE, flag_rows, flagged, remeasured_results
from isochron.postprocess.ingest.ingest import ingest
from isochron.postprocess.ingest.inputs import RESULT_KEY, load_inputs
from isochron.postprocess.subjects.results.table import SUMMARY
from tests.postprocess.synthetic import Spec, demo_spoiler, write_run

POINT = (4, 2, "packed")
RUN = Spec(stacks=["mpich-5.0"], operations=["barrier", "bcast", "alltoall"], sizes=[8, 65536], runs=12)


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
    return table.assign(**dict(zip(RESULT_KEY, ("mpich-5.0", "bcast", 8, *POINT), strict=True)))


def row_doubt(launches: pd.DataFrame, threshold: float) -> tuple[float, str]:
    """Of the one row that all launches belong to."""
    degrees, reasons = flag_rows(launches, np.zeros(len(launches), dtype=np.intp), 1, threshold)
    return float(degrees[0]), reasons[0]


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
    found = flagged(rows([10.0, 10.1, 14.0, 30.0]), launches, 0.05)
    assert [row.operation for row in found.rows] == ["bcast"]
    assert found.points[0].hosts[:2] == [["e", "f"], ["a", "b"]]


@pytest.mark.parametrize(("again", "outcome"), [([20.0, 20.1, 19.9], "agrees"), ([90.0, 91.0, 90.5], "differs")])
def test_both_results_are_told(again: list[float], outcome: str) -> None:
    first = [10.0, 20.0, 30.0]
    table = remeasured_results(rows([*first, *again], rounds=[0, 0, 0, 1, 1, 1]), 0.05, 0.95)
    assert table["outcome"].tolist() == [outcome]
    assert table["first_median_us"].tolist() == [20.0]
    assert table["again_median_us"].tolist() == [sorted(again)[1]]


def test_a_row_without_doubt_is_not_told_of() -> None:
    assert not len(remeasured_results(rows([10.0] * 6, rounds=[0, 0, 0, 1, 1, 1]), 0.05, 0.95))


def judged(spec: Spec, folder: Path) -> tuple[dict[tuple[object, ...], str], dict[tuple[object, ...], str]]:
    """The verdict of every row of the summary, and the reason of every flagged one."""
    run = load_inputs(write_run(folder / "run", spec))
    ingest(run)
    analysis = analyse(run)
    summary = analysis[SUMMARY]
    assert (summary["reliable"] == (summary["verdict"] == "ok")).all()
    reasons = {
        (row.stack, row.operation, row.bytes, *row.point.model_dump().values()): row.reason
        for row in analysis.flagged.rows
    }
    return summary.set_index(RESULT_KEY)["verdict"].to_dict(), reasons


@pytest.mark.parametrize("launches", [1, 2, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.heavy
def test_no_row_of_a_simulation_is_reliable_and_in_doubt(launches: int, tmp_path: Path) -> None:
    """One launch is reliable, and a further one would say the same, whatever the made-up spread."""
    verdicts, reasons = judged(replace(RUN, launches=launches, simulated=True, launch_spread=0.4), tmp_path)
    assert set(verdicts.values()) == {"ok"}
    assert not reasons


@pytest.mark.parametrize("launches", [1, 2, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.heavy
def test_a_measured_row_in_doubt_is_not_reliable_or_its_launches_disagree(launches: int, tmp_path: Path) -> None:
    spoilt = replace(RUN, stacks=["mpich-5.0", "mpich-4.3"], spoiler=demo_spoiler, launch_spread=0.2)
    verdicts, reasons = judged(replace(spoilt, launches=launches), tmp_path)
    mendable = {key for key, verdict in verdicts.items() if verdict in MENDABLE}
    assert mendable
    assert mendable <= reasons.keys()
    for key, reason in reasons.items():
        expected = "disagree with the median" if verdicts[key] == "ok" else f"{verdicts[key]}: "
        assert expected in reason
    assert ("ok" in {verdicts[key] for key in reasons}) is (launches == 6)


def test_simulated_launches_put_nothing_in_doubt() -> None:
    assert row_doubt(rows([10.0, 12.0, 14.0], simulated=True), 0.05) == (0.0, "")
