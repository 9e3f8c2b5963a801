# SPDX-License-Identifier: BSD-3-Clause
"""mpiBench (LLNL): one line per result, with names and numbers in pairs. Format: its mpiBench.c, version 1.5."""

import re

from isochron.tools.rows import NO_DATA, Gathered, Lines, Printout, Row, cells_of, operation, real, whole

NAME = "mpiBench"
EXPECTED = "an mpiBench file begins with `START mpiBench v…`"

START = re.compile(r"START mpiBench v(\S+)")
HOST = re.compile(r"(\d+) : (\S+)$")
RESULT = re.compile(r"(\S+)\s+Bytes:\s+\S")
NUMBERS = ("Bytes", "Iters", "Avg", "Min", "Max", "Ranks")
PAIR = re.compile(r"(\w+):\s*(\S+)")
STATISTIC = "mean over the processes of their mean over the repetitions"
WITH_BARRIER = f"{STATISTIC}, each with the barrier that follows it"
WORLD = "MPI_COMM_WORLD"


def parse(lines: Lines) -> Printout:
    """Return all rows of a file. Raises FileError with file, line and reason."""
    gathered, hosts, reading = Gathered(), list[str](), False
    for number, text in enumerate(lines.texts, start=1):
        if start := START.match(text):
            gathered.version, reading, hosts = start[1], True, []
        elif not reading or not text.strip() or text.startswith("Message buffers"):
            continue
        elif text.startswith("END mpiBench"):
            reading = False
        elif host := HOST.match(text.strip()):
            hosts.append(host[2])
        elif RESULT.match(text):
            gathered.rows.append(_row(lines, number, text, hosts))
        else:
            raise lines.refuse(
                number, f"{text.strip()!r} is not a result of mpiBench (`Bcast  Bytes: 8  Iters: 1000 …`)"
            )
    return gathered.printout(NAME, lines, EXPECTED)


def _row(lines: Lines, number: int, text: str, hosts: list[str]) -> Row:
    name, rest = text.split(None, 1)
    pairs = dict(PAIR.findall(rest))
    missing = [name for name in NUMBERS if name not in pairs]
    if missing:
        raise lines.refuse(number, f"no `{missing[0]}:` in this result")
    cells = cells_of(lines, number, NUMBERS, [pairs[name] for name in NUMBERS])
    named = dict(cells)
    ranks = whole(lines, number, named, "Ranks")
    engine = operation(name) if pairs.get("Comm") == WORLD else ""
    return Row(
        line=number,
        benchmark=name,
        operation=engine,
        scheme="loop" if engine else "",
        statistic=STATISTIC if engine in NO_DATA else WITH_BARRIER,
        cells=cells,
        processes=ranks,
        processes_per_node=max(map(hosts.count, hosts)) if len(hosts) == ranks else None,
        bytes=whole(lines, number, named, "Bytes"),
        repetitions=whole(lines, number, named, "Iters"),
        value_us=real(named, "Avg"),
        min_us=real(named, "Min"),
        max_us=real(named, "Max"),
        note="" if pairs.get("Comm") == WORLD else f"communicator {pairs.get('Comm', '')}",
    )
