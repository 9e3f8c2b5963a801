# SPDX-License-Identifier: BSD-3-Clause
"""A stack that changed under one name is told from a slow job, and from a stack with one launch that went wrong."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.estimate.values.job_changes import JOB_CHANGE_COLUMNS, job_changes

STACKS = ["a", "b", "c", "d", "e", "f"]
SIZES = [8, 64, 512, 4096]
POINT = {"processes": 8, "processes_per_node": 4, "placement": "packed"}
#: The job that is slow for all.
SLOW = "43"


def launches() -> pd.DataFrame:
    """Three launches of each stack, size and operation in each of three jobs."""
    rng = np.random.default_rng(4)
    rows = [
        {"stack": stack, "operation": operation, "bytes": size, **POINT, "job": job, "launch": f"{job}.{launch}"}
        for operation in ("bcast", "reduce")
        for size in SIZES
        for job in ("41", "42", SLOW)
        for stack in STACKS
        for launch in range(3)
    ]
    table = pd.DataFrame(rows)
    noise = np.exp(rng.normal(0, 0.02, len(table)))
    return table.assign(value_us=noise * np.where(table["job"] == SLOW, 3.0, 1.0) * (1 + table["bytes"] / 100))


def times(table: pd.DataFrame, factor: float, **where: object) -> pd.DataFrame:
    """The launches, of which some take so many times as long."""
    chosen = np.logical_and.reduce([(table[name] == value).to_numpy() for name, value in where.items()])
    return table.assign(value_us=table["value_us"] * np.where(chosen, factor, 1.0))


def test_a_slow_job_is_no_change() -> None:
    found = job_changes(launches())
    assert list(found.columns) == list(JOB_CHANGE_COLUMNS) and found.empty


def test_a_stack_that_takes_twice_the_time_in_one_job_is_named_with_it() -> None:
    found = job_changes(times(launches(), 2.0, stack="d", job="42", operation="bcast"))
    (line,) = found.to_dict("records")
    assert (line["stack"], line["operation"], line["longer_in"]) == ("d", "bcast", "42")
    assert (line["shorter_in"], line["sizes"]) == (f"41 {SLOW}", len(SIZES))
    assert line["ratio"] == pytest.approx(2, rel=0.1)


def test_what_jobs_do_to_single_stacks_anyway_is_no_change() -> None:
    assert job_changes(times(launches(), 1.15, stack="d", job="42")).empty


def test_one_launch_or_one_size_is_no_change() -> None:
    one = times(launches(), 2.0, stack="d", launch="42.0")
    assert job_changes(one).empty
    assert job_changes(times(launches(), 2.0, stack="d", job="42", bytes=8)).empty


def test_two_of_three_launches_are_not_all() -> None:
    """The median shifts, but a launch of the job is as it is elsewhere."""
    table = times(times(launches(), 2.0, stack="d", launch="42.0"), 2.0, stack="d", launch="42.1")
    assert job_changes(table).empty


def test_without_known_jobs_or_with_one_nothing_changed() -> None:
    table = times(launches(), 2.0, stack="d", job="42")
    assert job_changes(table.assign(job="")).empty
    assert job_changes(table[table["job"] == "42"]).empty
    assert job_changes(table[table["stack"].isin(["a", "b", "d"])]).empty, "one of three cannot be told"
