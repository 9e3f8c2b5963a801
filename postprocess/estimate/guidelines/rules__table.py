# SPDX-License-Identifier: BSD-3-Clause
"""The guidelines as data: what a collective must not be slower than.

J. L. Träff, W. D. Gropp, R. Thakur: Self-consistent MPI performance guidelines. IEEE Transactions on Parallel and
Distributed Systems 21 (5), 2010. S. Hunold, A. Carpen-Amarie: Autotuning MPI collectives using performance guidelines
(PGMPI). HPC Asia 2018. Monotony and split are rules for every operation with data and stand in `instances`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


def same(size: int, processes: int) -> int:  # noqa: ARG001  (all scales are called alike)
    """The same `bytes`."""
    return size


def gathered(size: int, processes: int) -> int:
    """A vector of one block for each process."""
    return size * processes


def block(size: int, processes: int) -> int:
    """The block of each process, the last one filled up."""
    return -(-size // processes)


#: `bytes` of a part from `bytes` of the operation and the number of processes (docs/reference/engine.md).
Scale = Callable[[int, int], int]


@dataclass(frozen=True)
class Part:
    """An operation of the other way to the result."""

    operation: str
    scale: Scale = same


@dataclass(frozen=True)
class Guideline:
    """`operation` ≤ the sum of `parts`."""

    operation: str
    parts: tuple[Part, ...]


#: The table; blocks and vectors are turned into each other where operations count their bytes differently.
GUIDELINES = (
    Guideline("gather", (Part("allgather"),)),
    Guideline("gather", (Part("reduce", gathered),)),
    Guideline("gather", (Part("gatherv"),)),
    Guideline("scatter", (Part("bcast", gathered),)),
    Guideline("scatter", (Part("scatterv"),)),
    Guideline("allgather", (Part("alltoall"),)),
    Guideline("allgather", (Part("allreduce", gathered),)),
    Guideline("allgather", (Part("gather"), Part("bcast", gathered))),
    Guideline("allgather", (Part("allgatherv"),)),
    Guideline("alltoall", (Part("alltoallv"),)),
    Guideline("bcast", (Part("scatter", block), Part("allgather", block))),
    Guideline("reduce", (Part("allreduce"),)),
    Guideline("reduce", (Part("reduce_scatter_block", block), Part("gather", block))),
    Guideline("allreduce", (Part("reduce"), Part("bcast"))),
    Guideline("allreduce", (Part("reduce_scatter_block", block), Part("allgather", block))),
    Guideline("reduce_scatter", (Part("allreduce", gathered),)),
    Guideline("reduce_scatter", (Part("reduce", gathered), Part("scatterv"))),
    Guideline("reduce_scatter_block", (Part("reduce", gathered), Part("scatter"))),
    Guideline("scan", (Part("exscan"), Part("reduce_local"))),
)
