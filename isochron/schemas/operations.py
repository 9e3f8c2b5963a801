# SPDX-License-Identifier: BSD-3-Clause
"""Names of the operations that the engine can measure (a test compares them with `isochron-engine --list`)."""

from __future__ import annotations

BLOCKING = (
    "barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv",
    "alltoall", "alltoallv", "alltoallw", "reduce", "allreduce", "reduce_scatter",
    "reduce_scatter_block", "scan", "exscan",
)  # fmt: skip
NEIGHBORHOOD = tuple(f"neighbor_{name}" for name in ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"))
PERSISTENT = tuple(f"{name}_init" for name in BLOCKING + NEIGHBORHOOD)
NONBLOCKING = tuple(f"i{name}" for name in BLOCKING)
INEIGHBORHOOD = tuple(f"i{name}" for name in NEIGHBORHOOD)
MESSAGES = ("ping-pong", "ping-ping", "sendrecv", "exchange")
MULTI = tuple(f"multi-{name}" for name in MESSAGES)
TRANSFERS = tuple(f"transfer-{number}" for number in range(1, 6))
TOPOLOGIES = ("star", "ring", "chaos", "istar", "iring", "ichaos")
WAIT_PATTERNS = ("wait-pattern-up", "wait-pattern-down", "wait-pattern-null")
BASIC = tuple(
    f"basic-{item}"
    for item in (
        "timer", "barrier", "allreduce-1", "allreduce-10", "reduce-1", "reduce-10", "bcast-1", "gather-1",
        "isend-10", "iprobe", "send-10", "sendrecv-1", "send-recv-1", "persistent-5", "isend-5", "signal",
    )
)  # fmt: skip
OPERATIONS = (
    BLOCKING + NEIGHBORHOOD + MESSAGES + TRANSFERS + TOPOLOGIES + WAIT_PATTERNS + BASIC
    + NONBLOCKING + INEIGHBORHOOD + PERSISTENT + MULTI
)  # fmt: skip

#: Operations that are measured once a launch, whatever the sizes, with bytes = 0.
WITHOUT_DATA = frozenset({"barrier", "ibarrier", "barrier_init", *WAIT_PATTERNS, *BASIC})

#: Operations with a root, which every scheme can let rotate.
ROOTED = frozenset({"bcast", "reduce", "gather", "gatherv", "scatter", "scatterv"})


def cases(operations: list[str], sizes: list[int]) -> list[tuple[str, int]]:
    """The (operation, bytes) rows that one launch must hold."""
    return [(operation, size) for operation in operations for size in ([0] if operation in WITHOUT_DATA else sizes)]
