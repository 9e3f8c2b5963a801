# SPDX-License-Identifier: BSD-3-Clause
"""The coarse simulation, message by message: every message of a step is counted on the nodes of its ends."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache

from tests.postprocess.subjects.views.recomputed.raw import Raw, Record

#: Bytes of SMPI's own in each message.
ENVELOPE = 16
#: Source and target ranks of the messages of a step, and blocks in each.
Step = tuple[list[tuple[int, int]], int]

#: By operation: the option that selects the algorithm, its name, and whether it is that of powers of two alone.
ALGORITHMS = {
    "allgatherv": ("allgatherv:ompi_bruck", "Bruck", False),
    "alltoall": ("alltoall:pair", "pairwise", True), "alltoallv": ("alltoallv:pair", "pairwise", True),
    "alltoallw": ("", "irecv-isend", False), "scan": ("", "linear", False), "exscan": ("", "linear", False),
    "reduce_scatter": ("reduce_scatter:ompi_basic_recursivehalving", "recursive halving", True),
    "reduce_scatter_block": ("reduce_scatter:ompi_basic_recursivehalving", "recursive halving", True),
}  # fmt: skip


def steps(name: str, processes: int) -> Iterator[Step]:
    ranks = range(processes)
    if name == "pairwise":
        yield from (([(rank, rank ^ i) for rank in ranks], 1) for i in range(1, processes))
    elif name == "recursive halving":
        i = processes // 2
        while i:
            yield [(rank, rank ^ i) for rank in ranks], i
            i //= 2
    elif name == "Bruck":
        i = 1
        while i < processes:
            yield [(rank, (rank - i) % processes) for rank in ranks], min(i, processes - i)
            i *= 2
    else:
        yield [(a, b) for a in ranks for b in ranks if (b > a if name == "linear" else b != a)], 1


@cache
def loads(name: str, processes: int, per_node: int, placement: str) -> Counter[tuple[int, int, int, bool]]:
    """Blocks of a message, messages of the busiest node out or in, of both, and whether some stay on their node."""
    nodes = -(-processes // per_node)
    node = [rank % nodes if placement == "round-robin" else rank // per_node for rank in range(processes)]
    counted: Counter[tuple[int, int, int, bool]] = Counter()
    for messages, blocks in steps(name, processes):
        out, into = [0] * nodes, [0] * nodes
        stays = False
        for source, target in messages:
            if node[source] == node[target]:
                stays = True
            else:
                out[node[source]] += 1
                into[node[target]] += 1
        both = max(a + b for a, b in zip(out, into, strict=True))
        counted[blocks, max(*out, *into), both, stays] += 1
    return counted


def algorithm(raw: Raw, stack: str, operation: str) -> tuple[str, bool] | None:
    """Its name, and whether it asks for a power of two; None where the run has no coarse simulation of it."""
    machine = raw.campaign["site"].get("machine")
    path = raw.folder / "stacks" / f"{stack}.json"
    if not machine or machine["topology"]["kind"] != "fat-tree" or operation not in ALGORITHMS or not path.is_file():
        return None
    option, name, even = ALGORITHMS[operation]
    words = json.loads(path.read_text())["launcher"]["argv"]
    return (name, even) if not option or f"--cfg=smpi/{option}" in words else None


def time_us(raw: Raw, key: Record) -> float | None:
    """The time in µs of an operation at a size; None where it cannot be simulated so."""
    which = algorithm(raw, key["stack"], key["operation"])
    processes = key["processes"]
    if which is None or processes < 2 or (which[1] and processes.bit_count() != 1):
        return None
    machine = raw.campaign["site"]["machine"]
    memory, two_way = machine["memory"], machine["node_two_way_mb_per_s"] or 2 * machine["node_mb_per_s"]
    total = 0.0
    counted = loads(which[0], processes, key["processes_per_node"], key["placement"])
    for (blocks, most, both, stays), count in counted.items():
        size = blocks * key["bytes"] + ENVELOPE
        times = [memory["latency_us"] + size / memory["mb_per_s"]] if stays else []
        if both:
            rate = min(machine["stream_mb_per_s"], machine["node_mb_per_s"] / most, two_way / both)
            times.append(machine["latency_us"] + size / rate)
        total += count * max(times)
    return total
