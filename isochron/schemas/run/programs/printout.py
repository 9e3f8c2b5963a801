# SPDX-License-Identifier: BSD-3-Clause
"""`launches/<launch>.tool-output`: the raw file of a launch of another benchmark.

Its first line is a JSON object that says what was started and where it ran, as counted in the launch itself; then comes
what the benchmark has printed, unchanged; the last line is the footer that the engine's raw files have.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from isochron.common.bounded.packed import read_unpacked
from isochron.common.files import FileError, write_bytes_atomically
from isochron.schemas.base import first_problem
from isochron.schemas.run.records import Footer
from isochron.schemas.run.row_parts import Duration, EngineRecord, Int64

AGAIN = "the file is damaged or truncated; run the launch again"


class Witness(EngineRecord):
    """What the processes of a launch have counted between MPI_Init and MPI_Finalize: `<launch>.launch-check`.

    `hosts`: the name of the host of each rank. `facts`: what the job says of itself, `name=value` joined by `;`.
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
    """A whole raw file: its first line, and the lines that the benchmark has printed."""

    path: Path
    head: PrintoutHead
    texts: tuple[str, ...]
    footer: Footer


def read_witness(path: Path) -> Witness:
    """What was counted. Raises FileError, also if the program did not reach MPI_Finalize."""
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
    """Write a raw file, whole or not at all."""
    lines = [head.model_dump_json(by_alias=True), *text.splitlines()]
    body = "".join(f"{line}\n" for line in lines).encode()
    footer = {"record": "footer", "records": len(lines), "crc32": f"{zlib.crc32(body):08x}", "elapsed_ns": elapsed_ns}
    write_bytes_atomically(path, body + json.dumps(footer).encode() + b"\n")


def read_printout_file(path: Path) -> RawPrintout:
    """Read a raw file and verify that it is whole. Raises FileError with the file and the reason."""
    try:
        content = read_unpacked(path)
        body, _, last = content.removesuffix(b"\n").rpartition(b"\n")
        footer = Footer.model_validate_json(last)
        lines = body.decode().split("\n")
        head = PrintoutHead.model_validate_json(lines[0])
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (ValidationError, UnicodeDecodeError) as error:
        said = first_problem(error) if isinstance(error, ValidationError) else str(error)
        raise FileError(f"{path}: {said}; {AGAIN}") from error
    checksum = zlib.crc32(body + b"\n")
    if f"{checksum:08x}" != footer.crc32 or len(lines) != footer.records:
        raise FileError(f"{path}: footer.crc32: the checksum is wrong; {AGAIN}")
    return RawPrintout(path, head, tuple(lines[1:]), footer)


def wrong_labels(head: PrintoutHead, wanted: Iterable[tuple[str, str]]) -> str:
    """What of the launch is not as planned, empty where all is."""
    for key, value in wanted:
        if head.launch.get(key) != value:
            return f"head.launch.{key}: {head.launch.get(key)!r}, but {value!r} was planned"
    return ""
