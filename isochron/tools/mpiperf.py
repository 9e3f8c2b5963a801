# SPDX-License-Identifier: BSD-3-Clause
"""mpiperf (M. Kurnosov): reports of collectives, messages and single processes. Format: its src/report.c, bench_coll.c.

Its interval is over the repetitions of one launch, without the variation between launches. It is stored as printed.
"""

import re
from dataclasses import dataclass, field

from isochron.tools.rows import NO_DATA, Gathered, Lines, Printout, Row, cells_of, operation, real, whole

NAME = "mpiperf"
EXPECTED = "an mpiperf report has lines `# Benchmark: Bcast` and `# [Procs] [Count] …`"

VERSION = re.compile(r"# mpiperf (\S+) report")
FACT = re.compile(r"#\s+([A-Z][\w ()]*?): (.*)")
HOST = re.compile(r"#\s+(\d+):(\S+)")
COLUMN = re.compile(r"\[([^\]]+)\]")
#: Elements of reductions are doubles, of all others bytes (its src/coll).
DOUBLES = frozenset({"reduce", "allreduce", "scan", "exscan"})
DOUBLE = 8
MEAN = "mean over the valid repetitions, without outliers, of the longest time of a process"
PIPELINED = "mean of a loop, slowest process"
RANK = "mean of one process"


@dataclass
class _State:
    """The state of the report at the current line."""

    facts: dict[str, str] = field(default_factory=dict)
    hosts: list[str] = field(default_factory=list)
    columns: tuple[str, ...] = ()


def parse(lines: Lines) -> Printout:
    """Return all rows of a report. Raises FileError with file, line and reason."""
    gathered, state = Gathered(), _State()
    for number, text in enumerate(lines.texts, start=1):
        if version := VERSION.match(text):
            gathered.version, state = version[1], _State()
        elif host := HOST.match(text):
            state.hosts.append(host[2])
        elif "[TRuns]" in text or "[CRuns]" in text:
            state.columns = tuple(COLUMN.findall(text))
        elif fact := FACT.match(text):
            state.facts[fact[1]] = fact[2].strip()
        elif text.strip() and not text.startswith("#") and state.columns:
            gathered.rows.append(_row(lines, number, text.split(), state))
        if text.startswith("# Command line:"):
            gathered.command = state.facts["Command line"]
    return gathered.printout(NAME, lines, EXPECTED)


def _row(lines: Lines, number: int, words: list[str], state: _State) -> Row:
    cells = cells_of(lines, number, state.columns, words)
    named, facts = dict(cells), state.facts
    benchmark = facts.get("Benchmark", "")
    synchronised = "CRuns" in named
    engine = "" if "Rank" in named or "Mean" not in named else operation(benchmark)
    processes = whole(lines, number, named, "Procs")
    if processes is None and facts.get("Variable parameter") == "Commsize":
        processes = whole(lines, number, named, "Parameter")
    count = whole(lines, number, named, "Count")
    runs = whole(lines, number, named, "CRuns" if synchronised else "TRuns")
    scale = 1e6 if facts.get("Time scale") == "seconds" else 1.0
    hosts = state.hosts[: processes or 0]
    sound = runs != 0
    return Row(
        line=number,
        benchmark=benchmark,
        operation=engine,
        scheme=("window" if synchronised else "loop") if engine else "",
        statistic=RANK if "Rank" in named else MEAN if synchronised else PIPELINED,
        cells=cells,
        processes=processes,
        processes_per_node=max(map(hosts.count, hosts)) if processes and len(hosts) == processes else None,
        bytes=0 if engine in NO_DATA else None if count is None else count * (DOUBLE if engine in DOUBLES else 1),
        repetitions=runs,
        value_us=real(named, "Mean", scale) if sound else None,
        min_us=real(named, "Min", scale) if sound else None,
        max_us=real(named, "Max", scale) if sound else None,
        note="" if sound else "no valid run",
    )
