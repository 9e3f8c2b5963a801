# SPDX-License-Identifier: BSD-3-Clause
"""Raw files of JSON Lines: whether a file is complete, by its footer."""

import zlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from isochron.common.files import FileError
from isochron.common.packed import lines_of
from isochron.schemas.base import first_problem
from isochron.schemas.run.records import Footer

Parsed = TypeVar("Parsed")

DAMAGED = "the file is damaged or truncated; run the launch again"

#: Plausible years of a launch.
YEARS = (1970, 2200)


def raw_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a raw file with their ends. Raises FileError."""
    try:
        yield from lines_of(path)
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from error


def parse_record(adapter: TypeAdapter[Parsed], path: Path, number: int, line: bytes) -> Parsed:
    """Return the record in a line of a raw file, counted from 1. Raises FileError."""
    try:
        return adapter.validate_json(line)
    except ValidationError as error:
        raise FileError(f"{path}: line {number}: {first_problem(error)}") from error


def checked_footer(path: Path) -> Footer:
    """Check the records of a raw file against its footer, and return the footer. Raises FileError."""
    last, records, checksum = b"", -1, 0
    for line in raw_lines(path):
        records, checksum, last = records + 1, zlib.crc32(last, checksum), line
    if not last.endswith(b"\n"):
        raise FileError(f"{path}: truncated (no footer); run the launch again")
    try:
        footer = Footer.model_validate_json(last)
    except ValidationError as error:
        raise FileError(f"{path}: no footer in the last line ({first_problem(error)}); {DAMAGED}") from error
    if records != footer.records:
        raise FileError(f"{path}: footer.records: {footer.records}, but the file has {records} records; {DAMAGED}")
    problem = wrong_checksum(footer, last, checksum)
    if problem:
        raise FileError(f"{path}: {problem}; {DAMAGED}")
    return footer


#: What is before the checksum in a footer; the last member.
LAST_MEMBER = b',"file_crc32":"'


def wrong_checksum(footer: Footer, line: bytes, checksum: int) -> str:
    """Return how the checksum of a file differs from that of its footer; empty if it does not.

    `line`: the footer as it is in the file; `checksum`: CRC-32 of all bytes before it.
    """
    if footer.file_crc32 is None:
        name, stated, actual = "crc32", footer.crc32, checksum
    else:
        name, stated, actual = "file_crc32", footer.file_crc32, zlib.crc32(line.rpartition(LAST_MEMBER)[0], checksum)
        if not line.rstrip(b"\n").endswith(LAST_MEMBER + footer.file_crc32.encode() + b'"}'):
            return "footer.file_crc32: is not the last member"
    return "" if f"{actual:08x}" == stated else f"footer.{name}: {stated}, but the checksum is {actual:08x}"


def footer_line(records: int, elapsed_ns: int, body: bytes) -> bytes:
    """Return the footer of a file as the engine writes it; `body`: the lines before it."""
    head = f'{{"record":"footer","records":{records},"elapsed_ns":{elapsed_ns}'.encode()
    return head + LAST_MEMBER + f'{zlib.crc32(body + head):08x}"}}\n'.encode()


def check_start(path: Path, started_at: str) -> None:
    """Raise FileError unless the launch started at a plausible time."""
    try:
        year = datetime.fromisoformat(started_at).year
    except ValueError:
        raise FileError(f"{path}: header.started_at: '{started_at}' is not an ISO 8601 time") from None
    if not YEARS[0] <= year <= YEARS[1]:
        raise FileError(f"{path}: header.started_at: the year {year} is not in {YEARS[0]} to {YEARS[1]}")
