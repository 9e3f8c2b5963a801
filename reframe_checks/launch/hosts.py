# SPDX-License-Identifier: BSD-3-Clause
"""Check that the ranks of a launch ran on the requested hosts, by the hosts in the raw file."""

from __future__ import annotations

from itertools import pairwise

from isochron.schemas.input.placement import PACKED
from isochron.schemas.run.block_spec import LaunchSpec
from isochron.schemas.run.records import Host


def parse_ranks(text: str) -> list[int]:
    """Parse a list of ranks such as `0-3,8`."""
    ranks: list[int] = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        ranks += range(int(first), int(last or first) + 1)
    return ranks


def wrong_hosts(hosts: list[Host], asked_hosts: str, launch: LaunchSpec) -> list[str]:
    """List the ranks on wrong hosts. `asked_hosts`: the requested hosts, as in the header of the launch."""
    host_of = {rank: host.name for host in hosts for rank in parse_ranks(host.ranks)}
    problems = [
        f"header.hosts: {len(ranks)} ranks on {host.name}, but {launch.processes_per_node} per node were planned"
        for host in hosts
        if len(ranks := parse_ranks(host.ranks)) > launch.processes_per_node
    ]
    ran = [host_of.get(rank, "no host") for rank in range(launch.processes)]
    if launch.placement == PACKED:
        blocks = 1 + sum(host != before for before, host in pairwise(ran))
        if blocks > launch.nodes:
            problems.append(f"header.hosts: the ranks do not fill node after node ({', '.join(ran)})")
        return problems
    names = asked_hosts.split(",")
    planned = list(dict.fromkeys(launch.rank_hosts))
    if len(names) != len(planned):
        return [*problems, f"header.launch.asked_hosts: {len(names)} hosts, but {len(planned)} were planned"]
    requested = dict(zip(planned, names, strict=True))
    wrong = [rank for rank, planned_host in enumerate(launch.rank_hosts) if ran[rank] != requested[planned_host]]
    if wrong:
        where = f"rank {wrong[0]} ran on {ran[wrong[0]]}, but {requested[launch.rank_hosts[wrong[0]]]} was requested"
        problems.append(
            f"header.hosts: {where} (placement {launch.placement}, {len(wrong)} of {len(ran)} ranks elsewhere)"
        )
    return problems
