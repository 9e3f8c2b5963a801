# SPDX-License-Identifier: BSD-3-Clause
"""The cost of a simulated launch on the simulating machine, and the cases that are skipped because of it.

The costs are those of the SimGrid that is used, on one core of a common server (docs/validation.md has the
measurements): an estimate within a factor of three, from the number of messages that are simulated. All processes are
one program, and share the memory of large buffers, but not what the algorithm of an operation allocates.
"""

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from isochron.schemas.engine.contract import BURSTS, base_operation, cases, memory_bytes
from isochron.schemas.engine.options import EngineOptions
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.manifest import Simulator
from isochron.schemas.run.plan import Point, Skipped
from isochron.spack_envs.simulated import simgrid_version
from isochron.workflows.planning.estimate import PATIENCE

#: Seconds and bytes that one operation at one size may cost.
MAX_SECONDS, MAX_BYTES = 300.0, 2.5e9

#: Constant seconds of a launch.
LAUNCH_S = 1.0


class Speed(NamedTuple):
    """What a message costs in one version of the simulator.

    `message_s`: seconds per message. `growth`: the process count at which it costs twice as much, since the simulator
    goes through lists of all that are under way. Where all processes send to all at once, the links are shared anew
    for every message: it costs 1 + (processes / `at_once`)^`at_once_power` as much.
    """

    message_s: float
    growth: float
    at_once: float
    at_once_power: int


#: By the major version of SimGrid: measured with 3.32 and 4.1.
SPEEDS = {3: Speed(6e-6, 875, 15, 2), 4: Speed(12e-6, 4000, 28, 1)}

#: Messages of every process: when a launch begins; around a batch; agreement and traces of a row.
OF_A_LAUNCH, OF_A_BATCH, OF_A_ROW = 40, 4, 8
#: The same for each doubling of the process count, after a row whose clocks were synchronised (engine: causality.c).
OF_A_CHECK = 10
#: Runs of the empty operation, which every launch measures (engine: overhead.c).
EMPTY_RUNS = 20
#: Batches before the counted ones: first call, second call, initialisation.
BATCHES_BEFORE = 3
#: Collectives that libraries have for nodes with many cores cost this at 1024 processes, with the square of them.
NODE_AWARE_S = 38.0
#: A buffer from this size on is the same memory in all processes (engine: buffers.c), mapped in pieces of this size.
SHARED_FROM, PIECE = 2**16, 2**26
#: What the kernel needs to map memory (8 bytes for each 4 KiB), and seconds for it: both for each byte.
MAP_BYTES, MAP_S = 1 / 512, 1e-10
#: Pieces that one program may map (Linux: vm.max_map_count is 65530).
MAX_PIECES = 60000

#: Exchanges of a comparison of two clocks that has to be good, by estimator, and of one of many (engine: pair.c), where
#: clocks drift and readings are noisy; and where they are perfect, so that nothing can improve for long.
THOROUGH, BRIEF = {"envelope": 850, "min-rtt": 150}, 25
PERFECT_THOROUGH, PERFECT_BRIEF = 125, 12
#: Synchronisers that compare a pair many times; processes whose clocks are compared once more at each end of a launch.
LEARN_DRIFT, VERIFIED = ("hca3", "jk"), 64

#: Every process sends to every other one: one after another; or to all at once, in a scan to those that follow.
_PAIRWISE = ("alltoall", "alltoallv")
_SCANS = ("scan", "exscan", "iscan", "iexscan")
_AT_ONCE = ("alltoallw", "ialltoall", "iallgather", "iallreduce", "ireduce_scatter", *_SCANS)
#: Blocks for every process that the algorithm allocates in each: what was received, what was reduced, and copies of
#: messages under way.
_ALLOCATED = {"allgatherv": 1, "reduce_scatter": 2, **dict.fromkeys(_AT_ONCE, 1)}
#: Blocks for and from every other process in the buffers of each.
_SENDS_TO_ALL = ("alltoall", "ialltoall", "reduce_scatter", "ireduce_scatter")
_HEARS_FROM_ALL = ("alltoall", "ialltoall", "allgather", "iallgather")
_ROOTED = ("gather", "igather", "scatter", "iscatter")


#: Processes that have a buffer and blocks in it, of the send buffers and of the receive buffers.
Sides = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True)
class Cost:
    """Cost of one operation at one size on the simulating machine."""

    seconds: float
    bytes: float
    pieces: int


def cost(operation: str, size: int, processes: int, runs: int, batch: int, operations: int = 1, burst: int = 1) -> Cost:
    """Return the cost of a case, by its counted repetitions, operations per repetition, and `burst` of the engine."""
    size, operation = memory_bytes(operation, size), base_operation(operation)
    overhead = row_messages(processes, runs, batch)
    sides = _sides(operation, processes, burst)
    if operation in BURSTS:
        per_operation = float(sides[0][0] * sides[0][1])
    else:
        per_operation = processes * _messages(operation, processes)
    seconds = (overhead + (operations * runs + BATCHES_BEFORE) * per_operation) * _message_s(processes)
    total, mapped, pieces = _memory(operation, size, processes, sides)
    return Cost(seconds + MAP_S * mapped, total + MAP_BYTES * mapped, pieces)


def row_messages(processes: int, runs: int, batch: int) -> float:
    """Return the messages of the engine, of all processes, for a case, by its counted repetitions."""
    return (OF_A_BATCH * (BATCHES_BEFORE + math.ceil(runs / batch)) + OF_A_ROW) * processes


def check_messages(processes: int) -> float:
    """Return the messages of the clock check after a case with synchronised clocks."""
    return OF_A_CHECK * math.ceil(math.log2(processes)) * processes


def _messages(operation: str, processes: int) -> float:
    """Return the messages that a process sends in an operation, each as many as its cost is that of usual ones."""
    if operation.startswith(_AT_ONCE):
        sent = (processes - 1) / (2 if operation.startswith(_SCANS) else 1)
        return sent * (1 + (processes / _speed().at_once) ** _speed().at_once_power)
    if operation.startswith(_PAIRWISE):
        return processes - 1
    return max(1, math.ceil(math.log2(processes)))


@cache
def _speed() -> Speed:
    """Return the speed of the installed simulator; of the newest one if none is installed."""
    major = int((simgrid_version() or "").partition(".")[0] or 0)
    return SPEEDS.get(major, SPEEDS[max(SPEEDS)])


def _message_s(processes: int) -> float:
    """Return the seconds per message."""
    return _speed().message_s * (1 + processes / _speed().growth)


def _sides(operation: str, processes: int, burst: int) -> Sides:
    """Return how many processes send and how many blocks each, and the same of those that receive."""
    if operation not in BURSTS:
        sent = processes if operation.startswith(_SENDS_TO_ALL) else 1
        received = processes if operation.startswith(_HEARS_FROM_ALL) else 1
        return (processes, sent), (processes, received)
    if operation in ("fan-in", "fan-out"):
        others, first = (processes - 1, burst), (1, (processes - 1) * burst)
        return (others, first) if operation == "fan-in" else (first, others)
    pairs = processes // 2 if "pairs" in operation else 1
    ends = 2 * pairs if operation.endswith("both-ways") else pairs
    return (ends, burst), (ends, burst)


def _memory(operation: str, size: int, processes: int, sides: Sides) -> tuple[float, float, int]:
    """Return the bytes of all buffers, and the bytes and pieces that are mapped for shared ones."""
    total, mapped, pieces = 0.0, 0.0, 0
    for count, blocks in sides:
        length = blocks * size
        if length < SHARED_FROM:
            total += count * length
        else:
            mapped += count * length
            pieces += count * math.ceil(length / PIECE)
    if operation.startswith(_ROOTED):  # buffers of the inner nodes of the tree, and of the root
        total += processes * size * (math.log2(processes) / 2 + 1)
    allocated = next((blocks for name, blocks in _ALLOCATED.items() if operation.startswith(name)), 0)
    total += allocated * processes * processes * size
    return total + (PIECE if pieces else 0), mapped, pieces


def launch_seconds(campaign: Campaign, simulator: Simulator, point: Point, chosen: list[tuple[str, int]]) -> float:
    """Return expected time in s of simulating one launch that holds the cases `chosen`."""
    messages = OF_A_LAUNCH * point.processes + row_messages(point.processes, EMPTY_RUNS, campaign.engine.batch)
    total = LAUNCH_S + messages * _message_s(point.processes) + sync_seconds(campaign, point)
    total += sum(_cost(case, point, campaign).seconds for case in chosen)
    if simulator.selector != "fixed":
        total += NODE_AWARE_S * (point.processes / 1024) ** 2
    return round(total, 1)


def sync_seconds(campaign: Campaign, point: Point) -> float:
    """Return expected time in s of simulating the synchronisation of the clocks and its verification at both ends."""
    perfect = campaign.site.machine is None or campaign.site.machine.clocks.perfect
    return sync_messages(campaign.engine, point, perfect=perfect) * _message_s(point.processes)


def sync_messages(engine: EngineOptions, point: Point, *, perfect: bool) -> float:
    """Return the messages of the synchronisation, of all processes; clocks are verified also without one."""
    brief = PERFECT_BRIEF if perfect else BRIEF
    patience = engine.sync_patience / PATIENCE
    thorough = patience * (PERFECT_THOROUGH if perfect else THOROUGH[engine.offset])
    verified = 2 * min(VERIFIED, point.processes) * (PERFECT_THOROUGH if perfect else THOROUGH["envelope"])
    if engine.clock_sync == "none":
        return 2 * verified
    clocks = point.processes if engine.sync_nodes == "flat" else point.nodes
    of_a_pair = engine.sync_points * brief if engine.clock_sync in LEARN_DRIFT else thorough
    of_nodes = (point.processes - clocks) * brief
    return 2 * ((clocks - 1) * of_a_pair + of_nodes + verified)


def _cost(case: tuple[str, int], point: Point, campaign: Campaign) -> Cost:
    engine = campaign.engine
    fewest = {"reps": engine.max_valid, "relative-error": engine.min_valid}.get(engine.stop, engine.max_reps)
    reps = min(fewest, engine.max_reps)
    engine_cost = cost(*case, point.processes, reps, engine.batch, engine.operations_per_rep, engine.burst)
    if engine.clock_sync == "none":
        return engine_cost
    return replace(
        engine_cost, seconds=engine_cost.seconds + check_messages(point.processes) * _message_s(point.processes)
    )


def skipped_cases(campaign: Campaign, stack: str, point: Point) -> list[Skipped]:
    """Return operations and sizes that cannot be simulated at this point in reasonable time or memory."""
    skipped = []
    sync_s = sync_seconds(campaign, point)
    too_long = f"simulating clock_sync {campaign.engine.clock_sync} {_limit(sync_s)}" if sync_s > MAX_SECONDS else ""
    for operation, size in cases(campaign.operations, campaign.sizes):
        expected = _cost((operation, size), point, campaign)
        reason = too_long or _reason(expected)
        if reason:
            skipped.append(Skipped(stack=stack, point=point, reason=reason, operation=operation, bytes=size))
    return skipped


def _reason(expected: Cost) -> str:
    if expected.bytes > MAX_BYTES:
        return f"the buffers of all processes need {expected.bytes / 1e9:.1f} GB; the limit is {MAX_BYTES / 1e9:g} GB"
    if expected.pieces > MAX_PIECES:
        return f"the buffers of all processes are {expected.pieces} pieces of memory; the limit is {MAX_PIECES}"
    if expected.seconds > MAX_SECONDS:
        return f"simulating it {_limit(expected.seconds)}"
    return ""


def _limit(seconds: float) -> str:
    return f"takes about {seconds / 60:.0f} min; the limit is {MAX_SECONDS / 60:g} min"
