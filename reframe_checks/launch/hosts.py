# SPDX-License-Identifier: BSD-3-Clause
"""Check that the ranks of a launch ran on the requested hosts, by the hosts in the raw file."""

from collections.abc import Mapping
from itertools import pairwise

from isochron.schemas.input.placement import PACKED
from isochron.schemas.run.binding import parse_numbers
from isochron.schemas.run.block_spec import LaunchSpec
from isochron.schemas.run.records import Header, Host


def wrong_hosts(hosts: list[Host], asked_hosts: str, launch: LaunchSpec) -> list[str]:
    """List the ranks on wrong hosts. `asked_hosts`: the requested hosts, as in the header of the launch."""
    host_of = {rank: host.name for host in hosts for rank in parse_numbers(host.ranks)}
    problems = [
        f"header.hosts: {len(ranks)} ranks on {host.name}, but {launch.processes_per_node} per node were planned"
        for host in hosts
        if len(ranks := parse_numbers(host.ranks)) > launch.processes_per_node
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


def different_processors(headers: Mapping[str, Header], sessions: Mapping[str, str]) -> dict[str, str]:
    """Return why launches in turns are refused: a rank ran on other processors than in the first of its session.

    `headers`: of the accepted launches by name, in their order; `sessions`: their sessions. All launches of such a
    session are refused, since none of their ratios is of the same processors.
    """
    references: dict[str, str] = {}
    reasons: dict[str, str] = {}
    for name in headers:
        session = sessions[name]
        reference = references.setdefault(session, name)
        difference = _first_difference(processors_by_rank(headers[name]), processors_by_rank(headers[reference]))
        if difference is not None:
            rank, here, there = difference
            reasons[session] = (
                f"header.bindings: rank {rank} of {name} had {here}, and of {reference} {there}; launches in turns "
                "need the same processors: give all stacks the same binding, or use replication.design: random"
            )
    return {name: reasons[sessions[name]] for name in headers if sessions[name] in reasons}


def processors_by_rank(header: Header) -> dict[int, str]:
    """Return host and processors of each rank, as text."""
    return {
        rank: f"processors {binding['cpus']} of {binding['host']}"
        for binding in header.bindings
        for rank in parse_numbers(binding["ranks"])
    }


def _first_difference(one: dict[int, str], other: dict[int, str]) -> tuple[int, str, str] | None:
    for rank in sorted(one.keys() | other.keys()):
        here, there = one.get(rank, "none"), other.get(rank, "none")
        if here != there:
            return rank, here, there
    return None
