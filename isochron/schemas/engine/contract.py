# SPDX-License-Identifier: BSD-3-Clause
"""The engine's contract: its options with limits and relations, and its operations by group.

`description.json` of the engine is what `isochron-engine --describe json` prints (a test compares); nothing of it is
written again here.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from pydantic import ConfigDict, Field, TypeAdapter

from isochron.common.files import read_bytes, suggest
from isochron.common.resources import shipped
from isochron.schemas.base import Record

#: What a relation speaks of: a word, a number, a flag; None where it is not known.
Fact = str | float | bool | None


class Described(Record):
    """A part of the description. A newer engine may say more."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Condition(Described):
    """`left` stands in the relation `is` to `right` (a number or a fact), `factor` and `times` multiplied in."""

    left: str
    is_: str = Field(alias="is")
    right: str | float | None = None
    words: list[str] = Field(default=[])
    factor: float = 1.0
    times: str | None = None


class Number(Described):
    """A number in a form of a text option."""

    name: str
    kind: Literal["integer", "real"]
    low: float
    high: float


class Form(Described):
    """One way to write a text option: a bare word, `word:N:N`, `word:N@N,…`, or `word:TEXT`."""

    word: str
    kind: Literal["word", "numbers", "pieces", "text"]
    numbers: list[Number]
    rules: list[Condition]
    most: int | None = None


class Option(Described):
    """One option of the engine; `value` is the placeholder of a text."""

    name: str
    kind: Literal["integer", "real", "choice", "text", "flag", "pairs"]
    default: str | float | bool | None = None
    low: float | None = None
    high: float | None = None
    choices: list[str] = Field(default=[])
    forms: list[Form] = Field(default=[])
    value: str | None = None
    help: str | None = None


class Relation(Described):
    """Where all of `when` holds, `require` must; else the launch is refused, or the row is not supported."""

    name: str
    scope: Literal["options", "launch", "operation", "case"]
    effect: Literal["refused", "not-supported"]
    when: list[Condition]
    require: Condition
    text: str


class Datatype(Described):
    """A basic datatype."""

    name: str
    bytes: int


class Operation(Described):
    """What an operation is, as far as it decides about options, sizes and processes."""

    name: str
    group: str
    shape: Literal["no-data", "vector", "blocks"]
    data: bool
    root: bool
    reduces: bool
    fixed: bool
    varied: bool
    in_place: bool
    large_counts: bool
    persistent: bool
    unprepared: bool
    plain_sends: bool
    hidden: bool
    moved: int
    needs_processes: int


class Limits(Described):
    """Lengths of lists."""

    sizes: int


class Contract(Described):
    """The whole description."""

    schema_version: Literal[1] = Field(alias="schema")
    options: list[Option]
    limits: Limits
    relations: list[Relation]
    datatypes: list[Datatype]
    operations: list[Operation]

    def option(self, name: str) -> Option:
        """An option by its name, with dashes or underscores. Raises KeyError."""
        wanted = name.replace("_", "-")
        for option in self.options:
            if option.name == wanted:
                return option
        raise KeyError(wanted)


@cache
def contract() -> Contract:
    """The description that comes with Isochron."""
    return TypeAdapter(Contract).validate_json(read_bytes(shipped("reframe_checks", "engine", "description.json")))


@cache
def operation(name: str) -> Operation:
    """An operation by its name. Raises KeyError."""
    return {each.name: each for each in contract().operations}[name]


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
