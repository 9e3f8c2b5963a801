# SPDX-License-Identifier: BSD-3-Clause
"""PICO: a file for each launch, of a line `highest` and one duration in nanoseconds for each repetition.

A repetition begins with a barrier; its duration is the longest that a process measured with its own clock. There is no
warm-up. Size and algorithm are in the name of the file (`<elements>_<algorithm>[_<segment>]_<type>.csv`, of NCCL
`<bytes>_<collective>_nccl_<algorithm>.csv`), the job and the number of the test in those of its folders
(`<machine>/<job>/<test>/`), and collective and processes only in `<machine>_metadata.csv` beside `<machine>`.
Format: https://github.com/HLC-Lab/pico, `results/`, 2025.
"""

import csv
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from isochron.common.files import FileError, read_text
from isochron.tools.rows import NUMBER, Gathered, Lines, Printout, Row, cells_of, operation

NAME = "PICO"
EXPECTED = "a PICO file has a line `highest` and one duration a line"
HEAD = "highest"
STATISTIC = "one repetition: longest local duration of a process"
#: Note of a launch's first repetition.
FIRST = "first repetition, without warm-up"

#: Standard output that PICO leaves at the end of its files.
LEFT_OVER = re.compile(r"Average runtime: |-> Buffer: ")
JOB = re.compile(r"\d{4}_\d\d_\d\d___\d\d_\d\d_\d\d")
#: Sizes of its types of elements.
TYPES = {"int8": 1, "char": 1, "int16": 2, "int32": 4, "int": 4, "float": 4, "int64": 8, "double": 8}
OF_ELEMENTS = re.compile(rf"(\d{{1,18}})_(.+)_({'|'.join(TYPES)})\.csv")
OF_NCCL = re.compile(r"(\d{1,18})_([a-z_]+?)_(nccl_.+)\.csv")
#: Collectives of which it states the whole buffer, and the engine the block of one process.
WHOLE = frozenset({"allgather", "alltoall", "gather", "scatter"})
METADATA = ("timestamp", "test_id", "nnodes", "tasks_per_node", "collective_type")


@dataclass(frozen=True)
class _Test:
    """What is known of a file's launch from its name, its folders and the metadata; empty or None if nothing is."""

    job: str = ""
    collective: str = ""
    algorithm: str = ""
    buffer: int | None = None
    processes: int | None = None
    processes_per_node: int | None = None


def parse(lines: Lines) -> Printout:
    """Return one row for each repetition, and for each line of standard output. Raises FileError with file and line."""
    gathered, test = Gathered(), _test(lines.path)
    if not lines.texts or lines.texts[0].strip() != HEAD:
        raise lines.refuse(1, f"no table of {NAME} in this file; {EXPECTED}")
    for number, text in enumerate(lines.texts[1:], start=2):
        if LEFT_OVER.match(text):
            gathered.rows.append(Row(number, test.algorithm, "", "", "standard output", (), job=test.job, note=text))
        elif text.strip():
            gathered.rows.append(_row(lines, number, text.strip(), test))
    return gathered.printout(NAME, lines, EXPECTED)


def _row(lines: Lines, number: int, text: str, test: _Test) -> Row:
    if not NUMBER.fullmatch(text):
        raise lines.refuse(number, f"{text[:40]!r} is not a duration in nanoseconds; remove what is not of {NAME}")
    engine, first = operation(test.collective), number == 2
    size = test.buffer
    if engine in WHOLE and size is not None:
        size = size // test.processes if test.processes and size % test.processes == 0 else None
    return Row(
        line=number,
        benchmark=f"{test.collective} {test.algorithm}".strip(),
        operation=engine,
        scheme="barrier" if engine else "",
        statistic=STATISTIC,
        cells=cells_of(lines, number, [HEAD], [text]),
        processes=test.processes,
        processes_per_node=test.processes_per_node,
        bytes=size,
        repetitions=1,
        value_us=float(text) / 1e3,
        job=test.job,
        note="" if not first else "placeholder" if float(text) == 0 else FIRST,
    )


def _test(path: Path) -> _Test:
    """Return what is known of the launch. Raises FileError if the metadata cannot be read."""
    folder = path.absolute().parent
    job = folder.parent.name if JOB.fullmatch(folder.parent.name) else ""
    collective, algorithm, buffer = "", path.stem, None
    if named := OF_ELEMENTS.fullmatch(path.name):
        algorithm, buffer = named[2], int(named[1]) * TYPES[named[3]]
    elif named := OF_NCCL.fullmatch(path.name):
        collective, algorithm, buffer = named[2], named[3], int(named[1])
    machine = folder.parent.parent
    metadata = machine.with_name(f"{machine.name}_metadata.csv")
    known = _tests(metadata).get((job, folder.name)) if job and metadata.is_file() else None
    if known is None:
        return _Test(job, collective, algorithm, buffer)
    stated, nodes, per_node = known
    return _Test(job, collective or stated, algorithm, buffer, nodes * per_node, per_node)


@lru_cache(maxsize=16)
def _tests(path: Path) -> dict[tuple[str, str], tuple[str, int, int]]:
    """Return collective, nodes and processes per node by job and test."""
    tests = {}
    texts = read_text(path, f"give the metadata of {NAME}").splitlines()
    for number, row in enumerate(csv.DictReader(texts), start=2):
        missing = [name for name in METADATA if not row.get(name)]
        counts = [row.get(name) or "" for name in ("nnodes", "tasks_per_node")]
        if missing or not all(re.fullmatch(r"[1-9]\d{0,8}", count, re.ASCII) for count in counts):
            reason = (
                f"no {', '.join(missing)}" if missing else f"{' and '.join(counts)} are not numbers of nodes, processes"
            )
            raise FileError(f"{path}:{number}: {reason}; the columns are {', '.join(METADATA)}, …")
        tests[row["timestamp"], row["test_id"]] = (row["collective_type"].lower(), int(counts[0]), int(counts[1]))
    return tests
