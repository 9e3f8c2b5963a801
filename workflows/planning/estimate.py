# SPDX-License-Identifier: BSD-3-Clause
"""Estimates of the time of a launch: from earlier launches, else from a coarse model."""

from __future__ import annotations

import math
from collections.abc import Mapping

from isochron.schemas.engine.operations import WITHOUT_DATA, cases
from isochron.schemas.engine.options import EngineOptions
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.plan import Point, ProgramRun

#: Median duration in s of earlier launches, by stack (of a program with its label, `timed_as`) and point.
Durations = Mapping[tuple[str, Point], float]

#: Start and end of an MPI job: seconds, and seconds a process (launchers start nodes in a tree).
START_S, START_PER_PROCESS_S = 1.5, 0.004
#: Latency in µs and time per byte in µs of a slow node pair: an estimate should rather be too high.
ALPHA_US, BETA_US = 5.0, 0.001
#: Slots are longer than the operation; a shared machine makes them longer still.
SLOT_FACTOR, SLOT_FLOOR_US = 3.0, 50.0
#: Clock synchronisation before and after, seconds a process.
SYNC_PER_PROCESS_S = 0.002
#: With the engine's own patience; the time grows with it.
PATIENCE = 100

#: Seconds of a build from nothing, and of an analysis with its report: always, and per row (2 cores, the demo and
#: campaigns of up to 340,000 rows, docs/validation.md).
BUILD_S, ANALYSIS_S, ANALYSIS_PER_ROW_S = 25.0, 8.0, 0.00025

_ALL_TO_ALL = ("alltoall", "allgather")
_CHAINED = ("scan", "exscan")


def timed_as(stack: str, program: ProgramRun) -> str:
    """What stands for the stack in `Durations`, of launches that run a program."""
    return f"{stack} {program.label}"


def operation_us(operation: str, size: int, processes: int) -> float:
    """Coarse time in µs of one operation under Hockney's model, on the slow side."""
    rounds = max(1, math.ceil(math.log2(processes)))
    if operation in WITHOUT_DATA:
        return processes if operation.startswith("wait") else rounds * ALPHA_US
    if operation.startswith((*_ALL_TO_ALL, *_CHAINED)):
        return (processes - 1) * (ALPHA_US + size * BETA_US)
    if operation.startswith(("gather", "scatter")):
        return rounds * ALPHA_US + processes * size * BETA_US
    return rounds * (ALPHA_US + 2 * size * BETA_US)


def warming_runs(engine: EngineOptions) -> int:
    """Runs of a row that are not counted, at most: some before each pass; further passes have a batch each."""
    most = min(engine.max_valid, engine.max_reps)
    return engine.warmup_reps * max(engine.passes - 1, math.ceil(most / engine.batch)) if engine.passes > 1 else 0


def launch_seconds(campaign: Campaign, stack: str, point: Point, measured: Durations) -> float:
    """Expected time in s of one launch."""
    before = measured.get((stack, point))
    if before is not None:
        return before
    patience = campaign.engine.sync_patience / PATIENCE
    total = start = START_S + (START_PER_PROCESS_S + SYNC_PER_PROCESS_S * patience) * point.processes
    least = start + campaign.engine.pass_span * (campaign.engine.passes - 1) / campaign.engine.passes
    for operation, size in cases(campaign.operations, campaign.sizes):
        run_us = campaign.engine.operations_per_rep * operation_us(operation, size, point.processes)
        slot_us = max(SLOT_FLOOR_US, SLOT_FACTOR * run_us)
        if campaign.engine.stop == "time" and campaign.engine.time_budget is not None:
            total += campaign.engine.time_budget
        else:
            total += (campaign.engine.max_reps + warming_runs(campaign.engine)) * slot_us / 1e6
    return round(min(max(total, least), campaign.limits.launch_seconds), 3)


def building_seconds(stacks: int) -> float:
    """Estimate the time in s to build the engines of N stacks, without the cache."""
    return BUILD_S * stacks


def analysis_seconds(launches: int, rows: int) -> float:
    """Time in s from the last launch to the report; `rows`: operations × sizes in each launch."""
    return ANALYSIS_S + ANALYSIS_PER_ROW_S * launches * rows
