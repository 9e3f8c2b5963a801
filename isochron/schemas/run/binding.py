# SPDX-License-Identifier: BSD-3-Clause
"""Whether processes and their threads had cores of their own, by their processors and by what their nodes consist of.

The raw file has the processors that each rank may use; the provenance of the launch has the threads of each core, the
sockets, the NUMA domains and the processors of the job (reframe_checks/launch/node_facts.sh). Where a node recorded no
threads of cores, each of its processors counts as a core.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from isochron.schemas.run.provenance import Facts
from isochron.schemas.run.records import Header

#: What is wrong: more processes than processors, than cores, or processes that share cores which suffice for all.
Sharing = Literal["processors", "cores", "unbound"]


def parse_numbers(text: str) -> list[int]:
    """Parse a list of ranks or processors such as `0-3,8`."""
    numbers: list[int] = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def _parse(text: str) -> list[int]:
    """Parse a list that a node recorded; empty if it is none."""
    try:
        return parse_numbers(text)
    except ValueError:
        return []


@dataclass(frozen=True)
class NodeShape:
    """The processors of a node: all, those of the job, the core of each, and those of each socket and NUMA domain.

    Empty: not recorded.
    """

    online: frozenset[int] = frozenset()
    job: frozenset[int] = frozenset()
    core_of: Mapping[int, int] = field(default_factory=dict)
    sockets: Sequence[frozenset[int]] = ()
    domains: Sequence[frozenset[int]] = ()

    @classmethod
    def of(cls, facts: Facts) -> "NodeShape":
        """Return the shape that the facts of a node describe."""
        threads = [_parse(numbers) for numbers in facts.get("smt_threads", "").split()]
        core_of = {thread: siblings[0] for siblings in zip(*threads, strict=False) for thread in siblings}
        sockets, domains = (
            [frozenset(_parse(numbers)) for numbers in facts.get(name, "").split()]
            for name in ("socket_cpus", "numa_cpus")
        )
        online, job = (frozenset(_parse(facts.get(name, ""))) for name in ("cpus_online", "job_cpus"))
        return cls(online, job, core_of, sockets, [domain for domain in domains if domain])

    def cores(self, processors: frozenset[int]) -> frozenset[int]:
        """Return the cores of some processors, each as its first thread."""
        return frozenset(self.core_of.get(processor, processor) for processor in processors)

    @property
    def restricted(self) -> bool:
        """Whether the job has not all processors of the node."""
        return bool(self.job and self.job < self.online)


@dataclass(frozen=True)
class NodeBinding:
    """The processes of a launch on one node: the processors of each, how many can run at once, and what they share.

    With several `threads` in each process, it is these that run, and `apart` is their number.
    """

    host: str
    processors: Sequence[frozenset[int]]
    shape: NodeShape
    apart: int
    sharing: Sharing | None
    threads: int = 1

    @property
    def needed(self) -> int:
        """The number of cores that the processes need."""
        return len(self.processors) * self.threads

    @property
    def words(self) -> str:
        """What the processes have, for people."""
        count, cores = len(self.processors), len(self.shape.cores(frozenset().union(*self.processors)))
        used = frozenset().union(*self.processors)
        beginning = f"{count} processes of {self.host}"
        if self.threads > 1:
            beginning = f"{self.needed} threads of {_count(count, 'process')} of {self.host}"
        if self.sharing == "processors":
            return f"{beginning} share {_count(self.apart, 'processor')} ({format_numbers(used)})"
        if self.sharing == "cores":
            return (
                f"{beginning} share {_count(self.apart, 'core')}: processors {format_numbers(used)} are "
                "threads of the same cores (SMT)"
            )
        if self.sharing == "unbound":
            return f"{beginning} may move among the same {_count(cores, 'core')} ({format_numbers(used)})"
        return f"{beginning} have cores of their own{self._where(used)}"

    @property
    def cause(self) -> str:
        """Why processes share cores, as far as it is known; empty if it is not."""
        if self.sharing is None:
            return ""
        if self.lacks_node:
            return (
                f"the job has processors {format_numbers(self.shape.job)} of {format_numbers(self.shape.online)} "
                "(cgroup): it has not the whole node"
            )
        if self.sharing == "unbound":
            return "the launcher does not bind processes"
        enough = len(self.shape.cores(self.shape.job or self.shape.online)) >= self.needed
        return "the launcher binds them to these, although there are enough cores" if enough else ""

    @property
    def lacks_node(self) -> bool:
        """Whether processes share cores because the job has only a part of the node."""
        too_few = len(self.shape.cores(self.shape.job)) < self.needed
        return self.sharing is not None and self.shape.restricted and too_few

    @property
    def could_have_own(self) -> bool:
        """Whether processes cannot all run at once on cores of their own, and the node is known to have enough."""
        return self.sharing in ("processors", "cores") and len(self.shape.cores(self.shape.online)) >= self.needed

    def _where(self, used: frozenset[int]) -> str:
        parts = [
            f"{sum(bool(used & part) for part in parts)} of {len(parts)} {name}"
            for name, parts in (("sockets", self.shape.sockets), ("NUMA domains", self.shape.domains))
            if len(parts) > 1
        ]
        return f", on {', '.join(parts)}" if parts else ""


def node_bindings(header: Header, nodes: Mapping[str, Facts]) -> list[NodeBinding]:
    """Return the binding on each node of a launch, in the order of the raw file; nodes without it are left out.

    `nodes`: facts by host.
    """
    processors: dict[str, list[frozenset[int]]] = {}
    for entry in header.bindings:
        own = frozenset(_parse(entry.get("cpus", "")))
        if own:
            ranks = _parse(entry.get("ranks", ""))
            processors.setdefault(entry.get("host", ""), []).extend([own] * len(ranks))
    threads = max(1, int(header.options.get("threads") or 0))
    return [_bound(host, own, NodeShape.of(nodes.get(host, {})), threads) for host, own in processors.items()]


def _bound(host: str, processors: Sequence[frozenset[int]], shape: NodeShape, threads: int) -> NodeBinding:
    cores = [shape.cores(own) for own in processors]
    on_processors, on_cores = (
        most_apart([places for places in each for _ in range(threads)]) for each in (processors, cores)
    )
    needed = len(processors) * threads
    sharing: Sharing | None = None
    if on_processors < needed:
        return NodeBinding(host, processors, shape, on_processors, "processors", threads)
    if on_cores < needed:
        sharing = "cores"
    elif sum(map(len, cores)) > len(frozenset().union(*cores)):
        sharing = "unbound"
    return NodeBinding(host, processors, shape, on_cores, sharing, threads)


def most_apart(places: Sequence[frozenset[int]]) -> int:
    """Return how many processes can each have a place of its own at once, of the places that each may use.

    It is the largest matching of processes with places (Kuhn 1955; augmenting paths).
    """
    holder: dict[int, int] = {}
    return sum(_seated(process, places, holder) for process in range(len(places)))


def _seated(process: int, places: Sequence[frozenset[int]], holder: dict[int, int]) -> bool:
    """Give a process a place, moving others along an augmenting path; return False if there is none."""
    came_from: dict[int, int] = {}  # place -> the process that wants it
    queue = [process]
    for wanting in queue:
        for place in sorted(places[wanting].difference(came_from)):
            came_from[place] = wanting
            if place in holder:
                queue.append(holder[place])
                continue
            _move(place, process, came_from, holder)
            return True
    return False


def _move(place: int, process: int, came_from: Mapping[int, int], holder: dict[int, int]) -> None:
    """Give the free place to the process that wants it, whose own goes to the one before, up to `process`."""
    before = {who: seat for seat, who in holder.items()}
    while True:
        mover = came_from[place]
        left = before.get(mover)
        holder[place] = mover
        if mover == process or left is None:
            return
        place = left


def format_numbers(numbers: frozenset[int]) -> str:
    """Format a set of numbers as the kernel does: `0-3,8`."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 'es' if noun.endswith('s') else 's'}"
