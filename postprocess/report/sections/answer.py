# SPDX-License-Identifier: BSD-3-Clause
"""The first screen: what each newer version brings, how good the run is, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, log
from typing import Any

import pandas as pd

from isochron.postprocess.answer.decision import Decision, decide
from isochron.postprocess.answer.grade import LETTERS
from isochron.postprocess.answer.question import questions
from isochron.postprocess.reading.inputs import POINT
from isochron.postprocess.report.section import Section, Source
from isochron.postprocess.tables.answers import ANSWERS, GRADES
from isochron.postprocess.tables.comparison import COMPARISON
from isochron.postprocess.words import labels, numbers

#: The answers in words, in the order in which they stand on the page.
WORDS = {"do-not": "Do not upgrade", "cannot-tell": "Cannot tell yet", "upgrade": "Upgrade"}
#: Ratios from which on a cell of the heat map has the next darker colour.
STEPS = (1.05, 1.2, 1.5, 2.0)


@dataclass(frozen=True)
class Figure:
    """A number that decides, its interval, and where it was found."""

    label: str
    value: str
    interval: str
    where: str


@dataclass(frozen=True)
class Cell:
    """A cell of the heat map. `shade`: -4 (much faster) to 4 (much slower). `established`: more than an estimate."""

    text: str
    shade: int
    established: bool
    said: str


@dataclass(frozen=True)
class Map:
    """Ratios of all cases at a point: a line for each operation, a column for each size."""

    point: str
    sizes: list[str]
    lines: list[tuple[str, list[Cell | None]]]


@dataclass(frozen=True)
class Answer:
    """The answer to one question."""

    older: str
    newer: str
    decision: str
    word: str
    sentence: str
    figures: list[Figure]
    next_step: str
    command: str
    maps: list[Map]


@dataclass(frozen=True)
class GradeLine:
    """A criterion with its value and letter."""

    meaning: str
    value: str
    letter: str


@dataclass(frozen=True)
class View:
    """Answers, and the grade of the run with its reason."""

    answers: list[Answer]
    letter: str
    reason: str
    grades: list[GradeLine]


def build(source: Source) -> View | None:
    """None where the run has no two versions of a library."""
    threshold = source.inputs.campaign.analysis.threshold
    lines = source.analysis[ANSWERS].to_dict("records")
    asked = questions(source.inputs, source.analysis[COMPARISON])
    answers = [
        _answer(source, line, rows, decide(rows, threshold)) for line, (_, _, rows) in zip(lines, asked, strict=True)
    ]
    if not answers:
        return None
    answers.sort(key=lambda answer: list(WORDS).index(answer.decision))
    return View(answers, *_grade(source.analysis[GRADES]))


def _answer(source: Source, line: dict[Any, Any], rows: pd.DataFrame, decision: Decision) -> Answer:
    next_step, command = _next(source, decision)
    return Answer(
        older=line["baseline"],
        newer=line["candidate"],
        decision=decision.word,
        word=WORDS[decision.word],
        sentence=_sentence(source, line, decision),
        figures=_figures(source, line, decision),
        next_step=next_step,
        command=command,
        maps=[_map(group) for _, group in rows.groupby(POINT, sort=False)],
    )


def _sentence(source: Source, line: dict[Any, Any], decision: Decision) -> str:
    newer, older = line["candidate"], line["baseline"]
    comparisons = numbers.count(decision.cases, "comparison")
    parts = [
        f"{word} in {number}"
        for word, number in (("slower", len(decision.slower)), ("faster", len(decision.faster)))
        if number
    ]
    parts += [f"equal in {decision.equal}"] if decision.equal else []
    if decision.word != "cannot-tell" and decision.open:
        parts.append(f"not decided in {decision.open}")
    said = f"In {comparisons}, {newer} is {numbers.listing(parts)}." if parts else f"{comparisons} are all open."
    if decision.word == "do-not":
        worst = decision.slower.iloc[0]
        return (
            f"{newer} takes {numbers.ratio(worst['ratio'])} the time of {older} in "
            f"{labels.case(worst.to_dict(), source.inputs)}. {said}"
        )
    if decision.word == "upgrade":
        return f"{said} Nowhere can it be slower by more than {_threshold(source)}."
    bound = line["possible_ratio"]
    ruled_out = f", where it takes at most {numbers.ratio(bound)} the time" if isfinite(bound) else ""
    return f"{said} {numbers.count(decision.open, 'comparison')} {numbers.are(decision.open)} open{ruled_out}."


def _threshold(source: Source) -> str:
    return numbers.given_percent(source.inputs.campaign.analysis.threshold)


def _figures(source: Source, line: dict[Any, Any], decision: Decision) -> list[Figure]:
    def extreme(label: str, rows: pd.DataFrame, none: str) -> Figure:
        if rows.empty:
            return Figure(label, "none", "", none)
        row = rows.iloc[0]
        interval = numbers.ratio_interval(row["ratio_low"], row["ratio_high"])
        return Figure(label, numbers.ratio(row["ratio"]), interval, labels.case(row.to_dict(), source.inputs))

    effect, low, high = line["effect_ratio"], line["effect_low"], line["effect_high"]
    interval = numbers.ratio_interval(low, high) if isfinite(low) else ""
    return [
        extreme("Worst loss (time newer / older)", decision.slower, "that is established"),
        extreme("Best gain", decision.faster, "that is established"),
        Figure("All together", numbers.ratio(effect), interval, "geometric mean, each comparison alike"),
    ]


def _next(source: Source, decision: Decision) -> tuple[str, str]:
    """What to do now, and the command for it."""
    campaign = source.inputs.campaign
    if decision.word == "do-not":
        return "See where it loses, and give the times to the library's developers:", "#times"
    if decision.word == "upgrade":
        return "After the upgrade, measure again and compare:", f"isochron run {campaign.name} --new"
    if decision.blocks:
        return (
            f"With repetition.blocks: {decision.blocks} instead of {campaign.repetition.blocks} in the campaign file, "
            f"{decision.settled} of {len(decision.feared)} that may be slower are likely to be settled:",
            f"isochron plan {campaign.name}",
        )
    return "The machine is too unquiet for this question: measure when it is quieter.", "isochron doctor"


def _map(rows: pd.DataFrame) -> Map:
    sizes = sorted(rows["bytes"].unique())
    cells = {(row["operation"], row["bytes"]): _cell(row) for row in rows.to_dict("records")}
    operations = list(dict.fromkeys(rows["operation"]))
    return Map(
        point=labels.point(rows.iloc[0].to_dict()),
        sizes=[numbers.size(size) if size else numbers.NONE for size in sizes],
        lines=[(operation, [cells.get((operation, size)) for size in sizes]) for operation in operations],
    )


def _cell(row: dict[Any, Any]) -> Cell:
    ratio = row["ratio"]
    if not isfinite(ratio):
        return Cell(numbers.NONE, 0, False, row["verdict"])
    depth = sum(abs(log(ratio)) >= log(step) for step in STEPS)
    interval = numbers.ratio_interval(row["ratio_low"], row["ratio_high"])
    return Cell(
        text=numbers.significant(ratio),
        shade=depth if ratio > 1 else -depth,
        established=row["verdict"] in ("slower", "faster", "equal"),
        said=f"{interval}, {row['verdict']}",
    )


def _grade(table: pd.DataFrame) -> tuple[str, str, list[GradeLine]]:
    """The worst letter, the criteria that it comes from, and all of them."""
    worst = max(table["grade"], key=LETTERS.index)
    culprits = table[table["grade"] == worst]
    reasons = [f"{row['meaning']}: {numbers.percent(row['value'])}" for row in culprits.to_dict("records")]
    reason = "nothing to object to" if worst == "A" else "; ".join(reasons)
    lines = [GradeLine(row["meaning"], numbers.percent(row["value"]), row["grade"]) for row in table.to_dict("records")]
    return worst, reason, lines


FIRST_SCREEN = Section("answer", "Answer", "answer.html.j2", build, needs=(ANSWERS, GRADES, COMPARISON))
