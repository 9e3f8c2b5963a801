# SPDX-License-Identifier: BSD-3-Clause
"""`answers.csv`: each newer version against the one before it in one line; `grades.csv`: the quality of the run."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.answer.decision import decide
from isochron.postprocess.answer.effect import pooled
from isochron.postprocess.answer.grade import GRADE_COLUMNS, grades
from isochron.postprocess.answer.question import questions
from isochron.postprocess.tables.comparison import make_comparison
from isochron.postprocess.tables.declaration import Bench, Table
from isochron.postprocess.tables.summary import make_summary
from isochron.postprocess.tables.trust.verdicts import VERDICTS

ANSWER_COLUMNS = {
    "baseline": "the older version",
    "candidate": "the newer version",
    "decision": "`upgrade`, `do-not` (slower somewhere), or `cannot-tell`",
    "cases": "cases in which both were to be compared",
    "slower": "cases in which the newer one is slower by more than the practical threshold",
    "faster": "cases in which it is faster by more than that",
    "equal": "cases in which both are equal within the threshold",
    "open": "all other cases",
    "feared": "open cases in which it may be slower by more than the threshold",
    "worst_ratio": "the largest established ratio, newer / older; empty where it is slower nowhere",
    "best_ratio": "the smallest established ratio; empty where it is faster nowhere",
    "possible_ratio": "the largest ratio that an open case may have",
    "effect_ratio": "geometric mean of the ratios of all cases, each with the same weight",
    "effect_low": "lower end of its interval, from the spread of the blocks",
    "effect_high": "upper end of that interval",
    "blocks_needed": "blocks with which `settled_then` of the feared cases are likely to be decided",
    "settled_then": "so many of them",
}


def make_answers(bench: Bench) -> pd.DataFrame:
    """`ANSWER_COLUMNS`, a line for each version that has a predecessor in the run."""
    asked = questions(bench.inputs, bench.get(make_comparison))
    lines = [_answer(bench, *question) for question in asked]
    return pd.DataFrame(lines, columns=list(ANSWER_COLUMNS))


def _answer(bench: Bench, older: str, newer: str, rows: pd.DataFrame) -> dict[str, object]:
    decision = decide(rows, bench.rules.threshold)
    effect = pooled(bench.used, older, newer, bench.rules.confidence)
    return {
        "baseline": older,
        "candidate": newer,
        "decision": decision.word,
        "cases": decision.cases,
        "slower": len(decision.slower),
        "faster": len(decision.faster),
        "equal": decision.equal,
        "open": decision.open,
        "feared": len(decision.feared),
        "worst_ratio": decision.slower["ratio"].max(),
        "best_ratio": decision.faster["ratio"].min(),
        "possible_ratio": decision.feared["ratio_high"].max(),
        "effect_ratio": effect.ratio,
        "effect_low": effect.low,
        "effect_high": effect.high,
        "blocks_needed": decision.blocks,
        "settled_then": decision.settled,
    }


def make_grades(bench: Bench) -> pd.DataFrame:
    """`GRADE_COLUMNS`."""
    planned = len(bench.inputs.plan.launches)
    return grades(bench.get(make_summary), bench.get(VERDICTS.make), planned, len(bench.launches))


ANSWERS = Table(
    name="answers",
    columns=ANSWER_COLUMNS,
    make=make_answers,
    holds="each newer version of a library against the one before it: decision, counts, extremes, pooled effect",
)
GRADES = Table(
    name="grades", columns=GRADE_COLUMNS, make=make_grades, holds="the quality of the run, criterion by criterion"
)
