# SPDX-License-Identifier: BSD-3-Clause
"""Estimates of durations: of a launch by a coarse model if no earlier one is known, of builds, and of the analysis."""

import math
from collections.abc import Mapping

from isochron.schemas.engine.contract import BURSTS, WITHOUT_DATA, base_operation, cases, in_a_thread
from isochron.schemas.engine.options import EngineOptions
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.plan import Point, ProgramRun

#: Median duration in s of earlier launches, by stack (of a program with its label, `timed_as`) and point.
Durations = Mapping[tuple[str, Point], float]

#: Start and end of an MPI job: seconds, and seconds per process (launchers start nodes in a tree). The launches of a
#: session share their processors, so that all starts together take as long as one after another.
START_S, START_PER_PROCESS_S = 1.5, 0.004
#: Latency in µs and time per byte in µs of a slow pair of nodes, so that an estimate is rather too high.
ALPHA_US, BETA_US = 5.0, 0.001
#: What a message costs in µs that is under way together with others.
OF_A_BURST_US = 1.0
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


def operation_us(operation: str, size: int, processes: int, burst: int, threads: int = 0) -> float:
    """Estimate the time in µs of one operation by Hockney's model, rather too high.

    `burst`, `threads`: as in the engine; what several threads execute is estimated as if one did it after the other.
    """
    operation, rounds = base_operation(operation), max(1, math.ceil(math.log2(processes)))
    if in_a_thread(operation) != operation:
        return max(1, threads) * operation_us(in_a_thread(operation), size, processes, burst)
    if operation in WITHOUT_DATA:
        return processes if operation.startswith("wait") else rounds * ALPHA_US
    if operation in BURSTS:
        peers = processes - 1 if operation.startswith("fan") else 2 if operation.endswith("both-ways") else 1
        return rounds * ALPHA_US + peers * burst * (OF_A_BURST_US + size * BETA_US)
    if operation.startswith((*_ALL_TO_ALL, *_CHAINED)):
        return (processes - 1) * (ALPHA_US + size * BETA_US)
    if operation.startswith(("gather", "scatter")):
        return rounds * ALPHA_US + processes * size * BETA_US
    return rounds * (ALPHA_US + 2 * size * BETA_US)


def within_volume(engine: EngineOptions, operation: str, size: int, processes: int) -> EngineOptions:
    """Return the options with the repetitions that `max_volume` leaves: at least one, and all where nothing is moved.

    The size of a reduce_scatter is that of the whole vector, a block for each process; of a burst that of its messages;
    of what several threads execute that of all.
    """
    operation = base_operation(operation)
    if in_a_thread(operation) != operation:
        return within_volume(engine, in_a_thread(operation), size * max(1, engine.threads), processes)
    whole = size * (processes if "reduce_scatter" in operation else engine.burst if operation in BURSTS else 1)
    if not engine.max_volume or not whole:
        return engine
    reps = max(1, engine.max_volume // whole // engine.operations_per_rep)
    limits = {"max_valid": min(engine.max_valid, reps), "max_reps": min(engine.max_reps, reps)}
    return engine.model_copy(update=limits)


def count_warmup_reps(engine: EngineOptions) -> int:
    """Return the maximum number of warm-up repetitions of a measurement: some before each pass."""
    counted = min(engine.max_valid, engine.max_reps)
    return engine.warmup_reps * max(engine.passes - 1, math.ceil(counted / engine.batch)) if engine.passes > 1 else 0


def warmup_seconds(campaign: Campaign) -> float:
    """Return the time in s for which a case is warmed up at least in each pass."""
    has_time = campaign.site.machine is None and campaign.engine.buffers != "cold"
    return campaign.engine.warmup_time if has_time else 0.0


def count_reps(engine: EngineOptions) -> int:
    """Return the number of repetitions until `max_valid` are valid, if as many are invalid as a slot permits."""
    valid_share = max(1 - engine.max_invalid, engine.max_valid / engine.max_reps)
    return min(engine.max_reps, math.ceil(engine.max_valid / valid_share))


def launch_seconds(campaign: Campaign, stack: str, point: Point, measured: Durations) -> float:
    """Estimate the time in s of one launch."""
    before = measured.get((stack, point))
    if before is not None:
        return before
    patience = campaign.engine.sync_patience / PATIENCE
    total = start = START_S + (START_PER_PROCESS_S + SYNC_PER_PROCESS_S * patience) * point.processes
    minimum = start + campaign.engine.pass_span * (campaign.engine.passes - 1) / campaign.engine.passes
    for operation, size in cases(campaign.operations, campaign.sizes):
        each_us = operation_us(operation, size, point.processes, campaign.engine.burst, campaign.engine.threads)
        rep_us = campaign.engine.operations_per_rep * each_us
        slot_us = max(SLOT_FLOOR_US, SLOT_FACTOR * rep_us)
        if campaign.engine.stop == "time" and campaign.engine.time_budget is not None:
            total += campaign.engine.time_budget
        else:
            engine = within_volume(campaign.engine, operation, size, point.processes)
            total += (count_reps(engine) + count_warmup_reps(engine)) * slot_us / 1e6
        total += campaign.engine.passes * warmup_seconds(campaign)
    return round(min(max(total, minimum), campaign.limits.launch_seconds), 3)


def building_seconds(stacks: int) -> float:
    """Estimate the time in s to build the engines of N stacks, without the cache."""
    return BUILD_S * stacks


def analysis_seconds(launches: int, rows: int) -> float:
    """Estimate the time in s from the last launch to the report; `rows`: operations × sizes in each launch."""
    return ANALYSIS_S + ANALYSIS_PER_ROW_S * launches * rows
