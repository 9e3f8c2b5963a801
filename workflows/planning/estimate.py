# SPDX-License-Identifier: BSD-3-Clause
"""Estimates of the duration of a launch: from earlier launches, else from a coarse model."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from math import isnan
from pathlib import Path
from statistics import median
from typing import Any

from isochron.common.files import FileError
from isochron.schemas.engine.contract import WITHOUT_DATA, cases
from isochron.schemas.engine.options import EngineOptions
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout, run_folders
from isochron.schemas.run.plan import Plan, Point, ProgramRun

#: Median duration in s of earlier launches, by stack (of a program with its label, `timed_as`) and point.
Durations = Mapping[tuple[str, Point], float]

#: Start and end of an MPI job: seconds, and seconds per process (launchers start nodes in a tree).
START_S, START_PER_PROCESS_S = 1.5, 0.004
#: Latency in µs and time per byte in µs of a slow pair of nodes, so that an estimate is rather too high.
ALPHA_US, BETA_US = 5.0, 0.001
#: Slots are longer than the operation, in particular on a shared machine.
SLOT_FACTOR, SLOT_FLOOR_US = 3.0, 50.0
#: Clock synchronisation before and after, in seconds per process.
SYNC_PER_PROCESS_S = 0.002
#: The engine's default of `sync_patience`, to which that time is proportional.
PATIENCE = 100

#: Seconds of a build without cache, and of an analysis with its report: constant, and per measurement (2 cores, the
#: demo and campaigns of up to 340,000 measurements, docs/validation.md).
BUILD_S, ANALYSIS_S, ANALYSIS_PER_ROW_S = 25.0, 8.0, 0.00025

_ALL_TO_ALL = ("alltoall", "allgather")
_CHAINED = ("scan", "exscan")


def timed_as(stack: str, program: ProgramRun) -> str:
    """Return the key that replaces the stack in `Durations` for launches of a program."""
    return f"{stack} {program.label}"


def operation_us(operation: str, size: int, processes: int) -> float:
    """Estimate the time in µs of one operation by Hockney's model, rather too high."""
    rounds = max(1, math.ceil(math.log2(processes)))
    if operation in WITHOUT_DATA:
        return processes if operation.startswith("wait") else rounds * ALPHA_US
    if operation.startswith((*_ALL_TO_ALL, *_CHAINED)):
        return (processes - 1) * (ALPHA_US + size * BETA_US)
    if operation.startswith(("gather", "scatter")):
        return rounds * ALPHA_US + processes * size * BETA_US
    return rounds * (ALPHA_US + 2 * size * BETA_US)


def count_warmup_reps(engine: EngineOptions) -> int:
    """Return the maximum number of warm-up repetitions of a measurement: some before each pass."""
    counted = min(engine.max_valid, engine.max_reps)
    return engine.warmup_reps * max(engine.passes - 1, math.ceil(counted / engine.batch)) if engine.passes > 1 else 0


def launch_seconds(campaign: Campaign, stack: str, point: Point, measured: Durations) -> float:
    """Estimate the time in s of one launch."""
    before = measured.get((stack, point))
    if before is not None:
        return before
    patience = campaign.engine.sync_patience / PATIENCE
    total = start = START_S + (START_PER_PROCESS_S + SYNC_PER_PROCESS_S * patience) * point.processes
    minimum = start + campaign.engine.pass_span * (campaign.engine.passes - 1) / campaign.engine.passes
    for operation, size in cases(campaign.operations, campaign.sizes):
        rep_us = campaign.engine.operations_per_rep * operation_us(operation, size, point.processes)
        slot_us = max(SLOT_FLOOR_US, SLOT_FACTOR * rep_us)
        if campaign.engine.stop == "time" and campaign.engine.time_budget is not None:
            total += campaign.engine.time_budget
        else:
            total += (campaign.engine.max_reps + count_warmup_reps(campaign.engine)) * slot_us / 1e6
    return round(min(max(total, minimum), campaign.limits.launch_seconds), 3)


def building_seconds(stacks: int) -> float:
    """Estimate the time in s to build the engines of N stacks, without the cache."""
    return BUILD_S * stacks


def analysis_seconds(launches: int, rows: int) -> float:
    """Estimate the time in s from the last launch to the report; `rows`: operations × sizes in each launch."""
    return ANALYSIS_S + ANALYSIS_PER_ROW_S * launches * rows


#: Seconds that the start and end of `mpiexec` add to the duration that the engine records.
LAUNCHER_S = 1.0
#: Median distance from the mean of normal numbers, in standard deviations.
NORMAL_MEDIAN = 0.6745


def earlier_durations(results: Path, campaign: str) -> Durations:
    """Return the median duration in s of launches by stack and point, from the newest earlier run with a store."""
    for folder in reversed(run_folders(results, campaign)):
        run = RunLayout(folder)
        if run.table("launches").is_file():
            return _durations(run)
    return {}


def _durations(run: RunLayout) -> Durations:
    keys = ["stack", "processes", "processes_per_node", "placement"]
    try:
        counted = {launch.file for launch in Plan.load(run.plan).launches if launch.of_results and launch.whole}
        launches = [row for row in _rows(run, "launches", [*keys, "duration_s", "file"]) if row["file"] in counted]
    except (OSError, FileError, ValueError):
        return {}
    durations: dict[tuple[str, Point], float] = {
        (stack, Point(processes=processes, processes_per_node=per_node, placement=placement)): seconds
        for (stack, processes, per_node, placement), seconds in _medians(launches, keys, "duration_s").items()
    }
    return durations | _program_durations(run)


def _program_durations(run: RunLayout) -> dict[tuple[str, Point], float]:
    """Return the median durations of launches of programs."""
    keys = ["stack", "program", "kernel", "npb_class", "processes", "processes_per_node", "placement"]
    try:
        launches = _rows(run, "programs", [*keys, "elapsed_s"])
    except (OSError, ValueError):
        return {}
    durations: dict[tuple[str, Point], float] = {}
    for (stack, name, kernel, problem, *point), seconds in _medians(launches, keys, "elapsed_s").items():
        program = ProgramRun(name=name, kernel=kernel, problem=problem)
        durations[timed_as(stack, program), Point.model_validate(dict(zip(keys[4:], point, strict=True)))] = seconds
    return durations


def _rows(run: RunLayout, table: str, columns: list[str]) -> list[dict[str, Any]]:
    """Return columns of a table of the store, without loading pandas. Raises OSError, ValueError."""
    import pyarrow.parquet as pq

    rows: list[dict[str, Any]] = pq.ParquetFile(run.table(table)).read(columns=columns).to_pylist()
    if rows and len(rows[0]) < len(columns):
        raise ValueError(f"{run.table(table)}: columns are missing")
    return rows


def _medians(rows: list[dict[str, Any]], keys: list[str], seconds: str) -> dict[tuple[Any, ...], float]:
    """Return the median of the seconds by key, plus start and end of `mpiexec`; rows without a time do not count."""
    times: dict[tuple[Any, ...], list[float]] = defaultdict(list)
    for row in rows:
        if row[seconds] is not None and not isnan(row[seconds]):
            times[tuple(row[key] for key in keys)].append(row[seconds])
    return {key: round(median(values) + LAUNCHER_S, 3) for key, values in times.items()}


def earlier_spread(results: Path, campaign: str) -> float | None:
    """Return the spread of launches within a block in the newest earlier run with a store; None if there is none.

    The standard deviation of logarithms of launch medians, estimated from the median distance from the mean of (stack,
    case, block), so that outliers have little weight, as in a rank test; the median over stacks and cases.
    """
    for folder in reversed(run_folders(results, campaign)):
        run = RunLayout(folder)
        if run.table("launches").is_file() and run.table("measurements").is_file():
            return _spread(run)
    return None


def _spread(run: RunLayout) -> float | None:
    import numpy as np
    import pandas as pd

    keys = ["stack", "processes", "processes_per_node", "placement", "operation", "bytes"]
    try:
        launches = pd.read_parquet(run.table("launches"), columns=["launch_id", *keys[:4], "block", "attempt", "file"])
        rows = pd.read_parquet(run.table("measurements"), columns=["launch_id", *keys[4:], "median_us"])
        counted = [launch.file for launch in Plan.load(run.plan).launches if launch.of_results]
    except (OSError, FileError, ValueError):
        return None
    rows = rows.merge(launches[launches["file"].isin(counted)], on="launch_id")
    rows = rows[rows["median_us"] > 0].assign(log=lambda table: np.log(table["median_us"]))
    within = rows.groupby([*keys, "block", "attempt"])["log"]
    count = within.transform("count")
    rows = rows.assign(off=(rows["log"] - within.transform("mean")).abs() * np.sqrt(count / (count - 1)))[count > 1]
    spreads = rows.groupby(keys)["off"].median() / NORMAL_MEDIAN
    return float(spreads.median()) if len(spreads) else None
