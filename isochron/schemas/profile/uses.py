# SPDX-License-Identifier: BSD-3-Clause
"""What a program uses of MPI, in the words of a campaign: which case stands for which calls, and what none stands for.

A message is several calls: a send, a receive, and waiting for either. It stands once, as the one that was sent, for the
time of all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from isochron.schemas.engine.contract import BLOCKING, NONBLOCKING, WITHOUT_DATA
from isochron.schemas.profile.profile import CallClass, Profile

SENDS = frozenset({"send", "ssend", "bsend", "rsend", "isend", "issend", "ibsend", "irsend"})
RECEIVES = frozenset({"recv", "mrecv", "irecv", "imrecv", "probe", "iprobe", "mprobe", "improbe"})
REQUESTS = frozenset({"wait", "waitall", "waitany", "waitsome", "test", "testall", "testany", "testsome"})
EXCHANGES = {"sendrecv": "sendrecv", "sendrecv_replace": "sendrecv"}

#: What a message is measured as: by all processes at once, else between two.
MESSAGE = ("multi-ping-pong", "ping-pong")
MESSAGES = "messages"

#: Bytes at which a message has half its bandwidth (Hockney's n½), roughly: by it the time of a use is shared out.
HALF_SPEED = 8192

OVERLAP = "overlaps with the work of the program, which no case does"
UNKNOWN = "not an operation of a campaign"
ALONE = "between fewer than two processes"
EMPTY = "moves no data"


@dataclass(frozen=True)
class Part:
    """Calls that one case stands for. `operations`: its names, the best first; `calls`: of a process, in the mean."""

    operations: tuple[str, ...]
    bytes: int
    processes: int
    calls: float


@dataclass(frozen=True)
class Use:
    """Calls whose time is known together, and the parts that they consist of.

    `seconds`: of a process, in the mean. `reason`: why no time of a campaign says what they would take; else empty.
    """

    name: str
    bytes: int
    processes: int
    seconds: float
    parts: tuple[Part, ...]
    reason: str = ""

    @property
    def shares(self) -> list[tuple[Part, float]]:
        """The parts with what each has of the time, by their calls and bytes: they add up to 1."""
        costs = [part.calls * (HALF_SPEED + part.bytes) for part in self.parts]
        return [(part, cost / sum(costs)) for part, cost in zip(self.parts, costs, strict=True)]


def uses(profile: Profile) -> list[Use]:
    """All communication of a program, what takes the longest first."""
    classes, made = profile.communication, profile.counted
    found = [_single(each, made) for each in classes if each.operation not in SENDS | RECEIVES | REQUESTS]
    transfers = [each for each in classes if each.operation in SENDS | RECEIVES]
    messages = [each for each in transfers if each.processes != 1]
    own = (each for each in transfers if each.processes == 1)
    found += [Use(each.operation, each.bytes, 1, each.seconds / made, (), ALONE) for each in own]
    requests = [each for each in classes if each.operation in REQUESTS]
    if any(each.operation in NONBLOCKING or each.operation in ("start", "startall") for each in classes):
        # Whether a wait is for a message or for one of those cannot be told.
        found += [Use(each.operation, 0, 0, each.seconds / made, (), OVERLAP) for each in requests]
    else:
        messages += requests
    if messages:
        found.append(_messages(messages, made))
    return sorted(found, key=lambda use: (-use.seconds, use.name, use.processes, use.bytes))


def _single(each: CallClass, made: int) -> Use:
    operation = EXCHANGES.get(each.operation, each.operation)
    part = Part((operation,), each.bytes, each.processes, each.calls / made)
    measured = operation in (*BLOCKING, *NONBLOCKING, "sendrecv")
    reason = (
        UNKNOWN
        if not measured
        else ALONE
        if each.processes < 2
        else EMPTY
        if not each.bytes and operation not in WITHOUT_DATA
        else ""
    )
    parts = () if reason else (part,)
    late = OVERLAP if operation in NONBLOCKING else ""
    return Use(each.operation, each.bytes, each.processes, each.seconds / made, parts, reason or late)


def _messages(classes: list[CallClass], made: int) -> Use:
    """All messages of a program. Those to no partner take no time to speak of, and are no part."""
    parts = tuple(
        Part(MESSAGE, each.bytes, each.processes, each.calls / made)
        for each in classes
        if each.operation in SENDS and each.processes > 1
    )
    seconds = sum(each.seconds for each in classes) / made
    return Use(MESSAGES, 0, 0, seconds, parts, "" if parts else ALONE)
