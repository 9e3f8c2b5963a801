# SPDX-License-Identifier: BSD-3-Clause
"""ReproMPI: summaries, single repetitions, and starts and ends of every process. Format: its results_output.c.

A summary without a valid repetition is printed as zeros; such a row has no value here.
"""

from dataclasses import dataclass, field

from isochron.tools.rows import NO_DATA, Gathered, Lines, Printout, Row, cells_of, integer, operation, real, whole

NAME = "ReproMPI"
EXPECTED = "a ReproMPI file has a head `test  count  total_nrep …` or `test  nrep  count … runtime_sec`"

#: Its schemes by the engine's names.
SCHEMES = {
    "window": "window",
    "roundtime": "round-time",
    "mpi_barrier": "barrier",
    "dissem_barrier": "barrier",
    "double_mpi_barrier": "barrier",
}
#: The time of a repetition: the longest duration of a process, or from the first start to the last end.
RUN = {"local": "longest local duration of a process", "global": "largest end minus smallest start"}
#: Summaries that can be the row's value, in order of preference.
SUMMARIES = ("median_sec", "mean_sec", "min_sec", "max_sec")


@dataclass
class _State:
    """The state of the file at the current line."""

    facts: dict[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()


def parse(lines: Lines) -> Printout:
    """Return all rows of a file. Raises FileError with file, line and reason."""
    gathered, state = Gathered(), _State()
    for number, text in enumerate(lines.texts, start=1):
        words = text.split()
        if text.startswith("#@"):
            name, _, value = text[2:].partition("=")
            state.facts[name.strip()] = value.strip()
        elif text.startswith("#Command-Line Arguments:"):
            gathered.command = text.partition(":")[2].strip()
            state.columns = ()
        elif "test" in words and ({"count", "msize_bytes"} & set(words)):
            state.columns = tuple(words)
        elif words and state.columns and not text.startswith("#"):
            gathered.rows.append(_row(lines, number, words, state))
    gathered.version = state.facts.get("reproMPIcommitSHA1", "")
    return gathered.printout(NAME, lines, EXPECTED)


def _row(lines: Lines, number: int, words: list[str], state: _State) -> Row:
    if len(words) != len(state.columns):
        raise lines.refuse(number, f"{len(words)} columns, but the table's head has {len(state.columns)}")
    benchmark = words[state.columns.index("test")]
    pairs = [pair for pair in zip(state.columns, words, strict=True) if pair[0] != "test"]
    cells = cells_of(lines, number, [name for name, _ in pairs], [text for _, text in pairs])
    named, facts = dict(cells), state.facts
    single, summary = "runtime_sec" in named, "total_nrep" in named
    engine = operation(benchmark) if single or summary else ""
    valid = whole(lines, number, named, "valid_nrep") if summary else None
    failed = integer(lines, number, named, "errorcode")
    column = "runtime_sec" if single else next((name for name in SUMMARIES if name in named), "")
    sound = valid != 0 and not failed
    run = RUN.get(facts.get("runtime_type", "local"), facts.get("runtime_type", ""))
    return Row(
        line=number,
        benchmark=benchmark,
        operation=engine,
        scheme=SCHEMES.get(facts.get("procsync", "").lower(), facts.get("procsync", "")) if engine else "",
        statistic=_statistic(column, run) if engine else "start and end of one process",
        cells=cells,
        processes=whole(lines, number, facts, "nprocs"),
        bytes=0 if engine in NO_DATA else _bytes(lines, number, named, facts),
        repetitions=valid if summary else 1,
        value_us=real(named, column, 1e6) if sound else None,
        min_us=real(named, "min_sec", 1e6) if sound else None,
        max_us=real(named, "max_sec", 1e6) if sound else None,
        note="" if sound else "no valid repetition" if valid == 0 else f"invalid repetition, error code {failed}",
    )


def _statistic(column: str, run: str) -> str:
    word = column.removesuffix("_sec")
    return (
        f"one repetition: {run}"
        if word == "runtime"
        else f"{word} over the valid repetitions of one launch; a repetition: {run}"
    )


def _bytes(lines: Lines, number: int, named: dict[str, str], facts: dict[str, str]) -> int | None:
    """Return the bytes: as printed, or elements times the size of the datatype."""
    if "msize_bytes" in named:
        return whole(lines, number, named, "msize_bytes")
    count, size = whole(lines, number, named, "count"), whole(lines, number, facts, "datatype_size_bytes")
    return None if count is None or size is None else count * size
