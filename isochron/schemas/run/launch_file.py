# SPDX-License-Identifier: BSD-3-Clause
"""Reading the raw file of a launch, and checking that it is complete and the launch that was planned."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from isochron.common.files import FileError
from isochron.common.packed import lines_of
from isochron.schemas.base import first_problem
from isochron.schemas.run.layout import tool_of
from isochron.schemas.run.record_parts import Overhead
from isochron.schemas.run.records import RECORD, Clock, Footer, Header, Measurement, Memory, MemoryStep
from isochron.schemas.run.tools import read_printout_file

DAMAGED = "the file is damaged or truncated; run the launch again"


#: Years in which a launch can have started, whatever is wrong with the clock of a node.
YEARS = (1970, 2200)


@dataclass(frozen=True)
class LaunchFile:
    """All records of one raw file, in the order of the file."""

    path: Path
    header: Header
    clocks: list[Clock]
    memory: list[MemoryStep]
    measurements: list[Measurement]
    overhead: Overhead | None  # None: an older engine, which did not measure it
    footer: Footer


def read_launch(path: Path) -> LaunchFile:
    """Read a raw file and verify that it is complete.

    A complete file starts with the header and ends with the footer, which states the number of
    records before it and the CRC-32 of their bytes with line ends (that of zlib, IEEE 802.3).
    Records are parsed only after this check. Raises FileError with the file and the reason.
    """
    footer = _checked_footer(path)
    numbered = zip(range(1, footer.records + 1), _lines(path), strict=False)  # the footer comes after them
    records = [_record(path, number, line) for number, line in numbered]
    if not records or not isinstance(records[0], Header):
        raise FileError(f"{path}: line 1: the header must come first")
    overheads = [record for record in records if isinstance(record, Overhead)]
    single_records = [record for record in records if not isinstance(record, Clock | Measurement | Memory | Overhead)]
    if len(single_records) > 1 or len(overheads) > 1:
        raise FileError(f"{path}: more than one header, overhead or footer; one launch writes one file")
    _check_start(path, records[0])
    measurements = [record for record in records if isinstance(record, Measurement)]
    _check_measurements(path, measurements)
    clocks = [record for record in records if isinstance(record, Clock)]
    steps = [step for record in records if isinstance(record, Memory) for step in record.steps]
    overhead = overheads[0] if overheads else None
    return LaunchFile(path, records[0], clocks, steps, measurements, overhead, footer)


def read_header(path: Path) -> Header:
    """Return the header of a file that has been checked. Raises FileError."""
    record = _record(path, 1, next(_lines(path), b""))
    if not isinstance(record, Header):
        raise FileError(f"{path}: line 1: the header must come first")
    return record


def damage(path: Path) -> str:
    """Return how a raw file is damaged; empty if it is as the engine wrote it. Its records are not parsed."""
    try:
        _checked_footer(path)
    except FileError as error:
        return str(error)
    return ""


def foreign(path: Path, name: str, run_ids: Collection[str]) -> str:
    """Return why a raw file does not belong to this launch of this run; empty if it does."""
    try:
        launch = read_printout_file(path).head.launch if tool_of(name) else read_header(path).launch
    except FileError as error:
        return str(error)
    for key, expected in {"name": [name], "run_id": run_ids}.items():
        if launch.get(key) not in expected:
            return f"{path}: header.launch.{key}: {launch.get(key)!r}; it must be {' or '.join(sorted(expected))}"
    return ""


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a raw file with their ends. Raises FileError."""
    try:
        yield from lines_of(path)
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from error


def _checked_footer(path: Path) -> Footer:
    """Check the records of a raw file against its footer, and return the footer. Raises FileError."""
    last, records, checksum = b"", -1, 0
    for line in _lines(path):
        records, checksum, last = records + 1, zlib.crc32(last, checksum), line
    if not last.endswith(b"\n"):
        raise FileError(f"{path}: truncated (no footer); run the launch again")
    try:
        footer = Footer.model_validate_json(last)
    except ValidationError as error:
        raise FileError(f"{path}: no footer in the last line ({first_problem(error)}); {DAMAGED}") from error
    if records != footer.records:
        raise FileError(f"{path}: footer.records: {footer.records}, but the file has {records} records; {DAMAGED}")
    actual = f"{checksum:08x}"
    if actual != footer.crc32:
        raise FileError(f"{path}: footer.crc32: {footer.crc32}, but the checksum of the records is {actual}; {DAMAGED}")
    return footer


def _record(path: Path, number: int, line: bytes) -> Header | Clock | Memory | Measurement | Overhead | Footer:
    try:
        return RECORD.validate_json(line)
    except ValidationError as error:
        raise FileError(f"{path}: line {number}: {first_problem(error)}") from error


def _check_start(path: Path, header: Header) -> None:
    """Raise FileError unless the launch started at a plausible time."""
    try:
        year = datetime.fromisoformat(header.started_at).year
    except ValueError:
        raise FileError(f"{path}: header.started_at: '{header.started_at}' is not an ISO 8601 time") from None
    if not YEARS[0] <= year <= YEARS[1]:
        raise FileError(f"{path}: header.started_at: the year {year} is not in {YEARS[0]} to {YEARS[1]}")


def _check_measurements(path: Path, measurements: list[Measurement]) -> None:
    """Raise FileError if a measurement is inconsistent; only doubtful ones are checked one by one."""
    # It needs NumPy, unlike most users of this module.
    from isochron.schemas.run.measurement_checks import doubtful_rows, row_problems

    doubtful = {id(row) for row in doubtful_rows(measurements)}
    for row in measurements:
        if id(row) not in doubtful:
            continue
        problems_of_row = row_problems(row)
        if problems_of_row:
            raise FileError(f"{path}: {_case((row.operation, row.bytes))}: {problems_of_row[0]}; {DAMAGED}")


def problems(
    launch_file: LaunchFile,
    *,
    processes: int,
    nodes: int,
    cases: Iterable[tuple[str, int]],
    launch_name: str,
) -> list[str]:
    """Return all reasons why this is not the launch that was planned; none if it is.

    `cases`: the requested (operation, bytes). A bad verdict is a result, not a problem.
    """
    header = launch_file.header
    reasons = []
    name = header.launch.get("name")
    if name != launch_name:
        reasons.append(f"header.launch.name: {name!r}, but {launch_name!r} was planned")
    if header.processes != processes:
        reasons.append(f"header.processes: {header.processes} ranks, but {processes} were planned")
    hosts = {host.name for host in header.hosts}
    if len(hosts) != nodes:
        reasons.append(
            f"header.hosts: {len(hosts)} distinct ({', '.join(sorted(hosts))}), but {nodes} nodes are planned"
        )
    return reasons + _case_problems(launch_file.measurements, processes, set(cases))


def _case_problems(measurements: list[Measurement], processes: int, requested: set[tuple[str, int]]) -> list[str]:
    counts = Counter((row.operation, row.bytes) for row in measurements)
    reasons = [f"measurement: {_case(case)} is missing" for case in sorted(requested - counts.keys())]
    reasons += [f"measurement: {_case(case)} was not requested" for case in sorted(counts.keys() - requested)]
    reasons += [f"measurement: {_case(case)} is listed {n} times" for case, n in sorted(counts.items()) if n > 1]
    reasons += [
        f"measurement: {_case((row.operation, row.bytes))} has {row.processes} processes, not {processes}"
        for row in measurements
        if row.processes != processes
    ]
    return reasons


def _case(case: tuple[str, int]) -> str:
    return f"{case[0]} at {case[1]} bytes"
