# SPDX-License-Identifier: BSD-3-Clause
"""Reading the raw file of a launch, and checking that it is complete and the launch that was planned."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from isochron.common.files import FileError
from isochron.schemas.run.layout import tool_of
from isochron.schemas.run.raw_file import DAMAGED, check_start, checked_footer, parse_record, raw_lines
from isochron.schemas.run.record_parts import Overhead
from isochron.schemas.run.records import (
    RECORD,
    Clock,
    Footer,
    Header,
    Measurement,
    Memory,
    MemoryStep,
)
from isochron.schemas.run.tools import read_printout_file
from isochron.schemas.run.turns import Turns


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
    turns: Turns | None = None  # none: it measured alone
    solo: tuple[Measurement, ...] = ()  # measured again after its turns, when the others had ended


def read_launch(path: Path) -> LaunchFile:
    """Read a raw file and verify that it is complete.

    A complete file starts with the header and ends with the footer, which states the number of
    records before it and the CRC-32 of their bytes with line ends (that of zlib, IEEE 802.3).
    Records are parsed only after this check. Raises FileError with the file and the reason.
    """
    footer = checked_footer(path)
    numbered = zip(range(1, footer.records + 1), raw_lines(path), strict=False)  # the footer comes after them
    records = [parse_record(RECORD, path, number, line) for number, line in numbered]
    if not records or not isinstance(records[0], Header):
        raise FileError(f"{path}: line 1: the header must come first")
    overheads = [record for record in records if isinstance(record, Overhead)]
    turns = [record for record in records if isinstance(record, Turns)]
    ends = sum(isinstance(record, Header | Footer) for record in records)
    if ends > 1 or len(overheads) > 1 or len(turns) > 1:
        raise FileError(f"{path}: more than one header, overhead, turns or footer; one launch writes one file")
    check_start(path, records[0].started_at)
    _check_turns(path, records[0], turns)
    all_measurements = [record for record in records if isinstance(record, Measurement)]
    _check_measurements(path, all_measurements)
    measurements, solo = (
        [each for each in all_measurements if each.record == name] for name in ("measurement", "solo_measurement")
    )
    clocks = [record for record in records if isinstance(record, Clock)]
    steps = [step for record in records if isinstance(record, Memory) for step in record.steps]
    overhead = overheads[0] if overheads else None
    further = (next(iter(turns), None), tuple(solo))
    return LaunchFile(path, records[0], clocks, steps, measurements, overhead, footer, *further)


def read_header(path: Path) -> Header:
    """Return the header of a file that has been checked. Raises FileError."""
    record = parse_record(RECORD, path, 1, next(raw_lines(path), b""))
    if not isinstance(record, Header):
        raise FileError(f"{path}: line 1: the header must come first")
    return record


def damage(path: Path) -> str:
    """Return how a raw file is damaged; empty if it is as the engine wrote it. Its records are not parsed."""
    try:
        checked_footer(path)
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


def _check_turns(path: Path, header: Header, turns: list[Turns]) -> None:
    """Raise FileError unless a launch in turns has an entry for each case and pass of its plan, and another none."""
    planned = header.turns.rounds * header.turns.passes * header.turns.cases if header.turns else None
    recorded = len(turns[0].pass_) if turns else None
    if recorded != planned:
        raise FileError(f"{path}: turns: {recorded} cases, but the header says {planned}; {DAMAGED}")


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
