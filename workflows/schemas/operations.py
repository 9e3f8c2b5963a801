# SPDX-License-Identifier: BSD-3-Clause
"""Names of the operations that the engine can measure (a test compares them with `isochron-engine --list`)."""

from __future__ import annotations

BLOCKING = (
    "barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv",
    "alltoall", "alltoallv", "alltoallw", "reduce", "allreduce", "reduce_scatter",
    "reduce_scatter_block", "scan", "exscan",
)  # fmt: skip
WAIT_PATTERNS = ("wait-pattern-up", "wait-pattern-down", "wait-pattern-null")
OPERATIONS = BLOCKING + WAIT_PATTERNS

#: Operations that move no data: measured once a launch, with bytes = 0.
WITHOUT_DATA = frozenset({"barrier", *WAIT_PATTERNS})


def cases(operations: list[str], sizes: list[int]) -> list[tuple[str, int]]:
    """The (operation, bytes) rows that one launch must hold."""
    return [(operation, size) for operation in operations for size in ([0] if operation in WITHOUT_DATA else sizes)]
