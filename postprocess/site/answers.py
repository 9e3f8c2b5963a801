# SPDX-License-Identifier: BSD-3-Clause
"""The answers of a campaign's runs, in the words and numbers of their reports, and how they went over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from isochron.common.files import FileError
from isochron.common.memory import is_want
from isochron.postprocess.analysis.saved import load_analysis, load_frame
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.postprocess.kit.finding import FINDINGS, Findings
from isochron.postprocess.kit.section import Source
from isochron.postprocess.site.discovery import Run, in_words
from isochron.postprocess.site.record import Answered, Entry, Standing, Told
from isochron.postprocess.subjects.answer.section import FIRST_SCREEN, Answer, AnswerView
from isochron.postprocess.subjects.answer.table import ANSWERS
from isochron.postprocess.subjects.answer.verdict import again, on_the_whole, word

#: Stacks in a question, as `answers.csv` has them.
Pair = tuple[str, str]


@dataclass(frozen=True)
class Answers:
    """`newest`: the answers of the newest complete run; `by_run`: of each run that is analysed, its lines by pair.

    `inputs`: of the newest run; None if it cannot be read.
    """

    newest: Standing
    by_run: dict[int, dict[Pair, Mapping[Any, Any]]] = field(default_factory=dict)
    inputs: RunInputs | None = None

    def course(self, pair: Pair) -> list[tuple[int, float, float, float]]:
        """Of each run that answers a question: its number, and the ratio over all cases with its interval."""
        lines = ((run, answers[pair]) for run, answers in self.by_run.items() if pair in answers)
        return [
            (run, float(line["effect_ratio"]), float(line["effect_low"]), float(line["effect_high"]))
            for run, line in lines
        ]


def answers_of(runs: list[Run]) -> Answers:
    """Read the answers of the complete runs, the oldest first. A run that cannot be read has none."""
    if not runs:
        return Answers(Standing(missing="no run is complete yet"))
    newest, inputs = _newest(runs[-1])
    by_run = {number: _lines(run) for number, run in enumerate(runs)}
    return Answers(newest, {number: lines for number, lines in by_run.items() if lines}, inputs)


def answer_entries(answers: Answers, runs: list[Run]) -> list[Entry]:
    """News of the runs whose answer is another one than that of the run before, the newest first."""
    entries: list[Entry] = []
    before: dict[Pair, str] = {}
    if answers.inputs is None:
        return entries
    for number, lines in answers.by_run.items():
        words = {pair: word(line, answers.inputs) for pair, line in lines.items()}
        changed = [pair for pair in words if before.get(pair) != words[pair]]
        if changed:
            told = (f"{words[pair]}: {_pair(pair)}{_formerly(before.get(pair))}" for pair in changed)
            text = [f"{_pair(pair)}: {on_the_whole(lines[pair])}" for pair in changed if on_the_whole(lines[pair])]
            title = f"{'; '.join(told)} (run {runs[number].run_id})"
            when = runs[number].state.updated_at
            begins = not any(pair in before for pair in changed)
            name = runs[number].run_id
            entries.append(Entry(run_id=name, kind="answer", title=title, lines=text, updated=when, begins=begins))
        before |= words
    return entries[::-1]


def _formerly(former: str | None) -> str:
    return f", before: {former}" if former else ""


def _pair(pair: Pair) -> str:
    return f"{pair[0]} → {pair[1]}"


def _newest(run: Run) -> tuple[Standing, RunInputs | None]:
    """The first screen of a run's report in short, or why there is none."""
    try:
        inputs = load_inputs(run.layout.root)
        findings = Findings.load(run.layout.tables / FINDINGS).findings
        analysis = load_analysis(run.layout, FIRST_SCREEN.needs)
        view = FIRST_SCREEN.build(Source(inputs, analysis, findings, []))
    except Exception as error:  # whatever is wrong with its report, the other pages are made
        if is_want(error):
            raise
        return Standing(missing=in_words(error, run.layout)), None
    if not isinstance(view, AnswerView):
        return Standing(missing="it has no two stacks to compare"), inputs
    winners = [finding for finding in findings if finding.kind == "fastest" and finding.numbers.get("stack")]
    fastest = [(str(finding.numbers["stack"]), finding.details) for finding in winners]
    held = {pair: again(line) for pair, line in _by_pair(analysis[ANSWERS]).items()}
    told = [_told(answer, held.get((answer.older, answer.newer), "")) for answer in view.answers]
    return Standing(answers=told, letter=view.letter, reason=view.reason, fastest=fastest), inputs


def _told(answer: Answer, held: str) -> Told:
    loss, gain, whole, decided = answer.figures
    return Told(
        older=answer.older, newer=answer.newer, decision=answer.decision, word=answer.word, sentence=answer.sentence,
        numbers=[
            Answered(label=each.label, value=each.value, interval=each.interval, where=each.where)
            for each in (loss, gain, whole, decided)
        ],
        again=held,
    )  # fmt: skip


def _lines(run: Run) -> dict[Pair, Mapping[Any, Any]]:
    """The lines of `answers.csv`; none if the run is not analysed."""
    try:
        return _by_pair(load_frame(run.layout, ANSWERS))
    except (OSError, FileError):
        return {}


def _by_pair(table: pd.DataFrame) -> dict[Pair, Mapping[Any, Any]]:
    return {(line["baseline"], line["candidate"]): line for line in table.to_dict("records")}
