# SPDX-License-Identifier: BSD-3-Clause
"""OSU micro-benchmarks: any test, with or without `-f`, percentiles and validation, several tests in one file.

Formats: c/util/osu_util_mpi.c of 7.4 and mpi/collective/osu_coll.c of 5.3; versions before print fewer columns.
"""

import re
from dataclasses import dataclass

from isochron.tools.rows import NO_DATA, Gathered, Lines, Printout, Row, cells_of, operation, real, whole

NAME = "OSU"
EXPECTED = "an OSU file has a line `# OSU MPI Broadcast Latency Test v…` and a head `# Size …`"

HEADING = re.compile(r"#\s*OSU\s+(MPI\S*.*?)(?:\s+v(\d\S*))?\s*$")
#: First columns of a head; tests without sizes begin with their first value.
HEADS = ("Size", "Avg Latency", "Overall", "Bandwidth", "MB/s", "Latency")
TEST = re.compile(r"MPI(?:-\w+)?\s+(?:(.+?)\s+)?(?:Personalized Exchange\s+)?Latency Test")
OTHER_WORDS = {"Broadcast": "bcast", "All-to-All": "alltoall", "All-to-Allv": "alltoallv", "All-to-Allw": "alltoallw"}
#: Columns that can be the row's value, in order of preference.
LATENCIES = ("Avg Latency(us)", "Latency (us)", "Latency(us)")
MEAN = "mean over the processes of their mean over the iterations"
ONE_WAY = "half of the mean round trip"


@dataclass
class _Table:
    """The table that is being read."""

    benchmark: str = ""
    columns: tuple[str, ...] = ()


def parse(lines: Lines) -> Printout:
    """Return all rows of a file. Raises FileError with file, line and reason."""
    gathered, table = Gathered(), _Table()
    for number, text in enumerate(lines.texts, start=1):
        if text.startswith("#"):
            if heading := HEADING.match(text):
                gathered.version, table = heading[2] or gathered.version, _Table(heading[1])
            elif (names := _head(text)) and table.benchmark:
                table.columns = names
        elif text.strip() and table.columns:
            gathered.rows.append(_row(lines, number, text.split(), table))
        elif text.strip() and table.benchmark:
            raise lines.refuse(number, f"{text.strip()!r} found instead of the head of `{table.benchmark}`")
    return gathered.printout(NAME, lines, EXPECTED)


def _head(text: str) -> tuple[str, ...]:
    """Return names of the columns; none if the line is another comment."""
    names = tuple(re.split(r"\s{2,}|\t+", text.lstrip("#").strip()))
    return names if names[0].startswith(HEADS) and "=" not in text else ()


def _row(lines: Lines, number: int, texts: list[str], table: _Table) -> Row:
    columns, note = list(table.columns), ""
    if "Validation" in columns and len(texts) == len(columns):
        place = columns.index("Validation")
        note = f"validation: {texts[place]}"
        columns, texts = columns[:place] + columns[place + 1 :], texts[:place] + texts[place + 1 :]
    cells = cells_of(lines, number, columns, texts)
    named = dict(cells)
    for name, text in cells:
        if "(us)" in name and float(text) < 0:
            raise lines.refuse(number, f"{name} = {text[:40]} cannot be; correct the line, or remove it")
    engine = _operation(table.benchmark)
    column = next((name for name in LATENCIES if name in named), "")
    return Row(
        line=number,
        benchmark=table.benchmark,
        operation=engine,
        scheme=("loop" if engine in ("ping-pong", *NO_DATA) else "barrier") if engine else "",
        statistic=(ONE_WAY if engine == "ping-pong" else MEAN) if column else "",
        cells=cells,
        processes=2 if engine == "ping-pong" else None,
        bytes=0 if engine in NO_DATA else whole(lines, number, named, "Size"),
        repetitions=whole(lines, number, named, "Iterations"),
        value_us=real(named, column),
        min_us=real(named, "Min Latency(us)"),
        max_us=real(named, "Max Latency(us)"),
        note=note,
    )


def _operation(benchmark: str) -> str:
    test = TEST.fullmatch(benchmark)
    if not test:
        return ""
    return operation(OTHER_WORDS.get(test[1], test[1])) if test[1] else "ping-pong"
