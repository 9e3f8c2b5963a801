# SPDX-License-Identifier: BSD-3-Clause
"""The first screen: what is answered, how good the run is, the findings, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.answer.decision__decision import decision_on
from isochron.postprocess.estimate.answer.decision__question import ALL, answering, oriented
from isochron.postprocess.estimate.answer.trust__grade import LETTERS
from isochron.postprocess.formatting import labels__labels as labels
from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.formatting.glossary import GLOSSARY
from isochron.postprocess.ingest.inputs__inputs import RunInputs
from isochron.postprocess.kit.section import Section, Source
from isochron.postprocess.subjects.answer.charts__findings import Shown, findings
from isochron.postprocess.subjects.answer.charts__forest import Forest, forest
from isochron.postprocess.subjects.answer.charts__heat import Map, Score, maps, matrix
from isochron.postprocess.subjects.answer.section__data import pairs_data
from isochron.postprocess.subjects.answer.section__undecided import Open, undecided
from isochron.postprocess.subjects.answer.table__answers import ANSWERS, GRADES
from isochron.postprocess.subjects.answer.table__inconclusive import UNDECIDED
from isochron.postprocess.subjects.answer.verdict import (
    ORDER,
    Figure,
    Step,
    figures,
    next_step,
    sentence,
    settling,
    word,
)
from isochron.postprocess.subjects.comparison.table import COMPARISON

#: Lines of a forest plot of all comparisons, and of inconclusive ones: beyond, the smallest are left to the tables.
MAX_LINES = 40


@dataclass(frozen=True)
class Answer:
    """The answer to one question, and what it rests on."""

    anchor: str
    older: str
    newer: str
    decision: str
    word: str
    sentence: str
    figures: list[Figure]
    step: Step
    maps: list[Map]
    maps_left_out: int
    forest: Forest
    left_out: int
    undecided: list[Open]
    undecided_left_out: int
    settling: str


@dataclass(frozen=True)
class GradeLine:
    """A criterion with its value and letter."""

    meaning: str
    value: str
    letter: str


@dataclass(frozen=True)
class View:
    """Answers, the grade of the run with its reason, findings, and what lets any two stacks be looked at."""

    answers: list[Answer]
    anchors: dict[tuple[str, str], str]
    largest: str
    letter: str
    reason: str
    grades: list[GradeLine]
    findings: list[Shown]
    stacks: list[str]
    matrix: list[tuple[str, list[Score | None]]]
    data: str
    reduced: bool
    glossary: dict[str, str]


def build(source: Source) -> View | None:
    """None where there are no two stacks to compare."""
    inputs = source.inputs
    table = oriented(source.analysis[COMPARISON])
    lines = sorted(source.analysis[ANSWERS].to_dict("records"), key=_rank)
    answers = [_answer(source, table, line, f"answer-{number}") for number, line in enumerate(lines, start=1)]
    if not answers:
        return None
    stacks = inputs.campaign.stacks
    several = len(stacks) > 2
    data, reduced = pairs_data(source.analysis[COMPARISON], stacks, inputs.campaign.analysis.threshold)
    letter, reason, grades = _grade(source.analysis[GRADES])
    return View(
        answers=answers,
        anchors=_anchors(answers, inputs.asked.pairs),
        largest=_largest(table, inputs),
        letter=letter,
        reason=reason,
        grades=grades,
        findings=findings(table, inputs),
        stacks=stacks,
        matrix=matrix(table, stacks) if several else [],
        data=data if several else "",
        reduced=reduced,
        glossary=GLOSSARY,
    )


def _anchors(answers: list[Answer], pairs: list[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Where the comparisons of a pair stand. Those of one stack against all others stand under that stack."""
    found = {(answer.older, answer.newer): f"{answer.anchor}-rests" for answer in answers if answer.older != ALL}
    leader = next((answer for answer in answers if answer.older == ALL), None)
    if leader is not None:
        both = [each for pair in pairs for each in (pair, pair[::-1]) if leader.newer in each]
        found |= dict.fromkeys(both, f"{leader.anchor}-rests")
    return found


def _rank(line: dict[Any, Any]) -> tuple[int, float]:
    """By decision, and of these the largest loss first."""
    worst = line["worst_ratio"]
    return ORDER.index(line["decision"]), -worst if worst > 0 else 0.0


def _answer(source: Source, table: pd.DataFrame, line: dict[Any, Any], anchor: str) -> Answer:
    inputs = source.inputs
    rows, decision = answering(table, line), decision_on(inputs, table, line)
    stacks = inputs.campaign.stacks if line["baseline"] == ALL else [line["baseline"], line["candidate"]]
    ranked, (shown, maps_left_out) = _ranked(rows), maps(rows)
    still_open = undecided(rows, source.analysis[UNDECIDED], inputs)

    def label(row: dict[Any, Any]) -> str:
        return labels.case(row, inputs) + (f", against {row['other']}" if line["baseline"] == ALL else "")

    return Answer(
        anchor=anchor,
        older=line["baseline"],
        newer=line["candidate"],
        decision=line["decision"],
        word=word(line, inputs),
        sentence=sentence(line, decision, inputs),
        figures=figures(line, decision, inputs),
        step=next_step(line, decision, inputs, f"{anchor}-rests"),
        maps=shown,
        maps_left_out=maps_left_out,
        forest=forest(ranked.head(MAX_LINES), label, inputs.campaign.analysis.threshold),
        left_out=max(0, len(ranked) - MAX_LINES),
        undecided=still_open[:MAX_LINES],
        undecided_left_out=max(0, len(still_open) - MAX_LINES),
        settling=settling(inputs, stacks, "N"),
    )


def _ranked(rows: pd.DataFrame) -> pd.DataFrame:
    """By damage: the largest ratio first. Where not all can be shown, the largest differences are."""
    known = rows[np.isfinite(rows["ratio"]) & (rows["ratio"] > 0)]
    if len(known) > MAX_LINES:
        size = known["ratio"].map(lambda ratio: abs(log(ratio))).sort_values(ascending=False, kind="stable")
        known = known.loc[size.index[:MAX_LINES]]
    ranked: pd.DataFrame = known.sort_values("ratio", ascending=False, kind="stable")
    return ranked


def _largest(table: pd.DataFrame, inputs: RunInputs) -> str:
    """The largest established difference of the run, where the campaign does not ask about it."""
    slower = table[table["verdict"] == "slower"].sort_values("ratio", ascending=False, kind="stable")
    if slower.empty or slower.iloc[0]["family"] == "question":
        return ""
    row = slower.iloc[0]
    return (
        f"{row['stack']} takes {numbers.significant(row['ratio'])} times as long as {row['other']} in "
        f"{labels.case(row.to_dict(), inputs)}"
    )


def _grade(table: pd.DataFrame) -> tuple[str, str, list[GradeLine]]:
    """The worst letter, the criteria that it comes from, and all of them."""
    worst = max(table["grade"], key=LETTERS.index)
    culprits = table[table["grade"] == worst]
    reasons = [f"{row['meaning']}: {numbers.percent(row['value'])}" for row in culprits.to_dict("records")]
    reason = "nothing to object to" if worst == "A" else "; ".join(reasons)
    lines = [GradeLine(row["meaning"], numbers.percent(row["value"]), row["grade"]) for row in table.to_dict("records")]
    return worst, reason, lines


FIRST_SCREEN = Section(
    "answer", "Answer", "answer/answer.html.j2", build, needs=(ANSWERS, GRADES, COMPARISON, UNDECIDED)
)
