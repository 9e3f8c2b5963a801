# SPDX-License-Identifier: BSD-3-Clause
"""Reading the raw file of a launch: whole or refused, and whether it is the launch that was planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from isochron.common.files import FileError
from isochron.schemas.base import first_problem
from isochron.schemas.run.layout import tool_of
from isochron.schemas.run.programs.printout import read_printout_file
from isochron.schemas.run.raw_file import AGAIN, check_start, footer_of_whole, raw_lines
from isochron.schemas.run.records import (
    RECORD,
    AnyRecord,
    Clock,
    Footer,
    Header,
    Measurement,
    Memory,
    MemoryStep,
)
from isochron.schemas.run.rows.overhead import Overhead
from isochron.schemas.run.rows.row_checks import row_problems
from isochron.schemas.run.rows.turns import Turns


@dataclass(frozen=True)
class LaunchFile:
    """All records of one raw file, in the order of the file."""

    path: Path
    header: Header
    clocks: list[Clock]
    memory: list[MemoryStep]
    measurements: list[Measurement]
    overhead: Overhead | None  # none: an older engine, which did not measure it
    footer: Footer
    turns: Turns | None = None  # none: it measured alone
    solo: tuple[Measurement, ...] = ()  # what it measured once more, alone, after its turns


def read_launch(path: Path) -> LaunchFile:
    """Read a raw file and verify that it is whole.

    A whole file starts with the header, ends with the footer, holds as many records before the
    footer as the footer says, and their bytes (line ends included) have the footer's CRC-32
    (that of zlib, IEEE 802.3). Raises FileError with the file and the reason. No record is looked
    at before the file is known to be whole.
    """
    footer = footer_of_whole(path)
    numbered = zip(range(1, footer.records + 1), raw_lines(path), strict=False)  # the footer comes after them
    records = [_record(path, number, line) for number, line in numbered]
    if not records or not isinstance(records[0], Header):
        raise FileError(f"{path}: line 1: the header must come first")
    overheads = [record for record in records if isinstance(record, Overhead)]
    turns = [record for record in records if isinstance(record, Turns)]
    ends = sum(isinstance(record, Header | Footer) for record in records)
    if ends > 1 or len(overheads) > 1 or len(turns) > 1:
        raise FileError(f"{path}: more than one header, overhead, turns or footer; one launch writes one file")
    check_start(path, records[0].started_at)
    _check_turns(path, records[0], turns)
    rows = [record for record in records if isinstance(record, Measurement)]
    _check_rows(path, rows)
    measurements = [row for row in rows if row.record == "measurement"]
    solo = tuple(row for row in rows if row.record == "solo_measurement")
    clocks = [record for record in records if isinstance(record, Clock)]
    steps = [step for record in records if isinstance(record, Memory) for step in record.steps]
    overhead = overheads[0] if overheads else None
    return LaunchFile(path, records[0], clocks, steps, measurements, overhead, footer, next(iter(turns), None), solo)


def read_header(path: Path) -> Header:
    """The header alone, of a file that is known to be whole. Raises FileError."""
    record = _record(path, 1, next(raw_lines(path), b""))
    if not isinstance(record, Header):
        raise FileError(f"{path}: line 1: the header must come first")
    return record


def damage(path: Path) -> str:
    """Why the bytes of a raw file are not those that the engine wrote, empty where they are. Needs no parsing."""
    try:
        footer_of_whole(path)
    except FileError as error:
        return str(error)
    return ""


def foreign(path: Path, name: str, run_ids: Collection[str]) -> str:
    """Why a whole raw file is not the one of this launch of this run, empty where it is."""
    try:
        launch = read_printout_file(path).head.launch if tool_of(name) else read_header(path).launch
    except FileError as error:
        return str(error)
    for key, known in {"name": [name], "run_id": run_ids}.items():
        if launch.get(key) not in known:
            return f"{path}: header.launch.{key}: {launch.get(key)!r}; it must be {' or '.join(sorted(known))}"
    return ""


def _record(path: Path, number: int, line: bytes) -> AnyRecord:
    try:
        return RECORD.validate_json(line)
    except ValidationError as error:
        raise FileError(f"{path}: line {number}: {first_problem(error)}") from error


def _check_turns(path: Path, header: Header, turns: list[Turns]) -> None:
    """A launch that took turns has an entry for each slice of its plan; another one has no record of turns."""
    asked = header.turns.rounds * header.turns.cases if header.turns else None
    found = len(turns[0].pass_) if turns else None
    if found != asked:
        raise FileError(f"{path}: turns: {found} slices, but the header says {asked}; {AGAIN}")


def _check_rows(path: Path, measurements: list[Measurement]) -> None:
    """Every row agrees with itself; those that may not are looked at one by one, in their order."""
    from isochron.schemas.run.rows.row_arrays import doubtful_rows  # NumPy: most of who imports this reads no rows

    doubtful = {id(row) for row in doubtful_rows(measurements)}
    for row in measurements:
        if id(row) not in doubtful:
            continue
        found = row_problems(row)
        if found:
            raise FileError(f"{path}: {_case((row.operation, row.bytes))}: {found[0]}; {AGAIN}")


def problems(
    launch_file: LaunchFile,
    *,
    processes: int,
    nodes: int,
    cases: Iterable[tuple[str, int]],
    launch_name: str,
) -> list[str]:
    """Every reason why this is not the launch that was planned; none when it is acceptable.

    `cases` are the asked (operation, bytes) rows. A bad verdict is a result, not a problem.
    """
    header = launch_file.header
    found = []
    name = header.launch.get("name")
    if name != launch_name:
        found.append(f"header.launch.name: {name!r}, but {launch_name!r} was planned")
    if header.processes != processes:
        found.append(f"header.processes: {header.processes} ranks, but {processes} were planned")
    hosts = {host.name for host in header.hosts}
    if len(hosts) != nodes:
        found.append(f"header.hosts: {len(hosts)} distinct ({', '.join(sorted(hosts))}), but {nodes} nodes are planned")
    return found + _row_problems(launch_file.measurements, processes, set(cases))


def _row_problems(rows: list[Measurement], processes: int, asked: set[tuple[str, int]]) -> list[str]:
    counts = Counter((row.operation, row.bytes) for row in rows)
    found = [f"measurement: {_case(case)} is missing" for case in sorted(asked - counts.keys())]
    found += [f"measurement: {_case(case)} was not requested" for case in sorted(counts.keys() - asked)]
    found += [f"measurement: {_case(case)} is listed {n} times" for case, n in sorted(counts.items()) if n > 1]
    found += [
        f"measurement: {_case((row.operation, row.bytes))} has {row.processes} processes, not {processes}"
        for row in rows
        if row.processes != processes
    ]
    return found


def _case(case: tuple[str, int]) -> str:
    return f"{case[0]} at {case[1]} bytes"
