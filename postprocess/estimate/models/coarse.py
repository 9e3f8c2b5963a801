# SPDX-License-Identifier: BSD-3-Clause
"""A coarse simulation of collectives: the steps of an algorithm one after another, with all messages on their nodes.

The messages of a step are of one size and begin together. Where links are shared fairly (max-min), no message has less
than the rate of the busiest link divided by its messages, and those of this link end last; so a step takes

    latency + bytes · max(1 / rate of a stream, messages of the busiest node / its rate)

and only how many messages each node sends and receives counts, not between which processes they are. The next step
begins when the last message has arrived, whereas processes of a real collective, or of one that is simulated message by
message, go on as soon as their own messages have: this is what is lost. A step in which all begin together and end
together loses nothing. Steps with the same load are computed once.

For machines on which all pairs of nodes are equal (`Machine.flat`), and the algorithms of SimGrid SMPI.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from isochron.schemas.input.machine import Machine
from isochron.schemas.input.placement import rank_hosts

#: Bytes that SMPI adds to each message: tag, target and communicator (SimGrid 3.32 and 4.1, smpi_request.cpp, start).
ENVELOPE = 16

#: The node of each rank, or ranks, or numbers of messages by node: integers, shape (processes,) or (nodes,).
Integers = npt.NDArray[np.int64]


class Load(NamedTuple):
    """The load of a step: blocks in a message, and messages of the busiest node to and from others, and both."""

    blocks: int
    sent: int
    received: int
    both: int
    within: bool  # whether messages stay on a node


def _load(sent: Integers, received: Integers, within: bool, blocks: int = 1) -> Load:
    return Load(blocks, int(sent.max()), int(received.max()), int((sent + received).max()), within)


def _each_to_one(nodes: Integers, targets: Integers, blocks: int = 1) -> Load:
    """Every process sends one message; `targets`: the ranks that receive them."""
    source, target = nodes, nodes[targets]
    leaves = source != target
    count = int(nodes.max()) + 1
    sent, received = (np.bincount(ends[leaves], minlength=count) for ends in (source, target))
    return _load(sent, received, not leaves.all(), blocks)


def pairwise(nodes: Integers) -> Iterator[Load]:
    """Step i = 1 … p - 1: with rank XOR i, a block each way."""
    ranks = np.arange(len(nodes))
    return (_each_to_one(nodes, ranks ^ step) for step in range(1, len(nodes)))


def halving(nodes: Integers) -> Iterator[Load]:
    """Recursive halving: with rank XOR p/2, XOR p/4, … half of the blocks that are left."""
    ranks = np.arange(len(nodes))
    distances = [len(nodes) >> step for step in range(1, len(nodes).bit_length())]
    return (_each_to_one(nodes, ranks ^ distance, distance) for distance in distances)


def bruck(nodes: Integers) -> Iterator[Load]:
    """Allgather of Bruck: to rank - 1, - 2, - 4, …, all blocks so far, or as many as still lack."""
    processes = len(nodes)
    ranks = np.arange(processes)
    distances = [1 << step for step in range((processes - 1).bit_length())]
    return (
        _each_to_one(nodes, (ranks - distance) % processes, min(distance, processes - distance))
        for distance in distances
    )


def at_once(nodes: Integers) -> Iterator[Load]:
    """Every process to all others, all at once."""
    here = np.bincount(nodes)
    messages = here * (len(nodes) - here)
    yield _load(messages, messages, bool(here.max() > 1))


def upwards(nodes: Integers) -> Iterator[Load]:
    """Every process to all that follow it, all at once."""
    here, ranks = np.bincount(nodes), np.arange(len(nodes))
    within = here * (here - 1) // 2
    received = np.bincount(nodes, weights=ranks).astype(np.int64) - within
    sent = np.bincount(nodes, weights=ranks[::-1]).astype(np.int64) - within
    yield _load(sent, received, bool(here.max() > 1))


@dataclass(frozen=True)
class Algorithm:
    """An algorithm of SMPI. `power_of_two`: the steps are those of such process counts only."""

    name: str
    steps: Callable[[Integers], Iterator[Load]]
    power_of_two: bool = False


PAIRWISE = Algorithm("pairwise", pairwise, power_of_two=True)
HALVING = Algorithm("recursive halving", halving, power_of_two=True)
BRUCK = Algorithm("Bruck", bruck)
AT_ONCE = Algorithm("irecv-isend", at_once)
UPWARDS = Algorithm("linear", upwards)

#: Algorithms by operation, and by SMPI's name of the one that is configured where there is a choice.
ALGORITHMS: dict[str, dict[str, Algorithm]] = {
    "allgatherv": {"allgatherv:ompi_bruck": BRUCK},
    "alltoall": {"alltoall:pair": PAIRWISE},
    "alltoallv": {"alltoallv:pair": PAIRWISE},
    "alltoallw": {"": AT_ONCE},
    "reduce_scatter": {"reduce_scatter:ompi_basic_recursivehalving": HALVING},
    "reduce_scatter_block": {"reduce_scatter:ompi_basic_recursivehalving": HALVING},
    "scan": {"": UPWARDS},
    "exscan": {"": UPWARDS},
}


def algorithm_of(operation: str, launcher: list[str]) -> Algorithm | None:
    """Return the algorithm of an operation; None if there is no coarse simulation of it.

    `launcher`: the command line of `smpirun`, with the options that select algorithms.
    """
    options = {"", *(word.removeprefix("--cfg=smpi/") for word in launcher)}
    return next((each for option, each in ALGORITHMS.get(operation, {}).items() if option in options), None)


@dataclass(frozen=True)
class Place:
    """Where the processes are."""

    processes: int
    per_node: int
    placement: str

    def nodes(self) -> Integers:
        """Return the node of each rank."""
        names = [str(node) for node in range(-(-self.processes // self.per_node))]
        return np.array(rank_hosts(names, self.placement, self.processes, self.per_node), dtype=np.int64)


@cache
def loads(algorithm: Algorithm, place: Place) -> Mapping[Load, int]:
    """Return how often each load occurs in the steps of an algorithm."""
    return Counter(algorithm.steps(place.nodes()))


def coarse_us(algorithm: Algorithm, machine: Machine, place: Place, size: int) -> float | None:
    """Return the time in µs of an operation with blocks of `size` bytes; None where it cannot be simulated."""
    uneven = algorithm.power_of_two and place.processes & (place.processes - 1) != 0
    if not machine.flat or uneven or place.processes < 2:
        return None
    steps = loads(algorithm, place)
    return sum(count * _step_us(load, machine, load.blocks * size + ENVELOPE) for load, count in steps.items())


def _step_us(load: Load, machine: Machine, size: int) -> float:
    """Return the time in µs of a step with messages of `size` bytes. MB/s are bytes per µs."""
    within = machine.memory.latency_us + size / machine.memory.mb_per_s if load.within else 0.0
    if not load.both:
        return within
    two_way = machine.node_two_way_mb_per_s or 2 * machine.node_mb_per_s
    slowest = max(
        1 / machine.stream_mb_per_s,
        load.sent / machine.node_mb_per_s,
        load.received / machine.node_mb_per_s,
        load.both / two_way,
    )
    return max(within, machine.latency_us + size * slowest)
