# SPDX-License-Identifier: BSD-3-Clause
"""Whether the ranks of a launch were on the hosts that were asked for: the raw file says where each one ran."""

from __future__ import annotations

from itertools import pairwise

from isochron.schemas.input.placement import PACKED
from isochron.schemas.run.block_spec import LaunchSpec
from isochron.schemas.run.records import Host


def parse_ranks(text: str) -> list[int]:
    """Ranks of a list such as `0-3,8`."""
    ranks: list[int] = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        ranks += range(int(first), int(last or first) + 1)
    return ranks


def wrong_hosts(hosts: list[Host], asked_hosts: str, launch: LaunchSpec) -> list[str]:
    """Every reason why the ranks are not where they were to be. `asked_hosts`: as the header of the launch has them."""
    host_of = {rank: host.name for host in hosts for rank in parse_ranks(host.ranks)}
    found = [
        f"header.hosts: {len(ranks)} ranks on {host.name}, but {launch.processes_per_node} per node were planned"
        for host in hosts
        if len(ranks := parse_ranks(host.ranks)) > launch.processes_per_node
    ]
    ran = [host_of.get(rank, "no host") for rank in range(launch.processes)]
    if launch.placement == PACKED:
        blocks = 1 + sum(host != before for before, host in pairwise(ran))
        if blocks > launch.nodes:
            found.append(f"header.hosts: the ranks do not fill node after node ({', '.join(ran)})")
        return found
    names = asked_hosts.split(",")
    places = list(dict.fromkeys(launch.rank_hosts))
    if len(names) != len(places):
        return [*found, f"header.launch.asked_hosts: {len(names)} hosts, but {len(places)} were planned"]
    asked = dict(zip(places, names, strict=True))
    wrong = [rank for rank, place in enumerate(launch.rank_hosts) if ran[rank] != asked[place]]
    if wrong:
        where = f"rank {wrong[0]} ran on {ran[wrong[0]]}, but {asked[launch.rank_hosts[wrong[0]]]} was requested"
        found.append(
            f"header.hosts: {where} (placement {launch.placement}, {len(wrong)} of {len(ran)} ranks elsewhere)"
        )
    return found
