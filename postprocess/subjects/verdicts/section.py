# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts of every result, the machine's certificate, and how far starts were apart."""

from dataclasses import dataclass
from typing import Any

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import RESULT_KEY
from isochron.postprocess.kit.section import Section, Source, StackMark
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.results.table import SUMMARY
from isochron.postprocess.subjects.verdicts.finding import dependent, remeasured, unreliable
from isochron.postprocess.subjects.verdicts.table import CERTIFICATE, REMEASURED, STARTS, VERDICTS


@dataclass(frozen=True)
class VerdictLine:
    """Verdict of a row with what it rests on."""

    mark: StackMark
    operation: str
    size: str
    point: str
    launches: str
    runs: str
    late: str
    overrun: str
    disturbed: str
    rse: str
    verdict: str
    reason: str
    reliable: bool


@dataclass(frozen=True)
class AgainRow:
    """A row that was measured again: both results."""

    mark: StackMark
    case: str
    first: str
    again: str
    outcome: str
    reason: str


@dataclass(frozen=True)
class EffectRow:
    """How many rows with an injected effect were found, and the interval of that share."""

    effect: str
    detected: str
    share: str


@dataclass(frozen=True)
class CertificateView:
    """The certificate in sentences, why it may not be of this run, and what it found of each effect."""

    text: str
    doubt: str
    effects: list[EffectRow]


@dataclass(frozen=True)
class VerdictsView:
    """Rows that are not reliable, all rows, those that were measured again; and the machine's certificate."""

    doubtful: list[VerdictLine]
    rows: list[VerdictLine]
    again: list[AgainRow]
    certificate: CertificateView | None


def build_verdicts(source: Source) -> VerdictsView:
    """Always there."""
    rows = verdict_rows(source)
    return VerdictsView([row for row in rows if not row.reliable], rows, remeasured_rows(source), certificate(source))


def certificate(source: Source) -> CertificateView | None:
    """None if there is none."""
    table = source.analysis[CERTIFICATE].to_dict("records")
    if not table:
        return None
    first = table[0]
    covered = first["covered_rows"] / first["rows"] if first["rows"] else float("nan")
    text = (
        f"Isochron has compared {numbers.listing(first['stacks'].split(','))} with itself on "
        f"{numbers.listing(first['hosts'].split(','))} ({first['processor']}) with engine {first['engine_version']}; "
        f"some operations were slowed by a known share, and the analysis was not told which (made {first['made_at']}, "
        f"in {first['results']}). Of {numbers.count(first['tables'], 'table')}, {first['false_tables']} had a false "
        f"verdict: at most {numbers.percent(first['false_high'])} of all do, with "
        f"{numbers.given_percent(first['confidence'])} confidence. The intervals held the true ratio in "
        f"{numbers.percent(covered)} of {numbers.count(first['rows'], 'row')}."
    )
    other = [
        words for fact, words in (("same_hosts", "other hosts"), ("same_engine", "another engine")) if not first[fact]
    ]
    doubt = f"It says little of this run, which had {numbers.listing(other)}." if other else ""
    return CertificateView(text, doubt, [_effect(row) for row in table if row["effect"] > row["threshold"]])


def _effect(row: dict[Any, Any]) -> EffectRow:
    low, high = numbers.percent(row["detected_low"]), numbers.percent(row["detected_high"])
    return EffectRow(numbers.given_percent(row["effect"]), f"{row['detected']} of {row['of']}", f"[{low}; {high}]")


def verdict_rows(source: Source) -> list[VerdictLine]:
    """Every planned row, in the plan's order."""
    marks, analysis = source.marks, source.analysis
    table = analysis[VERDICTS].merge(analysis[SUMMARY][[*RESULT_KEY, "rse", "reliable"]], on=RESULT_KEY, how="left")
    return [
        VerdictLine(
            mark=marks[row["stack"]],
            operation=row["operation"],
            size=labels.size(row),
            point=labels.point(row),
            launches=f"{row['launches_ok']} of {row['launches']}"
            + (f" ({row['launches_planned']} planned)" if row["launches"] < row["launches_planned"] else ""),
            runs=f"{numbers.fixed(row['reps_valid'], 0)} of {numbers.fixed(row['reps_made'], 0)}",
            late=numbers.fixed(row["reps_late_start"], 0),
            overrun=numbers.fixed(row["reps_overrun"], 0),
            disturbed=numbers.fixed(row["reps_disturbed"], 0),
            rse=numbers.percent(row["rse"]),
            verdict=row["verdict"],
            reason=row["reason"],
            reliable=row["reliable"],
        )
        for row in table.to_dict("records")
    ]


def remeasured_rows(source: Source) -> list[AgainRow]:
    """Rows that were in doubt and were measured again."""
    marks = source.marks
    return [
        AgainRow(
            mark=marks[row["stack"]],
            case=labels.case(row, source.inputs),
            first=_result(row, "first"),
            again=_result(row, "again"),
            outcome=row["outcome"],
            reason=row["reason"],
        )
        for row in source.analysis[REMEASURED].to_dict("records")
    ]


def _result(row: dict[Any, Any], which: str) -> str:
    """`5.31 µs [5.20; 5.44] of 10 launches`."""
    value, low, high = (row[f"{which}_{name}_us"] for name in ("median", "low", "high"))
    text, interval = numbers.interval(value, low, high, numbers.decimals_for(value, low, high))
    return f"{text}{numbers.GAP}µs {interval} of {numbers.count(row[f'{which}_launches'], 'launch', 'launches')}"


RESULT_VERDICTS = Section(
    "verdicts",
    "Verdicts",
    "verdicts/section.html.j2",
    build_verdicts,
    needs=(SUMMARY, VERDICTS, REMEASURED, CERTIFICATE),
)


#: Share of discarded runs from which a row is worth a word.
MUCH = 0.1


@dataclass(frozen=True)
class StartRow:
    """A row of the results: its starts as text."""

    mark: StackMark
    operation: str
    size: str
    point: str
    runs: str
    late: str
    overrun: str
    slot: str
    skew: str
    part: str


@dataclass(frozen=True)
class StartsView:
    """A sentence on all rows, and the rows, those with the most discarded runs first."""

    text: str
    rows: list[StartRow]


def build_starts(source: Source) -> StartsView | None:
    """None if nothing was measured."""
    table = source.analysis[STARTS]
    if not len(table):
        return None
    much, apart = int((table["discarded"] > MUCH).sum()), _nanoseconds(float(table["start_skew_us"].median()))
    text = (
        f"Starts were {apart}{numbers.GAP}ns apart in the median over rows. In {much} of "
        f"{numbers.count(len(table), 'row')} more than {numbers.given_percent(MUCH)} of the runs were discarded"
    )
    marks = source.marks
    rows = [
        StartRow(
            mark=marks[row["stack"]],
            operation=row["operation"],
            size=labels.size(row),
            point=labels.point(row),
            runs=numbers.fixed(row["reps_made"], 0),
            late=numbers.percent(row["late_start"]),
            overrun=numbers.percent(row["overrun"]),
            slot=numbers.significant(row["slot_us"]),
            skew=_nanoseconds(row["start_skew_us"]),
            part=numbers.percent(row["skew_share"]),
        )
        for row in table.sort_values("discarded", ascending=False, kind="stable").to_dict("records")
    ]
    return StartsView(text, rows)


def _nanoseconds(time_us: float) -> str:
    """A time in ns, with two digits at least: clocks resolve no more of a spread of a few ns."""
    return numbers.significant(time_us * 1000, 2)


STARTS_OF_ROWS = Section("starts", "Starts", "verdicts/starts.html.j2", build_starts, needs=(STARTS,))

SUBJECT = Subject(
    tables=(VERDICTS, STARTS, REMEASURED),
    frames=(CERTIFICATE,),
    findings=(unreliable, remeasured, dependent),
    sections=(RESULT_VERDICTS, STARTS_OF_ROWS),
)
