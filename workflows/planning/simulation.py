# SPDX-License-Identifier: BSD-3-Clause
"""What a simulated launch costs the machine that simulates it, and what is therefore left out.

The costs are those of SimGrid 3.32 on one core of a common server (docs/validation.md has the measurements): an
estimate within a factor of three, from the number of messages that are simulated. Memory is exact: every process
has its buffers, and all processes are one program.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from workflows.schemas.campaign import Campaign
from workflows.schemas.manifest import Simulator
from workflows.schemas.operations import cases
from workflows.schemas.plan import Point, Skipped

#: Seconds and bytes that one operation at one size may cost.
MOST_SECONDS, MOST_BYTES = 600.0, 2.5e9

#: Seconds a message; seconds that a launch costs in any case; start of a process in s.
MESSAGE_S, LAUNCH_S, PROCESS_S = 25e-6, 4.0, 1e-3
#: Process count beyond which a message costs more, because the simulator's own tables grow.
GROWTH = 4096
#: Synchronising all processes once for each batch: announcement, run, collection (each of log2 p rounds).
ROUNDS_OF_A_BATCH = 4
#: Batches before the counted ones: first call, second call, initialisation.
BATCHES_BEFORE = 3
#: Collectives that libraries have for nodes with many cores cost this at 1024 processes, with the square of them.
NODE_AWARE_S = 38.0
#: Sets of buffers that the engine allocates for a measurement.
BUFFER_SETS = 2

#: Every process sends to every other one.
_DENSE = ("alltoall", "scan", "exscan", "allgatherv", "reduce_scatter", "ialltoall", "iscan", "iexscan")
_ROOTED_LINEAR = ("gatherv", "scatterv")


@dataclass(frozen=True)
class Cost:
    """Of one operation at one size on the machine that simulates."""

    seconds: float
    bytes: float


def cost(operation: str, size: int, processes: int, runs: int, batch: int) -> Cost:
    """Cost of a case with so many counted runs."""
    rounds = max(1, math.ceil(math.log2(processes)))
    batches = BATCHES_BEFORE + math.ceil(runs / batch)
    overhead = batches * ROUNDS_OF_A_BATCH * processes * rounds
    each = processes * (processes - 1) if operation.startswith(_DENSE) else processes * rounds
    slower = 1 + (processes / GROWTH) ** 2
    seconds = (overhead + (runs + BATCHES_BEFORE) * each) * MESSAGE_S * slower
    return Cost(seconds, BUFFER_SETS * _blocks(operation, processes) * size)


def _blocks(operation: str, processes: int) -> float:
    """Blocks of `bytes` in the buffers of all processes together."""
    if operation.startswith(("alltoall", "ialltoall", "reduce_scatter")):
        return 2 * processes**2
    if operation.startswith(("allgather", "iallgather")):
        return processes**2 + processes
    return 3 * processes


def launch_seconds(campaign: Campaign, simulator: Simulator, point: Point, chosen: list[tuple[str, int]]) -> float:
    """Expected time in s of simulating one launch that holds the cases `chosen`."""
    total = LAUNCH_S + PROCESS_S * point.processes
    total += sum(_cost(case, point, campaign).seconds for case in chosen)
    if simulator.selector != "fixed":
        total += NODE_AWARE_S * (point.processes / 1024) ** 2
    return round(total, 1)


def _cost(case: tuple[str, int], point: Point, campaign: Campaign) -> Cost:
    engine = campaign.engine
    fewest = {"runs": engine.max_valid, "relative-error": engine.min_valid}.get(engine.stop, engine.max_runs)
    return cost(*case, point.processes, min(fewest, engine.max_runs), engine.batch)


def left_out(campaign: Campaign, stack: str, point: Point) -> list[Skipped]:
    """Operations and sizes that cannot be simulated at this point in reasonable time or memory."""
    found = []
    for operation, size in cases(campaign.operations, campaign.sizes):
        expected = _cost((operation, size), point, campaign)
        reason = _reason(expected)
        if reason:
            found.append(Skipped(stack=stack, point=point, reason=reason, operation=operation, bytes=size))
    return found


def _reason(expected: Cost) -> str:
    if expected.bytes > MOST_BYTES:
        return f"the buffers of all processes need {expected.bytes / 1e9:.1f} GB; {MOST_BYTES / 1e9:g} GB are the limit"
    if expected.seconds > MOST_SECONDS:
        return f"simulating it takes about {expected.seconds / 60:.0f} min; {MOST_SECONDS / 60:g} min are the limit"
    return ""
