# SPDX-License-Identifier: BSD-3-Clause
"""The rows of a tool's output: every number as printed, its meaning in µs, and the engine's name of the operation.

For most collectives, IMB and OSU define the size like the engine: the vector, or the block for each process. A
benchmark with another definition has no operation here: its numbers are stored, but not compared.
"""

import math
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from isochron.common.files import FileError

#: A number as tools print it.
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+]?(nan|inf)", re.IGNORECASE | re.ASCII)

#: A whole number with at most the digits that tools print, and the sign for a missing one.
WHOLE, NONE = re.compile(r"[-+]?\d{1,18}", re.ASCII), -1

#: Largest values of a row's fields: a count that is exact in the tables, a finite time.
LIMITS = dict.fromkeys(("processes", "processes_per_node", "group", "bytes", "repetitions"), 2.0**53) | dict.fromkeys(
    ("value_us", "min_us", "max_us"), sys.float_info.max
)


#: Smallest values, where they are not 0.
LEAST = {"processes": 1, "processes_per_node": 1}


@dataclass(frozen=True)
class Row:
    """One printed line of a table. Times in µs; values that the line does not have are None.

    `operation`: the equivalent operation of the engine, empty if there is none. `scheme`: the engine's scheme that
    starts repetitions in this way. `statistic`: the meaning of `value_us`. `cells`: every column of the line with its
    text. `job`: the allocation; empty if the file does not state it.
    """

    line: int
    benchmark: str
    operation: str
    scheme: str
    statistic: str
    cells: tuple[tuple[str, str], ...]
    processes: int | None = None
    processes_per_node: int | None = None
    group: int | None = None
    bytes: int | None = None
    repetitions: int | None = None
    value_us: float | None = None
    min_us: float | None = None
    max_us: float | None = None
    job: str = ""
    note: str = ""


@dataclass(frozen=True)
class Printout:
    """One file of a tool. `version`: the tool's own, empty if it prints none. `command`: its command line."""

    tool: str
    version: str
    rows: tuple[Row, ...]
    command: str = ""


@dataclass(frozen=True)
class Lines:
    """The lines of a file, for messages about one of them."""

    path: Path
    texts: tuple[str, ...]

    def refuse(self, number: int, reason: str) -> FileError:
        """Return the error about a line (from 1): file, line, reason."""
        return FileError(f"{self.path}:{number}: {reason}")


@dataclass
class Gathered:
    """The results of a parser so far."""

    rows: list[Row] = field(default_factory=list)
    version: str = ""
    command: str = ""

    def printout(self, tool: str, lines: Lines, expected: str) -> Printout:
        """Return the result. Raises FileError if the file has no row: `expected`: how such a file begins."""
        if not self.rows:
            raise lines.refuse(1, f"no table of {tool} in this file; {expected}")
        return Printout(tool, self.version, tuple(self.rows), self.command)


def cells_of(lines: Lines, number: int, columns: Iterable[str], texts: list[str]) -> tuple[tuple[str, str], ...]:
    """Pair columns with texts of a line. Raises FileError if a text is not a number or their counts differ."""
    names = list(columns)
    if len(names) != len(texts):
        raise lines.refuse(number, f"{len(texts)} columns, but the table's head has {len(names)} ({', '.join(names)})")
    for name, text in zip(names, texts, strict=True):
        if not NUMBER.fullmatch(text):
            raise lines.refuse(number, f"{text!r} in column {name} is not a number")
    return tuple(zip(names, texts, strict=True))


def integer(lines: Lines, number: int, cells: Mapping[str, str], column: str) -> int | None:
    """Return an integer of a line; None without that column. Raises FileError if it is not one, or is too long."""
    text = cells.get(column)
    if text is None:
        return None
    if not WHOLE.fullmatch(text):
        raise lines.refuse(number, f"{text[:40]!r} in column {column} is not a whole number of at most 18 digits")
    return int(text)


def whole(lines: Lines, number: int, cells: Mapping[str, str], column: str) -> int | None:
    """Return a count of a line; None without that column, and if it is -1. Raises FileError as `integer` does."""
    value = integer(lines, number, cells, column)
    return None if value == NONE else value


def real(cells: Mapping[str, str], column: str, scale: float = 1.0) -> float | None:
    """Return a number of a line times `scale`; None without that column."""
    return float(cells[column]) * scale if column in cells else None


def checked(printout: Printout, lines: Lines) -> Printout:
    """Return the output. Raises FileError, with the line, if a count or time is negative, too large or not a number."""
    for row in printout.rows:
        for name, most in LIMITS.items():
            value = getattr(row, name)
            if value is not None and not LEAST.get(name, 0) <= value <= most:
                raise lines.refuse(row.line, f"{name} = {value:.10g} cannot be; correct the line, or remove it")
        for name, text in row.cells:
            if NUMBER.fullmatch(text) and not math.isfinite(float(text)):
                raise lines.refuse(row.line, f"{name} = {text[:40]} cannot be; correct the line, or remove it")
    return printout


def refuse_other_digits(lines: Lines) -> None:
    """Raise FileError, with the line, if a line has digits other than 0 to 9: no tool prints them."""
    for number, text in enumerate(lines.texts, start=1):
        if not text.isascii() and any(digit.isdecimal() and not digit.isascii() for digit in text):
            raise lines.refuse(number, "has digits that are not 0 to 9; correct the line")


def refuse_cut(printout: Printout, lines: Lines) -> None:
    """Raise FileError if the last line, which has no line break, is a row: its last number may be cut."""
    last = len(lines.texts)
    if any(row.line == last for row in printout.rows):
        raise lines.refuse(last, "the file ends within this line; if it is complete, end it with a line break")


def without_zeros(printout: Printout) -> Printout:
    """Return the printout without times of 0: no operation takes none, so the tool printed too few digits."""
    rows = tuple(
        replace(row, value_us=None, note=row.note or "printed as zero: too few digits") if row.value_us == 0 else row
        for row in printout.rows
    )
    return replace(printout, rows=rows)


def placed(printout: Printout, processes: int | None, processes_per_node: int | None) -> Printout:
    """Return the printout with what its file does not say. Raises FileError if it says something else."""
    rows = []
    for row in printout.rows:
        if processes is not None and row.processes not in (None, processes):
            raise FileError(f"--processes {processes}: line {row.line} of the file says {row.processes}; leave it out")
        if processes_per_node is not None and row.processes_per_node not in (None, processes_per_node):
            raise FileError(
                f"--processes-per-node {processes_per_node}: the file says {row.processes_per_node}; leave it out"
            )
        rows.append(
            replace(
                row,
                processes=row.processes or processes,
                processes_per_node=row.processes_per_node or processes_per_node,
            )
        )
    return replace(printout, rows=tuple(rows))


_COLLECTIVES = (
    *("barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall"),
    *("alltoallv", "alltoallw", "reduce", "allreduce", "scan", "exscan"),
)
#: Operations whose size other tools count in the same way.
SAME = frozenset((*_COLLECTIVES, "ping-pong", "ping-ping", "sendrecv", "exchange"))
_MESSAGES = {"pingpong": "ping-pong", "pingping": "ping-ping", "sendrecv": "sendrecv", "exchange": "exchange"}
#: Operations that move no data: tools print no size, 0 or -1.
NO_DATA = frozenset({"barrier"})


def operation(benchmark: str) -> str:
    """Return the engine's name of `MPI_Bcast`, `Bcast`, `PingPong` …; empty if the engine measures nothing the same."""
    word = re.sub(r"^mpi_", "", benchmark.lower())
    name = _MESSAGES.get(word, word)
    return name if name in SAME else ""
