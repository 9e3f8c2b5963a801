# SPDX-License-Identifier: BSD-3-Clause
"""The same algorithms under LogP and LogGP: which messages are on their longest path, and what each takes.

LogP (D. Culler et al.: LogP: towards a realistic model of parallel computation. PPoPP 1993): a message is packets of w
bytes; latency L, overhead o on either side, gap g between packets. LogGP (A. Alexandrov et al.: LogGP: incorporating
long messages into the LogP model. SPAA 1995): a message of m bytes takes L + 2o + (m - 1)G, and a process that sends
further ones at once starts the next one after (m - 1)G + max(o, g). Here L + 2o is Hockney's α, G his β, and g = wG.
Under Hockney's model each of these messages takes α + mβ; that their sum is the formula of the registry is a test.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, sqrt

from isochron.postprocess.estimate.models import cost_models as registry
from isochron.postprocess.estimate.models.cost_models import Costs, Formula, Model, rounds

HOCKNEY, LOGP, LOGGP = "Hockney", "LogP", "LogGP"
VARIANTS = (HOCKNEY, LOGP, LOGGP)


@dataclass(frozen=True)
class Messages:
    """`count` messages of `bytes`, each after the one before; then `further` ones that their sender sends at once."""

    count: float
    bytes: float
    further: float = 0.0


@dataclass(frozen=True)
class Wire:
    """What LogP has beside `Costs`: overhead o of a processor with a message in µs, and bytes w of a packet."""

    overhead: float
    packet: int


#: (processes, n, costs) → the messages of the longest path.
Path = Callable[[int, float, Costs], list[Messages]]


def _whole(p: int, n: float, _: Costs) -> list[Messages]:
    return [Messages(rounds(p), n)]


def _blocks(p: int, n: float, _: Costs) -> list[Messages]:
    """Halves of what is left: of the largest subtree what does not fill it, then powers of two, down to one block."""
    if p < 2:
        return []
    half = 1 << (rounds(p) - 1)
    subtrees = [p - half, *(half >> step for step in range(1, rounds(p)))]
    return [Messages(1, blocks * n / p) for blocks in subtrees]


def _ring(p: int, n: float, _: Costs) -> list[Messages]:
    return [Messages(p - 1, n / p)]


def _one_to_all(p: int, n: float, _: Costs) -> list[Messages]:
    return [Messages(1, n / p, further=p - 2)] if p > 1 else []


def _chain(p: int, n: float, k: Costs) -> list[Messages]:
    segments = max(1.0, sqrt((p - 2) * n * k.beta / k.alpha))
    return [Messages(p - 1, n / segments, further=segments - 1)]


def _halves(p: int, n: float, _: Costs) -> list[Messages]:
    return [Messages(rounds(p), n / 2)]


def _empty(p: int, n: float, _: Costs) -> list[Messages]:  # noqa: ARG001  (a barrier has no bytes)
    return [Messages(rounds(p), 0.0)]


def _then(*paths: Path) -> Path:
    return lambda p, n, k: [each for path in paths for each in path(p, n, k)]


#: By the registry's formula; a linear scatter or gather and irecv-isend send at once; ring and pairwise do not.
PATHS: dict[Formula, Path] = {
    registry.tree: _whole,
    registry.tree_reduction: _whole,
    registry.scatter_ring: _then(_blocks, _ring),
    registry.scatter_doubling: _then(_blocks, _blocks),
    registry.chain: _chain,
    registry.rabenseifner: _then(_blocks, _blocks),
    registry.blocks_tree: _blocks,
    registry.blocks_linear: _one_to_all,
    registry.ring_reduction: _then(_ring, _ring),
    registry.halving: _blocks,
    registry.pairwise_reduction: _ring,
    registry.bruck: _halves,
    registry.dissemination: _empty,
}
#: A process has one message under way; in the other algorithms of the same formula it sends all at once.
ONE_AT_A_TIME = ("ring", "pairwise")


def path(model: Model, processes: int, size: float, costs: Costs) -> list[Messages]:
    """The messages of the longest path of a model; `size` is n of its formula."""
    in_turn = model.algorithm in ONE_AT_A_TIME and model.time is registry.blocks_linear
    build = _ring if in_turn else PATHS[model.time]
    return build(processes, size, costs)


def logp(messages: Messages, costs: Costs, wire: Wire) -> float:
    """µs: L + 2o + (packets - 1)·g for each message in turn, max(o, packets·g) for each further one."""
    packets = max(1, ceil(messages.bytes / wire.packet))
    gap = wire.packet * costs.beta
    one = costs.alpha + (packets - 1) * gap
    return messages.count * one + messages.further * max(wire.overhead, packets * gap)


def loggp(messages: Messages, costs: Costs, wire: Wire) -> float:
    """µs: L + 2o + (m - 1)G for each message in turn, (m - 1)G + max(o, g) for each further one."""
    long = max(0.0, messages.bytes - 1) * costs.beta
    return messages.count * (costs.alpha + long) + messages.further * (
        long + max(wire.overhead, wire.packet * costs.beta)
    )


def time(variant: str, model: Model, processes: int, size: float, costs: Costs, wire: Wire) -> float:
    """µs of a model under one of VARIANTS; reductions take what they take under Hockney's."""
    if variant == HOCKNEY:
        return model.time(processes, size, costs)
    of = {LOGP: logp, LOGGP: loggp}[variant]
    reducing = model.time(processes, size, Costs(0.0, 0.0, costs.gamma)) if costs.gamma else 0.0
    return reducing + sum(of(each, costs, wire) for each in path(model, processes, size, costs))
