# SPDX-License-Identifier: BSD-3-Clause
"""SKaMPI 5: `begin result "MPI_Bcast-nodes-length"`, variables, size, time, standard error, repetitions, processes.

Format: src/measurement.c and src/parser.y of SKaMPI 5; version 5.0 prints no `#` and no size for a barrier.
"""

import re

from isochron.tools.rows import NO_DATA, NUMBER, Gathered, Lines, Printout, Row, cells_of, operation, real, whole

NAME = "SKaMPI"
EXPECTED = 'a SKaMPI file has lines `# begin result "MPI_Bcast-length"`'

VERSION = re.compile(r"#?\s*SKaMPI Version (\S+)")
BEGIN = re.compile(r'\s*#?\s*begin result "(.+?)"')
END = re.compile(r"\s*#?\s*end result\b")
VARIABLE = re.compile(r"(\w+)=\s*(\S+)\s*")
#: Variables that are numbers of processes.
PROCESSES = ("nodes", "procs")
#: What SKaMPI prints for a process without a time.
NONE = "---"
STATISTIC = "mean over the repetitions of the longest time of a process, outer quartiles left out"
FIXED = ("size", "time", "std_error", "repetitions")


def parse(lines: Lines) -> Printout:
    """Return all rows of a file. Raises FileError with file, line and reason."""
    gathered, result = Gathered(), ""
    for number, text in enumerate(lines.texts, start=1):
        if version := VERSION.match(text):
            gathered.version, result = version[1], ""
        elif begin := BEGIN.match(text):
            result = begin[1]
        elif END.match(text):
            result = ""
        elif text.strip() and not text.lstrip().startswith("#") and result:
            gathered.rows.append(_row(lines, number, text, result))
    return gathered.printout(NAME, lines, EXPECTED)


def _row(lines: Lines, number: int, text: str, result: str) -> Row:
    rest, variables = text.strip(), []
    while variable := VARIABLE.match(rest):
        variables.append((variable[1], variable[2]))
        rest = rest[variable.end() :]
    words = rest.split()
    columns = FIXED if words and re.fullmatch(r"-?\d+", words[0]) else FIXED[1:]
    if len(words) < len(columns):
        raise lines.refuse(number, f"{len(words)} numbers after the variables; a result has {', '.join(columns)}")
    times = [(f"process {rank}", word) for rank, word in enumerate(words[len(columns) :]) if word != NONE]
    columns_with_texts = [*variables, *zip(columns, words, strict=False), *times]
    numbers = [entry for entry in columns_with_texts if NUMBER.fullmatch(entry[1]) or entry not in variables]
    cells = cells_of(lines, number, [name for name, _ in numbers], [word for _, word in numbers])
    named, benchmark = dict(cells), result.partition("-")[0]
    engine = operation(benchmark) if benchmark.startswith("MPI_") else ""
    return Row(
        line=number,
        benchmark=result,
        operation=engine,
        scheme="window" if engine else "",
        statistic=STATISTIC,
        cells=cells,
        processes=next((whole(lines, number, named, name) for name in PROCESSES if name in named), None),
        bytes=0 if engine in NO_DATA else whole(lines, number, named, "size"),
        repetitions=whole(lines, number, named, "repetitions"),
        value_us=real(named, "time"),
        note=" ".join(f"{name}={word}" for name, word in variables if not NUMBER.fullmatch(word)),
    )
