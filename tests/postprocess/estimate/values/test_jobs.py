# SPDX-License-Identifier: BSD-3-Clause
"""Jobs as units of values and ratios: counted by hand, and known components found again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from isochron.postprocess.estimate.values import jobs as module
from isochron.postprocess.estimate.values.jobs import (
    JOB_COLUMNS,
    JOB_RATIO_COLUMNS,
    SHARE_COLUMNS,
    job_ratios,
    job_shares,
    job_times,
)
from isochron.postprocess.ingest.inputs import CASE, RESULT_KEY

POINT = {"processes": 4, "processes_per_node": 4, "placement": "packed"}


def frame(rows: list[tuple[str, int, str, int, float]], **changed: object) -> pd.DataFrame:
    """Launches of (stack, bytes, job, block, µs)."""
    table = pd.DataFrame(rows, columns=["stack", "bytes", "job", "block", "value_us"])
    return table.assign(operation="bcast", **POINT, launch=np.arange(len(table)), **changed)


def drawn(jobs: int, launches: int, stacks: list[str], seed: int) -> pd.DataFrame:
    """A job adds 20 % to all its launches, and a launch 2 %."""
    rng = np.random.default_rng(seed)
    by_job = 0.2 * rng.normal(size=jobs)
    rows = [
        (stack, size, f"{job}", launch, 5 * np.exp(by_job[job] + 0.02 * rng.normal()))
        for job in range(jobs)
        for launch in range(launches)
        for stack in stacks
        for size in (8, 64, 2**21)
    ]
    return frame(rows)


def test_a_job_is_the_median_of_its_launches_however_many_it_has() -> None:
    rows = [("a", 8, "1", block, value) for block, value in enumerate((2.0, 3.0, 40.0))]
    table = job_times(launches := frame([*rows, ("a", 8, "2", 3, 12.0)]), launches, RESULT_KEY, 0.95)
    assert list(table.columns) == list(JOB_COLUMNS)
    (line,) = table.to_dict("records")
    half = t.ppf(0.95, 1) * np.std(np.log([3, 12]), ddof=1) * np.sqrt(3 / 2)
    assert (line["jobs"], line["launches"], line["rule"], line["reason"]) == (2, 4, "case", "")
    assert [line["value_us"], line["next_low_us"], line["next_high_us"]] == pytest.approx(
        [6, 6 * np.exp(-half), 6 * np.exp(half)]
    )
    within = np.log([2, 3, 40])
    assert line["launch_sd"] == pytest.approx(np.expm1(np.std(within, ddof=1)))
    assert np.isnan(line["rest_sd"])


def test_what_cannot_be_forecast_says_why() -> None:
    one = frame([("a", 8, "1", block, 2.0 + block) for block in range(4)])
    unknown = one.assign(job="", stack="b")
    table = job_times(launches := pd.concat([one, unknown]), launches, RESULT_KEY, 0.95)
    assert table["jobs"].tolist() == [1, 0]
    assert table["reason"].tolist() == ["cannot forecast: one job", "cannot forecast: no job"]
    assert table["rule"].tolist() == ["", ""]
    assert table[["next_low_us", "next_high_us", "job_sd"]].isna().all(axis=None)
    nowhere = job_times(unknown, unknown, RESULT_KEY, 0.95)
    assert nowhere["reason"].tolist() == ["cannot forecast: no job"]
    assert job_shares(nowhere).columns.tolist() == list(SHARE_COLUMNS)
    assert len(job_shares(nowhere)) == 0


def test_a_ratio_is_taken_within_a_block_and_then_within_its_job() -> None:
    values = {("1", 0): (2.0, 4.0), ("1", 1): (20.0, 60.0), ("2", 2): (1.0, 4.0), ("3", 3): (1.0, None)}
    rows = [
        (stack, 8, job, block, value)
        for (job, block), pair in values.items()
        for stack, value in zip("ab", pair, strict=True)
        if value is not None
    ]
    table = job_ratios(frame(rows), CASE, "stack", [("a", "b"), ("a", "absent")], 0.95)
    assert list(table.columns) == list(JOB_RATIO_COLUMNS)
    (line,) = table.to_dict("records")
    assert (line["baseline"], line["candidate"], line["jobs"], line["launches"]) == ("a", "b", 2, 3)
    assert line["ratio"] == pytest.approx(np.sqrt(2.5 * 4))
    every = job_ratios(frame(rows), CASE, "stack", None, 0.95)
    assert every[["baseline", "candidate"]].to_numpy().tolist() == [["a", "b"]]
    assert len(job_ratios(frame(rows[:1]), CASE, "stack", None, 0.95)) == 0


def test_known_components_are_found_and_ratios_do_not_have_what_the_job_does() -> None:
    launches = drawn(12, 4, ["a", "b"], seed=3)
    times = job_times(launches, launches, RESULT_KEY, 0.95)
    ratios = job_ratios(launches, CASE, "stack", None, 0.95)
    drawn_sd = np.std(0.2 * np.random.default_rng(3).normal(size=12), ddof=1)
    assert times["job_sd"].to_numpy() == pytest.approx(np.expm1(drawn_sd), rel=0.1)
    assert times["launch_sd"].to_numpy() == pytest.approx(0.02, rel=0.35)
    assert ratios["job_sd"].max() < 0.05
    width = np.log(times["next_high_us"] / times["next_low_us"]).median()
    assert np.log(ratios["next_high"] / ratios["next_low"]).max() < 0.4 * width
    shares = job_shares(times)
    assert shares["bytes"].fillna(-1).tolist() == [-1, 8, 64, 2**21]
    assert shares["cases"].tolist() == [6, 2, 2, 2]
    assert (shares["job_share"] > 0.9).all()
    assert shares[["job_share", "launch_share"]].sum(axis=1).to_numpy() == pytest.approx(1)
    assert shares["rest_share"].isna().all()


def test_parts_of_launches_are_the_innermost_stage() -> None:
    rng = np.random.default_rng(4)
    launches = drawn(6, 3, ["a"], seed=4)
    parts = pd.concat([launches] * 5, ignore_index=True)
    parts = parts.assign(value_us=parts["value_us"] * np.exp(0.05 * rng.normal(size=len(parts))))
    table = job_times(launches, parts, RESULT_KEY, 0.95)
    assert table["launches"].tolist() == [18] * 3
    assert table["rest_sd"].to_numpy() == pytest.approx(0.05, rel=0.3)


def test_many_cases_in_small_arrays_are_those_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    launches = drawn(5, 3, ["a", "b"], seed=5)
    shuffled = launches.sample(frac=1, random_state=1)
    whole = job_times(launches, launches, RESULT_KEY, 0.95)
    monkeypatch.setattr(module, "MOST", 30)
    parted = job_times(shuffled, shuffled, RESULT_KEY, 0.95)
    keys = [*RESULT_KEY]
    pd.testing.assert_frame_equal(
        whole.sort_values(keys, ignore_index=True), parted.sort_values(keys, ignore_index=True)
    )


def test_small_and_large_messages_do_not_lend_each_other_their_spread() -> None:
    rng = np.random.default_rng(6)
    sizes = [2**power for power in (*range(3, 15), *range(21, 33))]
    rows = [
        ("a", size, str(job), job, float(np.exp((0.2 if size <= 2**14 else 0.02) * rng.normal())))
        for job in range(6)
        for size in sizes
    ]
    table = job_times(frame(rows), frame(rows), RESULT_KEY, 0.95)
    width = np.log(table["next_high_us"] / table["next_low_us"]).to_numpy().round(6)
    assert set(table["rule"]) == {"pooled"}
    assert len(set(width)) == 2
    assert width[0] > 5 * width[-1]
