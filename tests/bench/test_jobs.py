# SPDX-License-Identifier: BSD-3-Clause
"""`make bench`: what the analysis of 500 jobs × 300 cases takes."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.estimate.compare.job_nodes import job_nodes
from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.estimate.values.job_changes import job_changes
from isochron.postprocess.estimate.values.job_list import job_list, job_units
from isochron.postprocess.estimate.values.jobs import job_ratios, job_shares, job_times
from isochron.postprocess.ingest.inputs import CASE, RESULT_KEY

pytestmark = pytest.mark.bench

JOBS, LAUNCHES, NODES, OF_JOB = 500, 2, 64, 8
#: 300 cases: of five stacks each.
STACKS = ["a", "b", "c", "d", "e"]
OPERATIONS = ["bcast", "reduce", "allreduce", "alltoall", "barrier", "gather"]
SIZES = [8 * 8**step for step in range(10)]


def made() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Values of every launch and case, and the launches with their nodes."""
    rng = np.random.default_rng(44)
    names = [(job, launch, stack) for job in range(JOBS) for launch in range(LAUNCHES) for stack in STACKS]
    hosts = [",".join(f"n{node}" for node in sorted(rng.permutation(NODES)[:OF_JOB])) for _ in range(JOBS)]
    started = pd.Timestamp("2026-01-01T00:00:00Z") + pd.to_timedelta(np.arange(len(names)) * 60, unit="s")
    launches = pd.DataFrame({
        "launch_id": [f"{job}.{launch}.{stack}" for job, launch, stack in names],
        "started_at": started, "duration_s": 30.0, "placement": "packed", "switches": "", "load": 1.0,
        "hosts": [hosts[job] for job, _, _ in names], "cache_line_ns": 60.0, "network_us": 5.0, "mpi_version": "5",
    })  # fmt: skip
    cases = pd.MultiIndex.from_product([OPERATIONS, SIZES], names=["operation", "bytes"]).to_frame(index=False)
    rows = pd.DataFrame(names, columns=["job", "launch", "stack"]).assign(launch=launches["launch_id"])
    rows = rows.assign(block=rows["job"], job=rows["job"].astype(str), processes=64, processes_per_node=8,
                       placement="packed").merge(cases, how="cross")  # fmt: skip
    job = 0.1 * rng.normal(size=JOBS)[rows["block"]]
    return rows.assign(value_us=10 * np.exp(job + 0.03 * rng.normal(size=len(rows)))), launches


def test_analysis_of_500_jobs_and_300_cases() -> None:
    rows, launches = made()
    times = job_times(rows, rows, RESULT_KEY, 0.95)
    pairs = [("a", stack) for stack in STACKS[1:]]
    units = job_units(rows, launches)
    steps: dict[str, Callable[[], object]] = {
        "times": lambda: job_times(rows, rows, RESULT_KEY, 0.95),
        "ratios of four pairs": lambda: job_ratios(rows, CASE, "stack", pairs, 0.95),
        "shares": lambda: job_shares(times),
        "changed stacks": lambda: job_changes(rows),
        "list of jobs": lambda: job_list(rows, launches, 0.95, 0.05),
        "units": lambda: job_units(rows, launches),
        "slow nodes": lambda: job_nodes([units], Rules(0.05, 0.95)),
    }
    total = 0.0
    for name, step in steps.items():
        begin = perf_counter()
        step()
        total += (taken := perf_counter() - begin)
        print(f"{name}: {taken:.2f} s")
    print(f"{JOBS} jobs x {len(times)} cases, {len(rows)} values: {total:.2f} s")
    assert len(times) == 300 and set(times["jobs"]) == {JOBS}
