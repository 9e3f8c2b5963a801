# SPDX-License-Identifier: BSD-3-Clause
"""The raw file of a standard candle: JSON Lines written by isochron-candle (docs/reference/candle.md)."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from isochron.common.files import FileError
from isochron.schemas.run.raw_file import DAMAGED, check_start, checked_footer, parse_record, raw_lines
from isochron.schemas.run.record_parts import Duration, EngineRecord, Int64
from isochron.schemas.run.records import Footer, Host
from isochron.schemas.run.store import Column
from isochron.schemas.run.turns import TurnPlan


class CandleHeader(EngineRecord):
    """What was started, where and how. Times of different `candle_version` must not be compared."""

    record: Literal["header"]
    kind: Literal["candle"]
    schema_version: Literal[1] = Field(alias="schema")
    candle_version: int = Field(ge=1)
    engine_version: str
    started_at: str
    command: list[str]
    launch: dict[str, str]
    compiler: str
    processes: int = Field(ge=1)
    hosts: list[Host] = Field(min_length=1)
    bindings: list[dict[str, str]] = Field(min_length=1)
    passes: int = Field(ge=1)
    batch: int = Field(ge=1)
    turns: TurnPlan | None  # none: it measured alone


class CandleCase(EngineRecord):
    """One operation at one size: lists with an entry for each pass, in ns.

    `t_ns` is CLOCK_MONOTONIC of the node of rank 0 when the slice began, `median_ns` the median of its `reps`
    repetitions, each the longest over all processes. In turns, `slept_cpu_ns` is the processor time of a process while
    it waited, the most of all, and `waited_ns` the duration of the wait; without turns both are empty.
    """

    record: Literal["candle"]
    operation: str
    bytes: Int64
    kernel: str
    t_ns: list[Int64]
    median_ns: list[Annotated[float, Field(gt=0)]]
    reps: list[Int64]
    warmup_reps: list[Int64]
    slept_cpu_ns: list[Duration]
    waited_ns: list[Duration]


RECORD: TypeAdapter[CandleHeader | CandleCase | Footer] = TypeAdapter(
    Annotated[CandleHeader | CandleCase | Footer, Field(discriminator="record")]
)


@dataclass(frozen=True)
class CandleFile:
    """All records of one raw file, in the order of the file."""

    path: Path
    header: CandleHeader
    cases: list[CandleCase]
    footer: Footer


def read_candle(path: Path) -> CandleFile:
    """Read a raw file of a candle and verify that it is whole and agrees with itself. Raises FileError."""
    footer = checked_footer(path)
    numbered = zip(range(1, footer.records + 1), raw_lines(path), strict=False)  # the footer comes after them
    records = [parse_record(RECORD, path, number, line) for number, line in numbered]
    if not records or not isinstance(records[0], CandleHeader):
        raise FileError(f"{path}: line 1: the header must come first")
    header = records[0]
    cases = [record for record in records[1:] if isinstance(record, CandleCase)]
    if len(cases) != len(records) - 1:
        raise FileError(f"{path}: more than one header or footer; one launch writes one file")
    check_start(path, header.started_at)
    found = next(_problems(header, cases), "")
    if found:
        raise FileError(f"{path}: {found}; {DAMAGED}")
    return CandleFile(path, header, cases, footer)


def _problems(header: CandleHeader, cases: list[CandleCase]) -> Iterator[str]:
    """In what the records disagree with the header and with each other."""
    plan = header.turns
    if plan is not None and (plan.rounds, plan.cases) != (header.passes, len(cases)):
        yield f"header.turns: {plan.rounds} rounds of {plan.cases} cases, but {header.passes} of {len(cases)} are here"
    counts = Counter((case.operation, case.bytes) for case in cases)
    yield from (f"{name} at {size} bytes: is listed {n} times" for (name, size), n in counts.items() if n > 1)
    for case in cases:
        yield from _column_problems(case, header.passes, header.passes if plan else 0)


def _column_problems(case: CandleCase, passes: int, turns: int) -> Iterator[str]:
    """The columns of a case that have not an entry for each pass, or each turn."""
    columns = {
        **dict.fromkeys(("t_ns", "median_ns", "reps", "warmup_reps"), passes),
        **dict.fromkeys(("slept_cpu_ns", "waited_ns"), turns),
    }
    for name, expected in columns.items():
        length = len(getattr(case, name))
        if length != expected:
            yield f"{case.operation} at {case.bytes} bytes: {name} has {length} entries, and {expected} are expected"


#: Columns of `candles` of the store.
CANDLES = (
    Column("session", "string", "the launches with which it took turns"),
    Column("candle_version", "int64", "version of its algorithms: times of different versions are not compared"),
    Column("operation", "string", "operation"),
    Column("bytes", "int64", "message size"),
    Column("round", "int64", "number of the round, from 0"),
    Column("t_s", "float64", "begin of the turn by the clock of the first node, as in `slices`"),
    Column("reps", "int64", "repetitions of the turn"),
    Column("median_us", "float64", "their median, each the longest over all processes"),
)
