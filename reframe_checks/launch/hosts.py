# SPDX-License-Identifier: BSD-3-Clause
"""Whether the ranks of a launch were on the hosts that were asked for: the raw file says where each one ran."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from isochron.schemas.input.placement import PACKED
from isochron.schemas.run.block_spec import LaunchSpec
from isochron.schemas.run.records import Header, Host


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


def other_cores(headers: Mapping[str, Header], sessions: Mapping[str, str]) -> dict[str, str]:
    """Why launches that measured in turns are refused: a rank had other processors than in the first of its session.

    `headers`: of the accepted launches by name, in their order; `sessions`: the session of each that is in one.
    Returns the reason for every launch of such a session: no ratio of two of them is of the same processors.
    """
    first: dict[str, str] = {}
    reasons: dict[str, str] = {}
    for name in (name for name in headers if name in sessions):
        session = sessions[name]
        reference = first.setdefault(session, name)
        difference = _first_difference(cores_by_rank(headers[name]), cores_by_rank(headers[reference]))
        if difference is not None:
            rank, here, there = difference
            reasons[session] = (
                f"header.bindings: rank {rank} of {name} had {here}, and of {reference} {there}; launches in turns "
                "need the same processors: give all stacks the same binding, or use replication.design: random"
            )
    return {name: reasons[sessions[name]] for name in headers if sessions.get(name) in reasons}


def cores_by_rank(header: Header) -> dict[int, str]:
    """Host and processors of each rank, as text."""
    return {
        rank: f"processors {binding['cpus']} of {binding['host']}"
        for binding in header.bindings
        for rank in parse_ranks(binding["ranks"])
    }


def _first_difference(one: dict[int, str], other: dict[int, str]) -> tuple[int, str, str] | None:
    for rank in sorted(one.keys() | other.keys()):
        here, there = one.get(rank, "none"), other.get(rank, "none")
        if here != there:
            return rank, here, there
    return None
