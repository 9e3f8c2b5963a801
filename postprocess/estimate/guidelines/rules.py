# SPDX-License-Identifier: BSD-3-Clause
"""The guidelines as data, and their instances that a campaign can test.

J. L. Träff, W. D. Gropp, R. Thakur: Self-consistent MPI performance guidelines. IEEE Transactions on Parallel and
Distributed Systems 21 (5), 2010. S. Hunold, A. Carpen-Amarie: Autotuning MPI collectives using performance guidelines
(PGMPI). HPC Asia 2018. Monotony and split are rules for every operation with data; `instances` adds them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise, product

from isochron.schemas.engine.contract import datatype_name, with_datatype


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


#: An operation at a size, and how often it is called.
Call = tuple[str, int, int]


@dataclass(frozen=True)
class Instance:
    """`operation` at `size` must take no longer than all of `calls` together."""

    kind: str
    operation: str
    size: int
    calls: tuple[Call, ...]


def instances(measured: Mapping[str, list[int]], processes: int) -> Iterator[Instance]:
    """All that can be tested at a number of processes. `measured`: sizes of each operation.

    Where the other way needs a size that was not measured, the next larger one stands in for it: padding it up to that
    is still a way to the result, so the guideline still holds. Monotony and split are between neighbouring sizes, for
    the others follow from those. All parts have the datatype of the operation.
    """
    datatypes = dict.fromkeys(datatype_name(operation) for operation in measured)
    for guideline, datatype in product(GUIDELINES, datatypes):
        operation = with_datatype(guideline.operation, datatype)
        for size in measured.get(operation, []):
            calls = _calls(guideline, datatype, size, processes, measured)
            if calls:
                yield Instance("other way", operation, size, calls)
    for operation, sizes_measured in measured.items():
        sizes = sorted(size for size in sizes_measured if size > 0)
        for smaller, larger in pairwise(sizes):
            yield Instance("monotony", operation, smaller, ((operation, larger, 1),))
            yield Instance("split", operation, larger, ((operation, smaller, -(-larger // smaller)),))


def _calls(
    guideline: Guideline, datatype: str, size: int, processes: int, measured: Mapping[str, list[int]]
) -> tuple[Call, ...] | None:
    """The parts with measured sizes; None if one was not measured at that size or above."""
    calls = []
    for part in guideline.parts:
        operation = with_datatype(part.operation, datatype)
        enough = [other for other in measured.get(operation, []) if other >= part.scale(size, processes)]
        if not enough:
            return None
        calls.append((operation, min(enough), 1))
    return tuple(calls)
