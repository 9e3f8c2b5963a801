# SPDX-License-Identifier: BSD-3-Clause
"""Third-party benchmarks in a run: their programs, the raw files of their launches, and their tables in the store.

The first line of a raw file is a JSON object with the program, the launch and its hosts, as counted in the launch; then
follows the unchanged output of the benchmark; the last line is a footer like that of the engine's raw files.
"""

import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from isochron.common.files import FileError, write_bytes_atomically
from isochron.common.packed import read_unpacked
from isochron.schemas.base import Record, first_problem
from isochron.schemas.run.imported import IMPORTED_CELLS, IMPORTED_ROWS
from isochron.schemas.run.manifest import Environment
from isochron.schemas.run.raw_file import footer_line, wrong_checksum
from isochron.schemas.run.record_parts import Duration, EngineRecord, Int64
from isochron.schemas.run.records import Footer
from isochron.schemas.run.store import Column


class Program(Record):
    """One program and its hash."""

    path: str
    sha256: str


class Request(Record):
    """`log/reframe/build-<stack>/<tool>/request.json`: input of the ReFrame check `Tool`.

    `programs`: operation → path. `libraries`: absolute paths of the MPI libraries that the engine is linked with;
    `library_file`: prefix of their names. `witness`: source of the library that is preloaded (the launch check).
    """

    tool: str
    stack: str
    cc: str
    environment: Environment
    programs: dict[str, str] = Field(min_length=1)
    libraries: list[str]
    library_file: str
    witness: str


class Programs(Record):
    """The programs, by the engine's operation that they measure, and the library that counts their processes."""

    schema_version: Literal[1] = 1
    tool: str
    stack: str
    #: Where they come from: `wheel`, `spack` or `path`.
    source: str
    programs: dict[str, Program] = Field(min_length=1)
    witness: Program


DAMAGED = "the file is damaged or truncated; run the launch again"


class Witness(EngineRecord):
    """Processes of a launch, counted between MPI_Init and MPI_Finalize: `<launch>.launch-check`.

    `hosts`: host name of each rank. `facts`: properties of the job, `name=value` joined by `;`.
    """

    record: Literal["launch-check"]
    processes: Int64
    hosts: list[str]
    mpi_library_version: str
    started_at: str
    facts: str
    elapsed_ns: Duration


class PrintoutHead(EngineRecord):
    """The first line. `launch`: as in the header of the engine's raw files."""

    record: Literal["tool-output"]
    schema_version: Literal[1] = Field(1, alias="schema")
    tool: str
    program: str
    program_sha256: str
    command: list[str]
    launch: dict[str, str]
    processes: Int64
    hosts: list[str]
    mpi_library_version: str
    started_at: str


@dataclass(frozen=True)
class RawPrintout:
    """A complete raw file: its first line, and the output lines of the benchmark."""

    path: Path
    head: PrintoutHead
    texts: tuple[str, ...]
    footer: Footer


def read_witness(path: Path) -> Witness:
    """Read the launch check. Raises FileError, also if the program did not reach MPI_Finalize."""
    try:
        lines = read_unpacked(path).decode().splitlines()
        document = {name: value for line in lines for name, value in json.loads(line).items()}
        return Witness.model_validate(document)
    except OSError as error:
        raise FileError(
            f"{path}: cannot be read: {error.strerror}; no process recorded MPI_Init; the program may be "
            "statically linked, or the launcher drops LD_PRELOAD"
        ) from error
    except ValidationError as error:
        raise FileError(f"{path}: {first_problem(error)}; the program did not reach MPI_Finalize") from error
    except (ValueError, AttributeError) as error:
        raise FileError(
            f"{path}: is not the output of one launch: each process may have started MPI separately ({error})"
        ) from error


def write_printout(path: Path, head: PrintoutHead, text: str, elapsed_ns: int) -> None:
    """Write a raw file, completely or not at all."""
    lines = [head.model_dump_json(by_alias=True), *text.splitlines()]
    body = "".join(f"{line}\n" for line in lines).encode()
    write_bytes_atomically(path, body + footer_line(len(lines), elapsed_ns, body))


def read_printout_file(path: Path) -> RawPrintout:
    """Read a raw file and verify that it is complete. Raises FileError with the file and the reason."""
    try:
        content = read_unpacked(path)
        body, _, last = content.removesuffix(b"\n").rpartition(b"\n")
        footer = Footer.model_validate_json(last)
        lines = body.decode().split("\n")
        head = PrintoutHead.model_validate_json(lines[0])
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (ValidationError, UnicodeDecodeError) as error:
        problem = first_problem(error) if isinstance(error, ValidationError) else str(error)
        raise FileError(f"{path}: {problem}; {DAMAGED}") from error
    problem = wrong_checksum(footer, last, zlib.crc32(body + b"\n"))
    if problem or len(lines) != footer.records:
        raise FileError(f"{path}: {problem or 'footer.records: not the number of lines'}; {DAMAGED}")
    return RawPrintout(path, head, tuple(lines[1:]), footer)


def wrong_labels(head: PrintoutHead, planned: Iterable[tuple[str, str]]) -> str:
    """Return the first label of the launch that is not as planned; empty if all are."""
    for key, value in planned:
        if head.launch.get(key) != value:
            return f"head.launch.{key}: {head.launch.get(key)!r}, but {value!r} was planned"
    return ""


_OF_LAUNCH = (
    Column("launch_id", "string", "run_id and the launch's name: with `line` the key of this table"),
    Column("stack", "string", "MPI stack"),
    Column("placement", "string", "how processes were placed on the nodes"),
    Column("launch_processes", "int64", "processes of the launch, as counted between MPI_Init and MPI_Finalize"),
    Column("block", "int64", "number of the block"),
    Column("attempt", "int64", "attempt at the block in which the launch succeeded"),
    Column("started_at", "string", "end of MPI_Init, UTC"),
    Column("duration_s", "float64", "from MPI_Init to MPI_Finalize"),
    Column("hosts", "string", "distinct hosts, separated by commas"),
    Column("mpi_library_version", "string", "MPI_Get_library_version as the launch reported it"),
    Column("program_sha256", "string", "hash of the benchmark's program"),
)
#: Columns with another meaning than in an import.
_CHANGED = {
    "file": "raw file, relative to the run's folder",
    "line": "line of the output of the benchmark, from 1",
    "processes": "active processes, if the line states them",
}


def _columns(imported: tuple[Column, ...]) -> tuple[Column, ...]:
    return tuple(column._replace(meaning=_CHANGED.get(column.name, column.meaning)) for column in imported)


TOOL_ROWS = (*_OF_LAUNCH, *_columns(IMPORTED_ROWS))
TOOL_CELLS = (_OF_LAUNCH[0], *_columns(IMPORTED_CELLS))
#: The tables by name.
TOOL_TABLES = {"tool_rows": TOOL_ROWS, "tool_cells": TOOL_CELLS}
