# SPDX-License-Identifier: BSD-3-Clause
"""The engine's contract: its options with limits and relations, and its operations by group.

`description.json` of the engine is what `isochron-engine --describe json` prints (a test compares); nothing of it is
repeated here.
"""

from collections.abc import Iterable
from functools import cache
from typing import Literal

from pydantic import ConfigDict, Field, TypeAdapter

from isochron.common.files import read_bytes, suggest
from isochron.common.resources import shipped
from isochron.schemas.base import Record

#: The value of a variable of a relation: a text, a number, a flag; None if unknown.
Fact = str | float | bool | None


class Described(Record):
    """A part of the description. A newer engine may have further keys."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Condition(Described):
    """`left` · `times` is in the relation `is` to `right` · `factor`; `right` is a number or a variable."""

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
    """One form of a text option: a bare word, `word:N:N`, `word:N@N,…`, or `word:TEXT`."""

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
    """If all of `when` is true, `require` must be; else the launch is refused, or the case is not supported."""

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


class NamedDatatype(Described):
    """A derived datatype that an operation can have by its name; its bytes of data, and in memory (`extent`)."""

    name: str
    datatype: str
    bytes: int
    extent: int


class Operation(Described):
    """The properties of an operation that restrict options, sizes and processes.

    `named_datatype`: that of a name such as `ping-pong@vector-32`; None: `engine.datatype` decides.
    """

    name: str
    group: str
    shape: Literal["no-data", "vector", "blocks"]
    sends: Literal["nothing", "block", "each", "peers"]
    receives: Literal["nothing", "block", "each", "peers"]
    bytes_means: str
    data: bool
    root: bool
    reduces: bool
    fixed: bool
    varied: bool
    in_place: bool
    large_counts: bool
    persistent: bool
    takes_datatype: bool
    unprepared: bool
    plain_sends: bool
    bursts: bool
    threads: bool
    hidden: bool
    moved: int
    needs_processes: int
    named_datatype: NamedDatatype | None = None


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
    named_datatypes: list[NamedDatatype]
    operations: list[Operation]

    def option(self, name: str) -> Option:
        """Return an option by its name, with dashes or underscores. Raises KeyError."""
        dashed = name.replace("_", "-")
        for option in self.options:
            if option.name == dashed:
                return option
        raise KeyError(dashed)


@cache
def contract() -> Contract:
    """Return the description that comes with Isochron."""
    return TypeAdapter(Contract).validate_json(read_bytes(shipped("reframe_checks", "engine", "description.json")))


#: Between an operation and its datatype.
AT = "@"


def base_operation(name: str) -> str:
    """Return the operation without its datatype, by which its properties are looked up: `bcast` of `bcast@indexed`."""
    return name.partition(AT)[0]


def datatype_name(name: str) -> str:
    """Return the datatype in an operation's name: `indexed` of `bcast@indexed`; empty if there is none."""
    return name.partition(AT)[2]


def in_a_thread(name: str) -> str:
    """Return what every thread of an operation of threads executes: `bcast` of `threads-comms-bcast`; else `name`."""
    return name.removeprefix("threads-").removeprefix("comms-") if name.startswith("threads-") else name


def with_datatype(name: str, datatype: str) -> str:
    """Return the name of an operation with a datatype; of the operation itself if `datatype` is empty."""
    return f"{name}{AT}{datatype}" if datatype else name


@cache
def operation(name: str) -> Operation:
    """Return an operation by its name, which may have a datatype. Raises KeyError."""
    entry = {entry.name: entry for entry in contract().operations}[base_operation(name)]
    if AT not in name:
        return entry
    named = {datatype.name: datatype for datatype in contract().named_datatypes}[datatype_name(name)]
    return entry.model_copy(update={"name": name, "named_datatype": named})


def datatype_bytes(name: str) -> int:
    """Return the bytes of data of the datatype in an operation's name; 1 if there is none."""
    named = operation(name).named_datatype if AT in name else None
    return 1 if named is None else named.bytes


def fits_datatype(name: str, size: int) -> bool:
    """Return False if a size is not a multiple of the datatype in an operation's name: it is then not measured."""
    return size % datatype_bytes(name) == 0


def memory_bytes(name: str, size: int) -> int:
    """Return the bytes in memory of `size` bytes of data of an operation."""
    named = operation(name).named_datatype if AT in name else None
    return size if named is None else size // named.bytes * named.extent


_SHOWN = [entry for entry in contract().operations if not entry.hidden]


def _group(group: str) -> tuple[str, ...]:
    return tuple(entry.name for entry in _SHOWN if entry.group == group)


BLOCKING = _group("blocking")
NONBLOCKING = _group("nonblocking")
MESSAGES = tuple(name for name in _group("point-to-point") if not name.startswith("multi-"))
MULTI = tuple(name for name in _group("point-to-point") if name.startswith("multi-"))
TRANSFERS = _group("transfers")
TOPOLOGIES = _group("topologies")
#: Of the groups bursts and one-sided.
BURSTS = tuple(one.name for one in contract().operations if one.bursts and not one.threads)
PACKING = _group("packing")
ONE_SIDED = _group("one-sided")
CREATION = _group("creation")
THREADS = _group("threads")
WAIT_PATTERNS = _group("wait-patterns")
BASIC = _group("basic")
#: Operations for tests and demonstrations, which are not listed.
HIDDEN = tuple(entry.name for entry in contract().operations if entry.hidden)
OPERATIONS = tuple(entry.name for entry in _SHOWN)

#: Operations that are measured once per launch, with bytes = 0, whatever the sizes.
WITHOUT_DATA = frozenset(entry.name for entry in _SHOWN if not entry.data)


def _with_datatypes(names: Iterable[str]) -> frozenset[str]:
    """Return the operations, and each with every datatype that it can have by its name."""
    datatypes = ["", *(named.name for named in contract().named_datatypes)]
    return frozenset(
        with_datatype(name, datatype)
        for name in names
        for datatype in (datatypes if operation(name).takes_datatype else [""])
    )


#: Operations for which a bandwidth is defined; these and the next two also with datatypes.
MOVED = _with_datatypes(entry.name for entry in _SHOWN if entry.moved)

#: A repetition is a round trip, and its half is reported, the time of one message, as by PMB, IMB and OSU.
HALVED = _with_datatypes(["ping-pong", "multi-ping-pong", "transfer-1", "threads-ping-pong", "threads-comms-ping-pong"])

#: Blocking operations with a root, which can rotate under every scheme.
ROOTED = _with_datatypes(entry.name for entry in _SHOWN if entry.root and entry.group == "blocking")


def cases(operations: list[str], sizes: list[int]) -> list[tuple[str, int]]:
    """Return the (operation, bytes) of all measurements of one launch, without sizes that a datatype does not fit."""
    return [
        (operation, size)
        for operation in operations
        for size in ([0] if operation in WITHOUT_DATA else sizes)
        if fits_datatype(operation, size)
    ]


def checked_operations(names: list[str]) -> list[str]:
    """Return `names` if all are operations. Raises ValueError with one line for each that is not."""
    problems = [problem for name in names if (problem := _operation_problem(name))]
    if problems:
        raise ValueError("\n".join(problems))
    return names


def _operation_problem(name: str) -> str:
    """Return why a name is not an operation, with what would be right; empty if it is one."""
    base, at, datatype = name.partition(AT)
    if base not in (*OPERATIONS, *HIDDEN):
        hint = suggest(base, OPERATIONS) or f"; the operations are {', '.join(OPERATIONS)}"
        return f"unknown operation '{base}'{hint}"
    datatypes = [named.name for named in contract().named_datatypes]
    if at and datatype not in datatypes:
        hint = suggest(datatype, datatypes) or f"; the datatypes are {', '.join(datatypes)}"
        return f"{name}: unknown datatype '{datatype}'{hint}"
    if at and not operation(base).takes_datatype:
        return (
            f"{name}: only operations that move data of `sizes` and do not reduce take a datatype; write {base}, or "
            "for example bcast@vector-32"
        )
    return ""
