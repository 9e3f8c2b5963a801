# SPDX-License-Identifier: BSD-3-Clause
"""The uses of MPI by a program, in terms of a campaign: the matching case of each call, and calls without one.

A message consists of several calls: a send, a receive, and waiting for either. It is counted once, by its send, with
the time of all of them.
"""

from dataclasses import dataclass

from isochron.schemas.engine.contract import BLOCKING, NONBLOCKING, WITHOUT_DATA
from isochron.schemas.profile.profile import CallClass, Profile

SENDS = frozenset({"send", "ssend", "bsend", "rsend", "isend", "issend", "ibsend", "irsend"})
RECEIVES = frozenset({"recv", "mrecv", "irecv", "imrecv", "probe", "iprobe", "mprobe", "improbe"})
REQUESTS = frozenset({"wait", "waitall", "waitany", "waitsome", "test", "testall", "testany", "testsome"})
EXCHANGES = {"sendrecv": "sendrecv", "sendrecv_replace": "sendrecv"}

#: Operations that measure a message: between all processes at once, else between two.
MESSAGE = ("multi-ping-pong", "ping-pong")
MESSAGES = "messages"

#: Bytes at which a message has about half its bandwidth (Hockney's n½); used to divide the time of a use among its
#: parts.
HALF_SPEED = 8192

OVERLAP = "overlaps with the work of the program, which no case does"
UNKNOWN = "not an operation of a campaign"
ALONE = "between fewer than two processes"
EMPTY = "moves no data"


@dataclass(frozen=True)
class Part:
    """Calls with one matching case. `operations`: its names, the best first; `calls`: mean number per process."""

    operations: tuple[str, ...]
    bytes: int
    processes: int
    calls: float


@dataclass(frozen=True)
class Use:
    """Calls whose total time is known, divided into parts.

    `seconds`: mean per process. `reason`: why a campaign cannot predict their time; empty if it can.
    """

    name: str
    bytes: int
    processes: int
    seconds: float
    parts: tuple[Part, ...]
    reason: str = ""

    @property
    def shares(self) -> list[tuple[Part, float]]:
        """The parts with their shares of the time, by calls and bytes; the shares add up to 1."""
        costs = [part.calls * (HALF_SPEED + part.bytes) for part in self.parts]
        return [(part, cost / sum(costs)) for part, cost in zip(self.parts, costs, strict=True)]


def uses(profile: Profile) -> list[Use]:
    """Return all communication of a program, longest time first."""
    classes, counted = profile.communication, profile.counted
    result = [_single(entry, counted) for entry in classes if entry.operation not in SENDS | RECEIVES | REQUESTS]
    transfers = [entry for entry in classes if entry.operation in SENDS | RECEIVES]
    messages = [entry for entry in transfers if entry.processes != 1]
    to_self = (entry for entry in transfers if entry.processes == 1)
    result += [Use(entry.operation, entry.bytes, 1, entry.seconds / counted, (), ALONE) for entry in to_self]
    requests = [entry for entry in classes if entry.operation in REQUESTS]
    if any(entry.operation in NONBLOCKING or entry.operation in ("start", "startall") for entry in classes):
        # A wait may be for a message or for one of these operations; the profile does not distinguish them.
        result += [Use(entry.operation, 0, 0, entry.seconds / counted, (), OVERLAP) for entry in requests]
    else:
        messages += requests
    if messages:
        result.append(_messages(messages, counted))
    return sorted(result, key=lambda use: (-use.seconds, use.name, use.processes, use.bytes))


def _single(entry: CallClass, counted: int) -> Use:
    operation = EXCHANGES.get(entry.operation, entry.operation)
    part = Part((operation,), entry.bytes, entry.processes, entry.calls / counted)
    measured = operation in (*BLOCKING, *NONBLOCKING, "sendrecv")
    reason = (
        UNKNOWN
        if not measured
        else ALONE
        if entry.processes < 2
        else EMPTY
        if not entry.bytes and operation not in WITHOUT_DATA
        else ""
    )
    parts = () if reason else (part,)
    late = OVERLAP if operation in NONBLOCKING else ""
    return Use(entry.operation, entry.bytes, entry.processes, entry.seconds / counted, parts, reason or late)


def _messages(classes: list[CallClass], counted: int) -> Use:
    """Return the use of all messages. Those without a partner take almost no time, and are not a part."""
    parts = tuple(
        Part(MESSAGE, entry.bytes, entry.processes, entry.calls / counted)
        for entry in classes
        if entry.operation in SENDS and entry.processes > 1
    )
    seconds = sum(entry.seconds for entry in classes) / counted
    return Use(MESSAGES, 0, 0, seconds, parts, "" if parts else ALONE)
