# SPDX-License-Identifier: BSD-3-Clause
"""The algorithms of the BXJ study (Luo Hongbing, Zhang Xiaoxia, 2017) as messages and reductions, written out.

A message of m bytes takes α + mβ (Hockney); its packets one after another (LogP: α + (⌈m/w⌉ - 1)·wβ); its bytes one
after another (LogGP: α + (m - 1)β). A process that sends further messages at once starts the next one after the
previous one has left it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log2

#: Messages of a size, one after another, and further ones sent at once.
Step = tuple[float, float, float]


@dataclass(frozen=True)
class Cost:
    """α in µs, β and γ in µs per byte; o in µs and w in bytes of LogP."""

    alpha: float
    beta: float
    gamma: float
    overhead: float
    packet: int


@dataclass(frozen=True)
class Algorithm:
    """`beta`: of one stream (`one_way`), or while all send (`imb`). `hockney`: the printed formula of p, n and costs.

    `steps`: the messages of the longest path; `reduced`: bytes that a process reduces.
    """

    operation: str
    name: str
    beta: str
    hockney: Callable[[int, float, Cost], float]
    steps: Callable[[int, float, Cost], list[Step]]
    reduced: Callable[[int, float], float] = lambda _p, _n: 0.0


def levels(p: int) -> int:
    """⌈log2 p⌉."""
    return ceil(log2(p)) if p > 1 else 0


def _halved(p: int, n: float, _: Cost) -> list[Step]:
    """A tree that hands on the blocks of the larger part, until one process is left."""
    steps, left = [], p
    while left > 1:
        half = 2 ** (levels(left) - 1)
        steps.append((1.0, (left - half) * n / p, 0.0))
        left = half
    return steps


def _rounds(p: int, n: float, _: Cost) -> list[Step]:
    return [(levels(p), n, 0.0)]


def _neighbours(p: int, n: float, _: Cost) -> list[Step]:
    return [(p - 1, n / p, 0.0)]


def _at_once(p: int, n: float, _: Cost) -> list[Step]:
    return [(1.0, n / p, p - 2)] if p > 1 else []


def _segments(p: int, n: float, c: Cost) -> float:
    return max(1.0, ((p - 2) * n * c.beta / c.alpha) ** 0.5)


def _chain(p: int, n: float, c: Cost) -> list[Step]:
    return [(p - 1, n / _segments(p, n, c), _segments(p, n, c) - 1)]


def _chain_time(p: int, n: float, c: Cost) -> float:
    return (p - 2 + _segments(p, n, c)) * (c.alpha + n * c.beta / _segments(p, n, c))


def _both(first: Callable[..., list[Step]], second: Callable[..., list[Step]]) -> Callable[..., list[Step]]:
    return lambda p, n, c: first(p, n, c) + second(p, n, c)


def _all_but_one(p: int, n: float) -> float:
    return n - n / p


def _tree(p: int, n: float, c: Cost) -> float:
    return levels(p) * (c.alpha + n * (c.beta + c.gamma))


def _tree_of_blocks(p: int, n: float, c: Cost) -> float:
    return levels(p) * c.alpha + _all_but_one(p, n) * c.beta


def _one_by_one(p: int, n: float, c: Cost) -> float:
    return (p - 1) * c.alpha + _all_but_one(p, n) * c.beta


def _rabenseifner(p: int, n: float, c: Cost) -> float:
    return 2 * levels(p) * c.alpha + _all_but_one(p, n) * (2 * c.beta + c.gamma)


def _in_rounds(p: int, n: float) -> float:
    return levels(p) * n


ALGORITHMS = (
    Algorithm("bcast", "binomial tree", "one_way", lambda p, n, c: levels(p) * (c.alpha + n * c.beta), _rounds),
    Algorithm("bcast", "scatter + ring allgather", "one_way",
              lambda p, n, c: _tree_of_blocks(p, n, c) + _one_by_one(p, n, c), _both(_halved, _neighbours)),
    Algorithm("bcast", "scatter + recursive doubling", "one_way", lambda p, n, c: 2 * _tree_of_blocks(p, n, c),
              _both(_halved, _halved)),
    Algorithm("bcast", "pipelined chain", "one_way", _chain_time, _chain),
    Algorithm("reduce", "binomial tree", "one_way", _tree, _rounds, _in_rounds),
    Algorithm("reduce", "Rabenseifner", "one_way", _rabenseifner, _both(_halved, _halved), _all_but_one),
    *(Algorithm(name, "binomial tree", "one_way", _tree_of_blocks, _halved) for name in ("scatter", "gather")),
    *(Algorithm(name, "linear", "one_way", _one_by_one, _at_once) for name in ("scatter", "gather")),
    Algorithm("allgather", "ring", "imb", _one_by_one, _neighbours),
    Algorithm("allgather", "recursive doubling or Bruck", "imb", _tree_of_blocks, _halved),
    Algorithm("allreduce", "recursive doubling", "imb", _tree, _rounds, _in_rounds),
    Algorithm("allreduce", "Rabenseifner", "imb", _rabenseifner, _both(_halved, _halved), _all_but_one),
    Algorithm("allreduce", "ring", "imb",
              lambda p, n, c: 2 * _one_by_one(p, n, c) + _all_but_one(p, n) * c.gamma, _both(_neighbours, _neighbours),
              _all_but_one),
    *(algorithm for name in ("reduce_scatter", "reduce_scatter_block") for algorithm in (
        Algorithm(name, "recursive halving", "imb",
                  lambda p, n, c: _tree_of_blocks(p, n, c) + _all_but_one(p, n) * c.gamma, _halved, _all_but_one),
        Algorithm(name, "pairwise", "imb",
                  lambda p, n, c: _one_by_one(p, n, c) + _all_but_one(p, n) * c.gamma, _neighbours, _all_but_one),
    )),
    Algorithm("alltoall", "Bruck", "imb", lambda p, n, c: levels(p) * (c.alpha + n / 2 * c.beta),
              lambda p, n, c: _rounds(p, n / 2, c)),
    Algorithm("alltoall", "irecv-isend", "imb", _one_by_one, _at_once),
    Algorithm("alltoall", "pairwise", "imb", _one_by_one, _neighbours),
    Algorithm("barrier", "dissemination", "one_way", lambda p, _n, c: levels(p) * c.alpha,
              lambda p, _n, c: _rounds(p, 0.0, c)),
)  # fmt: skip


def of(operation: str) -> list[Algorithm]:
    """The algorithms of an operation, the plainest first; of few operations there are none."""
    return [algorithm for algorithm in ALGORITHMS if algorithm.operation == operation]


def chosen(operation: str, size: int) -> str:
    """Alltoall's algorithm by the bytes for each process, as the study states it."""
    if operation != "alltoall":
        return ""
    return "Bruck" if size <= 256 else "irecv-isend" if size <= 2**15 else "pairwise"


def vector(operation: str, size: int, processes: int) -> int:
    """n of the formulas: of bcast, reduce and allreduce the message, of others the blocks of all processes."""
    return size if operation in ("bcast", "reduce", "allreduce") else size * processes


def message(variant: str, size: float, cost: Cost) -> float:
    """µs of one message."""
    if variant == "hockney":
        return cost.alpha + size * cost.beta
    if variant == "logp":
        return cost.alpha + (max(1, ceil(size / cost.packet)) - 1) * cost.packet * cost.beta
    return cost.alpha + max(0.0, size - 1) * cost.beta


def further(variant: str, size: float, cost: Cost) -> float:
    """µs from the start of one message to that of the next one which the same process sends at once."""
    if variant == "logp":
        return max(cost.overhead, max(1, ceil(size / cost.packet)) * cost.packet * cost.beta)
    return max(0.0, size - 1) * cost.beta + max(cost.overhead, cost.packet * cost.beta)


def time(variant: str, algorithm: Algorithm, processes: int, size: float, cost: Cost) -> float:
    """µs of an algorithm, n = `size`, by one of `hockney`, `logp`, `loggp`."""
    if variant == "hockney":
        return algorithm.hockney(processes, size, cost)
    sent = sum(
        count * message(variant, each, cost) + more * (further(variant, each, cost) if more else 0.0)
        for count, each, more in algorithm.steps(processes, size, cost)
    )
    return sent + algorithm.reduced(processes, size) * cost.gamma
