# SPDX-License-Identifier: BSD-3-Clause
"""IMB, and PMB before it: all parts (MPI1, NBC, RMA, EXT, P2P, MT …), groups, samples without a time.

Formats: src_c/IMB_output.c and ReadMe_IMB.txt of IMB 2021.11 (intel/mpi-benchmarks); PMB 2.2 and IMB 3 as printed.
"""

import re
from dataclasses import dataclass

from isochron.tools.rows import NO_DATA, Gathered, Lines, Printout, Row, cells_of, operation, real, whole

NAME = "IMB"
EXPECTED = "an IMB file has lines `# Benchmarking Bcast` and `#bytes #repetitions …`"

VERSION = re.compile(
    r"#\s+(?:Intel ?\(R\) MPI Benchmark\w*(?: Suite)?|PALLAS MPI Benchmark Suite) V?(.+?), .* part", re.I
)
HEADING = re.compile(r"#\s*Benchmarking\s+(\S+)")
PROCESSES = re.compile(r"#\s*\(?\s*#processes = (\d+)")
GROUPS = re.compile(r"#\s*\(\s*(\d+) groups of (\d+) processes")
#: A sample that was abandoned: group, size, and reason.
GIVEN_UP = re.compile(r"\s*((?:-?\d+\s+){1,2})((?:out-of-mem|int-overflow|time-out)\b.*)")
COMMAND = re.compile(r"#\s*(\S*(?:IMB-|PMB-)\S*.*)")
#: Collectives with a root, which rotates depending on version and command.
ROOTED = frozenset({"bcast", "gather", "gatherv", "scatter", "scatterv", "reduce"})
MESSAGES = frozenset({"ping-pong", "ping-ping", "sendrecv", "exchange", "barrier"})
MEAN = "mean over the processes of their mean over the repetitions"
ONE = "mean over the repetitions"
#: Columns that can be the row's value, in order of preference, with their statistics.
VALUES = (("t_avg[usec]", MEAN), ("t[usec]", ONE), ("t_pure[usec]", f"{ONE}, nothing computed meanwhile"))


@dataclass
class _Table:
    """The table that is being read."""

    benchmark: str = ""
    processes: int | None = None
    groups: int = 1
    columns: tuple[str, ...] = ()


def parse(lines: Lines) -> Printout:
    """Return all rows of a file. Raises FileError with file, line and reason."""
    gathered, table = Gathered(), _Table()
    for number, text in enumerate(lines.texts, start=1):
        words = text.split()
        if "#repetitions" in words:
            if not table.benchmark:
                raise lines.refuse(number, "a table's head without `# Benchmarking …` above it")
            table.columns = tuple(words)
        elif text.lstrip().startswith("#"):
            table = _commented(text, gathered, table)
        elif words and table.columns:
            gathered.rows.append(_row(lines, number, text, table, gathered))
        elif words and table.benchmark:
            raise lines.refuse(number, f"{text.strip()!r} found instead of the head of the table of {table.benchmark}")
    return gathered.printout(NAME, lines, EXPECTED)


def _commented(text: str, gathered: Gathered, table: _Table) -> _Table:
    if heading := HEADING.match(text):
        return _Table(heading[1])
    if version := VERSION.match(text):
        gathered.version = version[1].strip()
        return _Table()
    if groups := GROUPS.match(text):
        table.groups, table.processes = int(groups[1]), int(groups[2])
    elif processes := PROCESSES.match(text):
        table.processes = int(processes[1])
    elif "entering MPI_Finalize" in text:
        return _Table()
    elif (command := COMMAND.match(text)) and not table.benchmark:
        gathered.command = command[1].strip()
    return table


def _row(lines: Lines, number: int, text: str, table: _Table, gathered: Gathered) -> Row:
    given_up = GIVEN_UP.fullmatch(text)
    texts = given_up[1].split() if given_up else text.split()
    columns = table.columns[: len(texts)] if given_up else table.columns
    cells = cells_of(lines, number, columns, texts)
    named = dict(cells)
    name, processes = table.benchmark, table.processes
    engine = operation(name) if table.groups == 1 else ""
    size = whole(lines, number, named, "#bytes")
    column, statistic = next((entry for entry in VALUES if entry[0] in table.columns), ("", ""))
    return Row(
        line=number,
        benchmark=name,
        operation=engine,
        scheme=scheme(engine, gathered.version, gathered.command),
        statistic=statistic,
        cells=cells,
        processes=processes,
        group=whole(lines, number, named, "Group"),
        bytes=0 if engine in NO_DATA else size,
        repetitions=whole(lines, number, named, "#repetitions"),
        value_us=None if given_up else real(named, column),
        min_us=real(named, "t_min[usec]"),
        max_us=real(named, "t_max[usec]"),
        note=given_up[2].strip() if given_up else "",
    )


def scheme(engine: str, version: str, command: str) -> str:
    """Return how IMB starts the repetitions of an operation; empty if that is none of the engine's schemes.

    Messages and barrier are a loop. Collectives were a loop with a rotating root; from 2017 Update 1 on there is an
    untimed barrier between the repetitions, and the root is fixed (`-sync`, `-root_shift`: ReadMe_IMB.txt).
    """
    if not engine:
        return ""
    if engine in MESSAGES:
        return "loop"
    year = re.match(r"\d{4}", version)
    modern = year is not None and (int(year[0]) > 2017 or "update" in version.lower())
    if engine in ROOTED and _switch(command, "-root_shift", not modern):
        return "rotating-root"
    return "barrier" if _switch(command, "-sync", modern) else "loop"


def _switch(command: str, option: str, default: bool) -> bool:
    match = re.search(rf"(?:^|\s){option}\s+(\S+)", command)
    return match[1].lower() in ("on", "1", "enable", "yes", "true") if match else default
