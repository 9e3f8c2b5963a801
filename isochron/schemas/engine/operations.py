# SPDX-License-Identifier: BSD-3-Clause
"""Names of the operations that the engine can measure, by group, as its description has them."""

from __future__ import annotations

from isochron.common.files import suggest
from isochron.schemas.engine.contract import contract

_SHOWN = [each for each in contract().operations if not each.hidden]


def _group(group: str) -> tuple[str, ...]:
    return tuple(each.name for each in _SHOWN if each.group == group)


BLOCKING = _group("blocking")
NONBLOCKING = _group("nonblocking")
MESSAGES = tuple(name for name in _group("point-to-point") if not name.startswith("multi-"))
MULTI = tuple(name for name in _group("point-to-point") if name.startswith("multi-"))
TRANSFERS = _group("transfers")
TOPOLOGIES = _group("topologies")
WAIT_PATTERNS = _group("wait-patterns")
BASIC = _group("basic")
#: Operations for tests and exhibits, which no list shows.
HIDDEN = tuple(each.name for each in contract().operations if each.hidden)
OPERATIONS = tuple(each.name for each in _SHOWN)

#: Operations that are measured once a launch, whatever the sizes, with bytes = 0.
WITHOUT_DATA = frozenset(each.name for each in _SHOWN if not each.data)

#: Operations for which a bandwidth is defined.
MOVED = frozenset(each.name for each in _SHOWN if each.moved)

#: A run is there and back, and what is told is half of it, the time of one message, as PMB, IMB and OSU print it.
HALVED = frozenset({"ping-pong", "multi-ping-pong", "transfer-1"})

#: Blocking operations with a root, which every scheme can let rotate.
ROOTED = frozenset(each.name for each in _SHOWN if each.root and each.group == "blocking")


def cases(operations: list[str], sizes: list[int]) -> list[tuple[str, int]]:
    """The (operation, bytes) rows that one launch must hold."""
    return [(operation, size) for operation in operations for size in ([0] if operation in WITHOUT_DATA else sizes)]


def known_operations(names: list[str]) -> list[str]:
    """`names`, where all are operations; else ValueError, with a line for each that is none."""
    unknown = [name for name in names if name not in (*OPERATIONS, *HIDDEN)]
    hints = [suggest(name, OPERATIONS) or f"; the operations are {', '.join(OPERATIONS)}" for name in unknown]
    if unknown:
        raise ValueError("\n".join(f"unknown operation '{a}'{hint}" for a, hint in zip(unknown, hints, strict=True)))
    return names
