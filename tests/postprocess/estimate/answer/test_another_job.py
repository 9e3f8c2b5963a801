# SPDX-License-Identifier: BSD-3-Clause
"""What an answer says of another job: its effect as a forecast over jobs, and the verdicts that hold there."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from isochron.postprocess.estimate.answer.another_job import in_another_job, turned_forecasts
from isochron.postprocess.estimate.values.jobs import job_ratios
from isochron.postprocess.ingest.inputs import CASE
from isochron.schemas.input.question import Question

POINT = {"processes": 4, "processes_per_node": 2, "placement": "packed"}
PAIR = ("old", "new")
CASES = [("bcast", 8), ("bcast", 65536), ("reduce", 8)]


def launches(of_jobs: np.ndarray, blocks: int = 3) -> pd.DataFrame:
    """Launches in jobs that each have their own speed. `of_jobs`: new / old of (jobs, cases), in every block."""
    rows = []
    for job, block in product(range(len(of_jobs)), range(blocks)):
        speed = 1 + 0.5 * job + 0.01 * block
        for case, ratio in zip(CASES, of_jobs[job], strict=True):
            shared = {"operation": case[0], "bytes": case[1], **POINT, "job": str(job), "block": 10 * job + block}
            rows += [
                {**shared, "stack": "old", "launch": f"{job}.{block}.old", "value_us": speed},
                {**shared, "stack": "new", "launch": f"{job}.{block}.new", "value_us": speed * ratio},
            ]
    return pd.DataFrame(rows)


def compared(verdicts: list[str]) -> pd.DataFrame:
    """Comparisons of the cases, whose index is not that of their lines."""
    lines = [{"operation": case[0], "bytes": case[1], **POINT} for case in CASES]
    table = pd.DataFrame(lines).assign(baseline="old", candidate="new", verdict=verdicts)
    return table.set_index(pd.Index([7, 3, 5]))


def test_the_effect_is_a_forecast_over_jobs_and_claims_hold_where_it_shows_them() -> None:
    # In the second case jobs differ by far more than in the others.
    of_jobs = np.array([[1.5, 1.0, 1.2], [1.52, 1.6, 1.2], [1.48, 2.5, 1.21]])
    table = launches(of_jobs)
    ratios = job_ratios(table, CASE, "stack", [PAIR], 0.95)
    found = in_another_job(table, compared(["slower"] * 3), ratios, PAIR, Question(), 0.05)
    logs = np.log(of_jobs).mean(axis=1)
    half = t.ppf(0.95, 2) * logs.std(ddof=1) * np.sqrt(4 / 3)
    assert (found["job_low"], found["job_high"]) == pytest.approx(
        (np.exp(logs.mean() - half), np.exp(logs.mean() + half))
    )
    assert (found["jobs"], found["job_hold"]) == (3, 2)
    weighted = Question.model_validate({"weights": {"reduce": 1}})
    found = in_another_job(table, compared(["slower", "faster", "equivalent"]), ratios, PAIR, weighted, 0.05)
    assert found["job_high"] == pytest.approx(1.2, rel=0.05)
    assert found["job_hold"] == 1


@pytest.mark.parametrize(("jobs", "named"), [(1, True), (2, False)])
def test_without_a_second_job_nothing_is_forecast(jobs: int, named: bool) -> None:
    table = launches(np.full((jobs, len(CASES)), 1.5))
    table = table if named else table.assign(job="")
    ratios = job_ratios(table, CASE, "stack", [PAIR], 0.95)
    found = in_another_job(table, compared(["slower"] * 3), ratios, PAIR, Question(), 0.05)
    assert (found["jobs"], found["job_hold"]) == (int(named), 0)
    assert np.isnan([found["job_low"], found["job_high"]]).all()


def test_jobs_of_each_node_count_are_taken_together() -> None:
    """No case is in all jobs then: without that, several node counts would have no forecast."""
    of_jobs = np.array([[1.5, 1.0, 1.2], [1.52, 1.1, 1.2], [1.4, 1.2, 1.2]])
    together = launches(of_jobs)
    larger = {"processes": 8}
    both = pd.concat([together, together.assign(**larger)])
    apart = pd.concat([together, together.assign(**larger, job=together["job"] + "+", block=together["block"] + 5)])
    comparisons = compared(["slower"] * 3)
    first, second = (
        in_another_job(table, comparisons, job_ratios(table, CASE, "stack", [PAIR], 0.95), PAIR, Question(), 0.05)
        for table in (both, apart)
    )
    assert first == second
    assert first["job_low"] > 1


def test_forecasts_are_turned_with_their_comparison() -> None:
    table = launches(np.array([[1.5, 1.0, 1.2], [1.52, 1.1, 1.2]]))
    ratios = job_ratios(table, CASE, "stack", [PAIR], 0.95)
    comparison = compared(["slower"] * 3)
    forth = comparison.assign(stack="new")
    both = turned_forecasts(pd.concat([forth, comparison.assign(stack="old")]), comparison, ratios)
    there, back = both[both["stack"] == "new"], both[both["stack"] == "old"]
    low = ratios.set_index(["operation", "bytes"])["next_low"]
    assert there["next_low"].tolist() == [low[case] for case in CASES]
    assert back["next_high"].tolist() == pytest.approx((1 / there["next_low"]).tolist())
    assert (back["next_low"] < back["next_high"]).all()
