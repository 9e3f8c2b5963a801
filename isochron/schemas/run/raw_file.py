# SPDX-License-Identifier: BSD-3-Clause
"""What all raw files of JSON Lines have: a header, records and a footer, by which a file is known to be whole."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from isochron.common.bounded.packed import lines_of
from isochron.common.files import FileError
from isochron.schemas.base import first_problem
from isochron.schemas.run.records import Footer

AGAIN = "the file is damaged or truncated; run the launch again"

#: Years in which a launch can have started, whatever is wrong with the clock of a node.
YEARS = (1970, 2200)


def raw_lines(path: Path) -> Iterator[bytes]:
    """The lines of a raw file with their ends. Raises FileError."""
    try:
        yield from lines_of(path)
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from error


def footer_of_whole(path: Path) -> Footer:
    """The last line of a raw file as its footer, which the lines before it agree with. Raises FileError."""
    last, records, checksum = b"", -1, 0
    for line in raw_lines(path):
        records, checksum, last = records + 1, zlib.crc32(last, checksum), line
    if not last.endswith(b"\n"):
        raise FileError(f"{path}: truncated (no footer); run the launch again")
    try:
        footer = Footer.model_validate_json(last)
    except ValidationError as error:
        raise FileError(f"{path}: no footer in the last line ({first_problem(error)}); {AGAIN}") from error
    if records != footer.records:
        raise FileError(f"{path}: footer.records: {footer.records}, but the file has {records} records; {AGAIN}")
    found = f"{checksum:08x}"
    if found != footer.crc32:
        raise FileError(f"{path}: footer.crc32: {footer.crc32}, but the checksum of the records is {found}; {AGAIN}")
    return footer


def check_start(path: Path, started_at: str) -> None:
    """Raise FileError unless the start of a launch is a time of this age."""
    try:
        year = datetime.fromisoformat(started_at).year
    except ValueError:
        raise FileError(f"{path}: header.started_at: '{started_at}' is not an ISO 8601 time") from None
    if not YEARS[0] <= year <= YEARS[1]:
        raise FileError(f"{path}: header.started_at: the year {year} is not in {YEARS[0]} to {YEARS[1]}")
