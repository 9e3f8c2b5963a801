# SPDX-License-Identifier: BSD-3-Clause
"""Pairs of hosts that send at the same time, and the links of a trunk that they share."""

from collections import defaultdict
from collections.abc import Sequence

from isochron.common.text import natural
from isochron.schemas.input.machine import Machine

#: Pairs from which on two orders of them can use different numbers of links.
MIN_PAIRS = 4


def pairs_by_link(machine: Machine, hosts: Sequence[str]) -> dict[int, list[str]]:
    """Pairs between two groups of a described machine (`n0–n16`) by the number of their link in its trunk, in order.

    `hosts`: the host of each rank; ranks 0 and 1 are a pair, 2 and 3, and so on. Hosts that the machine does not
    describe are in no pair.
    """
    topology, size = machine.topology, machine.topology.nodes_per_group
    links: dict[int, list[str]] = defaultdict(list)
    for one, other in zip(hosts[::2], hosts[1::2], strict=False):
        source, target = machine.node_index(one), machine.node_index(other)
        if source is not None and target is not None and source // size != target // size:
            ends = (topology.address(*divmod(index, size)) for index in (source, target))
            links[topology.link(*ends)].append(f"{one}–{other}")
    return dict(sorted(links.items()))


def orders_that_tell(one: Sequence[str], other: Sequence[str]) -> dict[str, list[str]]:
    """Return two orders of the hosts of two sites, whose pairs use different numbers of links; none of too few hosts.

    Aggregated links are selected by the low bits of (source XOR target), and the address of a host is a first one plus
    a step times its number. In `like-numbers` the lowest bit that differs between hosts is the same in all pairs: they
    use half of 2^k links at most, whatever the first addresses. In `even-first` the hosts of the other site are taken
    in steps of two, first 0, 2, 4 …, then 1, 3, 5 …: they use at least twice as many, unless the bits that select
    a link are the same for all hosts.
    """
    first, second = sorted(one, key=natural), sorted(other, key=natural)
    count = min(len(first), len(second))
    if count < MIN_PAIRS:
        return {}
    numbers = {"like-numbers": list(range(count)), "even-first": [*range(0, count, 2), *range(1, count, 2)]}
    return {
        name: [host for index, partner in enumerate(partners) for host in (first[index], second[partner])]
        for name, partners in numbers.items()
    }
