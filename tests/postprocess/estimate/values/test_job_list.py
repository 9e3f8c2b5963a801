# SPDX-License-Identifier: BSD-3-Clause
"""The list of jobs: factors counted by hand, intervals against known factors, and what was recorded of nodes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from isochron.postprocess.estimate.values.job_list import JOB_LIST_COLUMNS, UNIT_COLUMNS, job_list, job_units

SIZES = (8, 64, 2**20)


def rows_of(factors: dict[str, float], launches: int, spread: float = 0.0, seed: int = 1) -> pd.DataFrame:
    """Two stacks and `SIZES` in each job, which takes its factor of the time up to 64 B and its square at 1 MiB."""
    rng = np.random.default_rng(seed)
    lines = []
    for block, (job, factor) in enumerate(factors.items()):
        for launch in range(launches):
            for stack in ("a", "b"):
                shift = float(np.exp(spread * rng.normal()))
                lines += [
                    (stack, size, job, block, f"{job}.{launch}.{stack}", size / 8 * shift * factor ** (1 + (size > 64)))
                    for size in SIZES
                ]
    table = pd.DataFrame(lines, columns=["stack", "bytes", "job", "block", "launch", "value_us"])
    return table.assign(operation="bcast", processes=4, processes_per_node=2, placement="packed")


def launches_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Nine seconds from one launch to the next, each on two nodes of its job."""
    names = rows[["launch", "job"]].drop_duplicates(ignore_index=True)
    return pd.DataFrame({
        "launch_id": names["launch"], "duration_s": 5.0, "placement": "packed", "mpi_version": "1",
        "started_at": pd.Timestamp("2026-05-04T08:00:00Z") + pd.to_timedelta(9 * np.arange(len(names)), unit="s"),
        "hosts": "n" + names["job"] + ",m" + names["job"], "switches": "s1", "load": np.arange(len(names)) / 10,
        "cache_line_ns": 80.0, "network_us": np.nan,
    })  # fmt: skip


def test_a_job_has_its_time_its_nodes_and_its_factors() -> None:
    rows = rows_of({"7": 1.0, "8": 1.21, "9": 1.1}, 2)
    table = job_list(rows, launches_of(rows), 0.95, 0.05)
    assert list(table.columns) == list(JOB_LIST_COLUMNS)
    assert table["job"].tolist() == ["7", "8", "9"]
    assert table["small_ratio"].tolist() == pytest.approx([1 / 1.1, 1.1, 1])
    assert table["large_ratio"].tolist() == pytest.approx([1 / 1.21, 1.21, 1])
    assert (table["small_cases"] == 4).all() and (table["large_cases"] == 2).all()
    line = table.iloc[1]
    assert (line["started_at"], line["ended_at"]) == ("2026-05-04T08:00:36+00:00", "2026-05-04T08:01:08+00:00")
    assert (line["nodes"], line["hosts"], line["switches"], line["blocks"]) == (2, "m8,n8", "s1", "1")
    assert (line["launches"], line["load"], line["cache_line_ns"]) == (4, 0.4, 80.0)


def test_the_interval_is_that_of_the_launches_of_all_jobs() -> None:
    rows = rows_of({"7": 1.0, "8": 1.0}, 3, spread=0.02)
    table = job_list(rows, launches_of(rows), 0.95, 0.05)
    logs = np.log(rows[rows["bytes"] == 8]["value_us"])
    centred = logs - logs.groupby(rows["stack"]).transform("mean")
    of_job = centred.groupby(rows["job"])
    spread = float(np.sqrt(((centred - of_job.transform("mean")) ** 2).sum() / 10))
    half = np.log(table["small_high"] / table["small_low"]) / 2
    assert half.tolist() == pytest.approx([t.ppf(0.975, 10) * spread / np.sqrt(6)] * 2, rel=0.05)
    alone = rows_of({"7": 1.0, "8": 1.1}, 1)
    alone = alone[alone["stack"] == "a"]
    table = job_list(alone, launches_of(alone), 0.95, 0.05)
    assert table["small_ratio"].notna().all() and table["small_low"].isna().all()


@pytest.mark.heavy
def test_nineteen_of_twenty_factors_are_in_their_intervals() -> None:
    """A factor against the mean of three jobs, which has a part of its error: covered more often than stated."""
    rng, covered = np.random.default_rng(3), []
    for seed in range(300):
        logs = 0.1 * rng.normal(size=3)
        rows = rows_of({f"{job}": float(np.exp(log)) for job, log in enumerate(logs)}, 2, 0.02, seed)
        table = job_list(rows, launches_of(rows), 0.95, 0.05)
        truth = np.exp(logs - logs.mean())
        covered += ((table["small_low"] <= truth) & (truth <= table["small_high"])).tolist()
    assert 0.94 <= np.mean(covered) <= 0.995


def test_a_job_with_cases_that_no_other_has_has_no_factor() -> None:
    rows = rows_of({"7": 1.0, "8": 1.1, "9": 1.2}, 2)
    rows.loc[rows["job"] == "9", "processes"] = 8
    table = job_list(rows, launches_of(rows), 0.95, 0.05)
    assert table["small_ratio"].tolist() == pytest.approx([1.1**-0.5, 1.1**0.5, np.nan], nan_ok=True)
    unknown = job_list(rows.assign(job=""), launches_of(rows), 0.95, 0.05)
    assert not len(unknown) and list(unknown.columns) == list(JOB_LIST_COLUMNS)


def test_units_are_jobs_and_their_points_on_other_nodes() -> None:
    rows = rows_of({"7": 1.0, "8": 1.21}, 2)
    launches = launches_of(rows)
    units = job_units(rows, launches)
    assert list(units.columns) == list(UNIT_COLUMNS)
    assert units["hosts"].tolist() == ["n7,m7", "n8,m8"]
    assert units["small"].tolist() == pytest.approx([-np.log(1.1), np.log(1.1)])
    assert units["large_us"].tolist() == pytest.approx([2.0**17, 2.0**17 * 1.21**2])
    assert units["alike"].nunique() == 1
    newer = job_units(rows, launches.assign(mpi_version="2"))
    assert set(newer["alike"]).isdisjoint(units["alike"])
    smaller = rows.assign(processes=2, processes_per_node=1, launch=rows["launch"] + ".p2")
    half = launches.assign(launch_id=launches["launch_id"] + ".p2", hosts=launches["hosts"].str[:2])
    both = job_units(pd.concat([rows, smaller]), pd.concat([launches, half]))
    assert both["hosts"].tolist() == ["n7,m7", "n8,m8", "n7", "n8"]
    assert both["alike"].nunique() == 2
