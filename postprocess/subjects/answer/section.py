# SPDX-License-Identifier: BSD-3-Clause
"""The first screen of the report: answer, quality, findings, comparisons; and the key figures."""

import json
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.answer.another_job import turned_forecasts
from isochron.postprocess.estimate.answer.decision import ALL, answering, by_least, decision_on, oriented
from isochron.postprocess.estimate.answer.least import at_least
from isochron.postprocess.estimate.compare.again import turned_to
from isochron.postprocess.estimate.compare.interference import both_ratios
from isochron.postprocess.estimate.compare.states import in_two_states, state_texts
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.formatting.glossary import GLOSSARY
from isochron.postprocess.ingest.inputs import CASE, POINT, RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.section import Section, Source
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.answer.charts import Map, Score, Shown, findings, maps, matrix
from isochron.postprocess.subjects.answer.conditions import Condition, quality
from isochron.postprocess.subjects.answer.forest import Forest, forest
from isochron.postprocess.subjects.answer.table import ANSWERS, GRADES, INCONCLUSIVE_COSTS
from isochron.postprocess.subjects.answer.verdict import (
    ORDER,
    Figure,
    Step,
    about_minutes,
    difference,
    figures,
    next_step,
    sentence,
    settling,
    word,
)
from isochron.postprocess.subjects.comparison.table import COMPARISON, FASTEST
from isochron.postprocess.subjects.jobs.table import JOB_RATIOS
from isochron.postprocess.subjects.results.table import SUMMARY
from isochron.schemas.run.comparisons import BOUNDED, DECIDED

#: The most bytes of it; beyond, only the pairs of the question are there, at as many of the largest points as fit.
MOST = 1_000_000


def pairs_data(table: pd.DataFrame, stacks: list[str], threshold: float) -> tuple[str, bool]:
    """JSON, and whether pairs were left out since it would be too large. `table`: `PAIRS_COLUMNS` and `least`."""
    whole = _dumped(table, stacks, threshold)
    if len(whole) <= MOST:
        return whole, False
    asked = table[table["family"] == "question"]
    points = asked[POINT].drop_duplicates().sort_values(POINT, ascending=False)
    dumped = _dumped(asked, stacks, threshold)
    while len(dumped) > MOST and len(points) > 1:
        points = points.head(max(1, min(len(points) - 1, int(len(points) * MOST / len(dumped)))))
        dumped = _dumped(asked.merge(points, on=POINT), stacks, threshold)
    return dumped, True


def _dumped(table: pd.DataFrame, stacks: list[str], threshold: float) -> str:
    cases = table[CASE].drop_duplicates()
    numbered = {tuple(case): number for number, case in enumerate(cases.itertuples(index=False, name=None))}
    places = {stack: number for number, stack in enumerate(stacks)}
    pairs: dict[str, list[Any]] = {}
    for row in table.to_dict("records"):
        pair = f"{places[row['baseline']]} {places[row['candidate']]}"
        numbers = [_short(row[name]) for name in ("ratio", "ratio_low", "ratio_high", "least")]
        verdict = row["verdict"] if row["verdict"] in (*DECIDED, *BOUNDED) else "inconclusive"
        pairs.setdefault(pair, []).append([numbered[tuple(row[name] for name in CASE)], *numbers, verdict])
    described = [
        [row["operation"], labels.size(row), labels.point({name: row[name] for name in POINT})]
        for row in cases.to_dict("records")
    ]
    question = sorted({f"{places[a]} {places[b]}" for a, b in _asked(table)})
    content = {"stacks": stacks, "cases": described, "threshold": threshold, "question": question, "pairs": pairs}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _asked(table: pd.DataFrame) -> set[tuple[str, str]]:
    question_rows = table[table["family"] == "question"]
    return set(zip(question_rows["baseline"], question_rows["candidate"], strict=True))


def _short(value: float) -> float | None:
    return float(f"{value:.7g}") if isfinite(value) else None


@dataclass(frozen=True)
class Open:
    """A comparison that leaves open whether the stack is slower."""

    where: str
    ruled_out: str
    cost: str


def undecided(rows: pd.DataFrame, costs: pd.DataFrame, inputs: RunInputs) -> list[Open]:
    """Those of the rows, the worst first. `rows`: `question.oriented`; `costs`: `INCONCLUSIVE_COLUMNS`."""
    costs_by_key = {_key(line, "baseline", "candidate"): line for line in costs.to_dict("records")}
    several = rows["other"].nunique() > 1
    is_open = rows["verdict"].isin(["inconclusive", "not-faster"])
    open_rows = rows[is_open].sort_values("ratio_high", ascending=False, kind="stable")
    return [
        Open(
            where=labels.case(row, inputs) + (f", against {row['other']}" if several else ""),
            ruled_out=ruled_out(row["ratio_low"], row["ratio_high"]),
            cost=_cost(costs_by_key[_key(row, "stack", "other")]),
        )
        for row in open_rows.to_dict("records")
    ]


def dependent(rows: pd.DataFrame, inputs: RunInputs) -> list[tuple[str, str]]:
    """Where the ratio depends on the regime of the machine, and that in each. `rows`: `question.oriented`."""
    chosen = rows[rows["verdict"] == "depends"]
    return list(zip(_cases(rows, chosen, inputs), both_ratios(chosen), strict=True))


def two_states(rows: pd.DataFrame, inputs: RunInputs) -> list[tuple[str, str]]:
    """Where there are two states that no probe tells apart, and the ratio in each. `rows`: `question.oriented`."""
    chosen = rows[in_two_states(rows)]
    return list(zip(_cases(rows, chosen, inputs), state_texts(chosen), strict=True))


def _cases(rows: pd.DataFrame, chosen: pd.DataFrame, inputs: RunInputs) -> list[str]:
    several = rows["other"].nunique() > 1
    return [
        labels.case(row, inputs) + (f", against {row['other']}" if several else "") for row in chosen.to_dict("records")
    ]


def _key(row: dict[Any, Any], one: str, other: str) -> tuple[Any, ...]:
    return (frozenset({row[one], row[other]}), *(row[name] for name in CASE))


def ruled_out(low: float, high: float) -> str:
    """`at worst 1.32 times slower, at best 1.10 times faster`."""
    if not (isfinite(low) and isfinite(high) and low > 0):
        return "nothing"
    worst = f"at worst {numbers.significant(high)} times slower" if high > 1 else "not slower"
    best = f"at best {numbers.significant(1 / low)} times faster" if low < 1 else "not faster"
    return f"{worst}, {best}"


def _cost(line: dict[Any, Any]) -> str:
    """`24 blocks: 96 launches, 2 minutes`."""
    if not isfinite(line["blocks_needed"]):
        return "more blocks are unlikely to settle it"
    launches = numbers.count(int(line["launches_needed"]), "launch", "launches")
    return f"{int(line['blocks_needed'])} blocks: {launches}, {about_minutes(line['minutes_needed'])}"


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
    difference: str
    figures: list[Figure]
    step: Step
    maps: list[Map]
    maps_left_out: int
    forest: Forest
    left_out: int
    dependent: list[tuple[str, str]]
    two_states: list[tuple[str, str]]
    undecided: list[Open]
    undecided_left_out: int
    settling: str


@dataclass(frozen=True)
class AnswerView:
    """Answers, the grade of the run with its reason, findings, and what lets any two stacks be looked at."""

    answers: list[Answer]
    anchors: dict[tuple[str, str], str]
    largest: str
    letter: str
    reason: str
    grades: list[Condition]
    findings: list[Shown]
    stacks: list[str]
    matrix: list[tuple[str, list[Score | None]]]
    data: str
    reduced: bool
    glossary: dict[str, str]


def build_answer(source: Source) -> AnswerView | None:
    """None if there are no two stacks to compare."""
    inputs = source.inputs
    comparison = source.analysis[COMPARISON]
    table = turned_to(oriented(comparison, inputs.campaign.analysis), comparison)
    table = turned_forecasts(table, comparison, source.analysis[JOB_RATIOS])
    lines = sorted(source.analysis[ANSWERS].to_dict("records"), key=_rank)
    answers = [_answer(source, table, line, f"answer-{number}") for number, line in enumerate(lines, start=1)]
    if not answers:
        return None
    stacks = inputs.campaign.stacks
    several = len(stacks) > 2
    rules = inputs.campaign.analysis
    least = at_least(comparison, rules.confidence, rules.threshold)
    data, reduced = pairs_data(comparison.assign(least=least), stacks, rules.threshold)
    grade = quality(source.analysis[GRADES])
    return AnswerView(
        answers=answers,
        anchors=_anchors(answers, inputs.asked.pairs),
        largest=_largest(table, inputs),
        letter=grade.letter,
        reason=grade.reason,
        grades=grade.conditions,
        findings=findings(table, inputs),
        stacks=stacks,
        matrix=matrix(table, stacks) if several else [],
        data=data if several else "",
        reduced=reduced,
        glossary=GLOSSARY,
    )


def _anchors(answers: list[Answer], pairs: list[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Where the comparisons of a pair stand. Those of one stack against all others stand under that stack."""
    anchors = {(answer.older, answer.newer): f"{answer.anchor}-rests" for answer in answers if answer.older != ALL}
    leader = next((answer for answer in answers if answer.older == ALL), None)
    if leader is not None:
        both = [each for pair in pairs for each in (pair, pair[::-1]) if leader.newer in each]
        anchors |= dict.fromkeys(both, f"{leader.anchor}-rests")
    return anchors


def _rank(line: dict[Any, Any]) -> tuple[int, float]:
    """By decision, and of these the largest loss first."""
    worst = line["worst_least"]
    return ORDER.index(line["decision"]), -worst if worst > 0 else 0.0


def _answer(source: Source, table: pd.DataFrame, line: dict[Any, Any], anchor: str) -> Answer:
    inputs = source.inputs
    rows, decision = answering(table, line), decision_on(inputs, table, line)
    stacks = inputs.campaign.stacks if line["baseline"] == ALL else [line["baseline"], line["candidate"]]
    ranked, (shown, maps_left_out) = _ranked(rows), maps(rows)
    still_open = undecided(rows, source.analysis[INCONCLUSIVE_COSTS], inputs)

    def label(row: dict[Any, Any]) -> str:
        return labels.case(row, inputs) + (f", against {row['other']}" if line["baseline"] == ALL else "")

    return Answer(
        anchor=anchor,
        older=line["baseline"],
        newer=line["candidate"],
        decision=line["decision"],
        word=word(line, inputs),
        sentence=sentence(line, decision, inputs),
        difference=difference(line),
        figures=figures(line, decision, inputs),
        step=next_step(line, decision, inputs, f"{anchor}-rests"),
        maps=shown,
        maps_left_out=maps_left_out,
        forest=forest(ranked.head(MAX_LINES), label, inputs.campaign.analysis.threshold),
        left_out=max(0, len(ranked) - MAX_LINES),
        dependent=dependent(rows, inputs),
        two_states=two_states(rows, inputs),
        undecided=still_open[:MAX_LINES],
        undecided_left_out=max(0, len(still_open) - MAX_LINES),
        settling=settling(inputs, stacks, "N"),
    )


def _ranked(rows: pd.DataFrame) -> pd.DataFrame:
    """The largest loss that is shown at least first. Where not all can be shown, the largest differences are."""
    finite_rows = rows[np.isfinite(rows["ratio"]) & (rows["ratio"] > 0)]
    if len(finite_rows) > MAX_LINES:
        size = (
            np.log(finite_rows[["least", "ratio"]])
            .abs()
            .sort_values(["least", "ratio"], ascending=False, kind="stable")
        )
        finite_rows = finite_rows.loc[size.index[:MAX_LINES]]
    return by_least(finite_rows, slowest_first=True)


def _largest(table: pd.DataFrame, inputs: RunInputs) -> str:
    """The largest established difference of the run, if the campaign does not ask about it."""
    slower = by_least(table[table["verdict"] == "slower"], slowest_first=True)
    if slower.empty or slower.iloc[0]["family"] == "question":
        return ""
    row = slower.iloc[0]
    return (
        f"{row['stack']} takes at least {numbers.factor_at_least(row['least'])}× the time of {row['other']} in "
        f"{labels.case(row.to_dict(), inputs)}"
    )


FIRST_SCREEN = Section(
    "answer",
    "Answer",
    "answer/section.html.j2",
    build_answer,
    needs=(ANSWERS, GRADES, COMPARISON, INCONCLUSIVE_COSTS, JOB_RATIOS),
)


#: Findings that stand above everything else, in the head of the report.
FIRST = ("incomplete", "simulated", "broken")
#: And those that the answer on the first screen is made of.
ANSWERED = ("versions",)


@dataclass(frozen=True)
class KeyFigure:
    """A number that a director looks for."""

    value: str
    label: str


@dataclass(frozen=True)
class SummaryView:
    """Key figures, and the findings that do not stand above."""

    key_figures: list[KeyFigure]
    findings: list[Finding]


def build_summary(source: Source) -> SummaryView:
    """Always there."""
    return SummaryView(
        _key_figures(source), [finding for finding in source.findings if finding.kind not in (*FIRST, *ANSWERED)]
    )


def _key_figures(source: Source) -> list[KeyFigure]:
    rows, leaders, launches = source.analysis[SUMMARY], source.analysis[FASTEST], source.analysis.launches
    planned = len(source.inputs.plan.engine_launches)
    stacks = rows.loc[rows["launches"] > 0, "stack"].nunique()
    figures = [
        KeyFigure(f"{numbers.fixed(len(launches), 0)} of {numbers.fixed(planned, 0)}", "launches measured"),
        KeyFigure(str(stacks), "MPI stack" if stacks == 1 else "MPI stacks"),
        KeyFigure(f"{int(rows['reliable'].sum())} of {len(rows)}", "rows reliable"),
    ]
    if len(source.inputs.campaign.stacks) > 1:
        won = int((leaders["state"] == "established").sum())
        figures.append(KeyFigure(f"{won} of {len(leaders)}", "cases with an established fastest stack"))
    return figures


OVERVIEW = Section("summary", "Summary", "answer/summary.html.j2", build_summary, needs=(SUMMARY, FASTEST))

SUBJECT = Subject(
    tables=(ANSWERS, GRADES, INCONCLUSIVE_COSTS),
    sections=(FIRST_SCREEN, OVERVIEW),
)
