# SPDX-License-Identifier: BSD-3-Clause
"""The cost models: time of an operation under an algorithm, as a function of processes and bytes.

All are Hockney models: a message of m bytes takes α + mβ, a reduction of m bytes mγ. With p processes, ℓ = ⌈log2 p⌉
and f = (p - 1)/p; n is defined by `table_bytes`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt
from typing import Literal

#: E. Chan, M. Heimlich, A. Purkayastha, R. van de Geijn: Collective communication: theory, practice, and experience.
#: Concurrency and Computation: Practice and Experience 19 (13), 2007.
CHAN = "Chan et al. 2007"
#: R. Thakur, R. Rabenseifner, W. Gropp: Optimization of collective communication operations in MPICH. International
#: Journal of High Performance Computing Applications 19 (1), 2005.
THAKUR = "Thakur et al. 2005"
#: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby: Efficient algorithms for all-to-all communications in
#: multiport message-passing systems. IEEE Transactions on Parallel and Distributed Systems 8 (11), 1997.
BRUCK = "Bruck et al. 1997"


@dataclass(frozen=True)
class Costs:
    """α in µs; β and γ in µs per byte. β is that of one message or of all processes at once, as the model needs."""

    alpha: float
    beta: float
    gamma: float = 0.0


#: (processes, n, costs) → µs.
Formula = Callable[[int, float, Costs], float]
#: Which 1/β a model takes: m/t of one message (`ping-pong`), or 2m/t of a Sendrecv of all processes, as IMB prints it.
Bandwidth = Literal["one_way", "imb"]


def rounds(processes: int) -> int:
    """ℓ = ⌈log2 p⌉."""
    return (processes - 1).bit_length()


def others(processes: int) -> float:
    """f = (p - 1)/p."""
    return (processes - 1) / processes


def tree(p: int, n: float, k: Costs) -> float:
    """Minimum spanning tree that hands the whole vector on: ℓ(α + nβ)."""
    return rounds(p) * (k.alpha + n * k.beta)


def tree_reduction(p: int, n: float, k: Costs) -> float:
    """The same with a reduction in each round: ℓ(α + nβ + nγ)."""
    return rounds(p) * (k.alpha + n * k.beta + n * k.gamma)


def scatter_ring(p: int, n: float, k: Costs) -> float:
    """Scatter and ring allgather (van de Geijn): (ℓ + p - 1)α + 2f·nβ."""
    return (rounds(p) + p - 1) * k.alpha + 2 * others(p) * n * k.beta


def scatter_doubling(p: int, n: float, k: Costs) -> float:
    """Scatter and recursive-doubling allgather: 2ℓα + 2f·nβ."""
    return 2 * rounds(p) * k.alpha + 2 * others(p) * n * k.beta


def chain(p: int, n: float, k: Costs) -> float:
    """Pipelined chain with s segments, (p - 2 + s)(α + nβ/s): at the best s, √((p - 2)nβ/α), (√((p - 2)α) + √(nβ))².

    There is at least one segment: where that s is less than 1, all messages are whole, (p - 1)(α + nβ).
    """
    if (p - 2) * n * k.beta <= k.alpha:
        return (p - 1) * (k.alpha + n * k.beta)
    return (sqrt((p - 2) * k.alpha) + sqrt(n * k.beta)) ** 2


def rabenseifner(p: int, n: float, k: Costs) -> float:
    """Reduce-scatter by halving, then gather or allgather: 2ℓα + 2f·nβ + f·nγ."""
    return scatter_doubling(p, n, k) + others(p) * n * k.gamma


def blocks_tree(p: int, n: float, k: Costs) -> float:
    """Every byte crosses once, in ℓ rounds: ℓα + f·nβ."""
    return rounds(p) * k.alpha + others(p) * n * k.beta


def blocks_linear(p: int, n: float, k: Costs) -> float:
    """p - 1 messages of one block: (p - 1)(α + nβ/p), which is also (p - 1)α + f·nβ."""
    return (p - 1) * (k.alpha + n * k.beta / p)


def ring_reduction(p: int, n: float, k: Costs) -> float:
    """Reduce-scatter and allgather, both on the ring: 2(p - 1)α + 2f·nβ + f·nγ."""
    return 2 * (p - 1) * k.alpha + 2 * others(p) * n * k.beta + others(p) * n * k.gamma


def halving(p: int, n: float, k: Costs) -> float:
    """Recursive halving: ℓα + f·n(β + γ)."""
    return rounds(p) * k.alpha + others(p) * n * (k.beta + k.gamma)


def pairwise_reduction(p: int, n: float, k: Costs) -> float:
    """A block from every other process: (p - 1)α + f·n(β + γ)."""
    return (p - 1) * k.alpha + others(p) * n * (k.beta + k.gamma)


def bruck(p: int, n: float, k: Costs) -> float:
    """Half of all bytes in each of ℓ rounds: ℓα + (n/2)ℓβ."""
    return rounds(p) * (k.alpha + n / 2 * k.beta)


def dissemination(p: int, n: float, k: Costs) -> float:  # noqa: ARG001  (a barrier has no bytes)
    """ℓα."""
    return rounds(p) * k.alpha


@dataclass(frozen=True)
class Model:
    """A row of the table of models. `power_of_two`: the formula holds for such process counts only."""

    operation: str
    algorithm: str
    time: Formula
    bandwidth: Bandwidth
    source: str
    power_of_two: bool = False


#: The table, in the order in which a tie is decided: the plainest algorithm first.
MODELS = (
    Model("bcast", "binomial tree", tree, "one_way", CHAN),
    Model("bcast", "scatter + ring allgather", scatter_ring, "one_way", CHAN),
    Model("bcast", "scatter + recursive doubling", scatter_doubling, "one_way", THAKUR, power_of_two=True),
    Model("bcast", "pipelined chain", chain, "one_way", CHAN),
    Model("reduce", "binomial tree", tree_reduction, "one_way", CHAN),
    Model("reduce", "Rabenseifner", rabenseifner, "one_way", THAKUR, power_of_two=True),
    Model("scatter", "binomial tree", blocks_tree, "one_way", CHAN),
    Model("scatter", "linear", blocks_linear, "one_way", CHAN),
    Model("gather", "binomial tree", blocks_tree, "one_way", CHAN),
    Model("gather", "linear", blocks_linear, "one_way", CHAN),
    Model("allgather", "ring", blocks_linear, "imb", CHAN),
    Model("allgather", "recursive doubling or Bruck", blocks_tree, "imb", THAKUR),
    Model("allreduce", "recursive doubling", tree_reduction, "imb", THAKUR, power_of_two=True),
    Model("allreduce", "Rabenseifner", rabenseifner, "imb", THAKUR, power_of_two=True),
    Model("allreduce", "ring", ring_reduction, "imb", CHAN),
    Model("reduce_scatter", "recursive halving", halving, "imb", THAKUR, power_of_two=True),
    Model("reduce_scatter", "pairwise", pairwise_reduction, "imb", THAKUR),
    Model("reduce_scatter_block", "recursive halving", halving, "imb", THAKUR, power_of_two=True),
    Model("reduce_scatter_block", "pairwise", pairwise_reduction, "imb", THAKUR),
    Model("alltoall", "Bruck", bruck, "imb", BRUCK),
    Model("alltoall", "irecv-isend", blocks_linear, "imb", THAKUR),
    Model("alltoall", "pairwise", blocks_linear, "imb", THAKUR),
    Model("barrier", "dissemination", dissemination, "one_way", BRUCK),
)

#: Which algorithm libraries choose by size, where the BXJ study states it: the largest `bytes` of the engine (of
#: alltoall, what a process sends to each other one) and the algorithm up to it. MPICH's limits, Thakur et al. 2005.
CHOICES: dict[str, tuple[tuple[float, str], ...]] = {
    "alltoall": ((256, "Bruck"), (32768, "irecv-isend"), (inf, "pairwise")),
}

#: Operations whose `bytes` in the engine is the whole vector; that of all others with data is one block.
VECTORS = frozenset({"bcast", "reduce", "allreduce"})


def of(operation: str) -> list[Model]:
    """The models of an operation; none for many operations."""
    return [model for model in MODELS if model.operation == operation]


def chosen(operation: str, size: int) -> str:
    """The algorithm that libraries choose at a size, the engine's `bytes` (CHOICES); empty if no choice is stated."""
    return next((algorithm for limit, algorithm in CHOICES.get(operation, ()) if size <= limit), "")


def table_bytes(operation: str, size: int, processes: int) -> int:
    """n of the formulae from the engine's `bytes` (docs/reference/engine.md).

    bcast, reduce, allreduce: the vector, which is `bytes`. gather, scatter, allgather, reduce_scatter: all p blocks
    together, p·`bytes`. alltoall: what one process sends in all, its own block included (the factor f leaves it out),
    p·`bytes`. barrier: 0.
    """
    return size if operation in VECTORS else processes * size
