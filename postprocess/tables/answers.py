# SPDX-License-Identifier: BSD-3-Clause
"""`answers.csv`: the answers to the campaign's question; `grades.csv`: the quality of the run."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.answer.choice import choose
from isochron.postprocess.answer.decision import Decision, decision_on
from isochron.postprocess.answer.effect import Effect, pooled
from isochron.postprocess.answer.grade import GRADE_COLUMNS, grades
from isochron.postprocess.answer.question import ALL, oriented
from isochron.postprocess.tables.comparison import make_comparison
from isochron.postprocess.tables.declaration import Bench, Table
from isochron.postprocess.tables.summary import make_summary
from isochron.postprocess.tables.trust.verdicts import VERDICTS

ANSWER_COLUMNS = {
    "baseline": "the stack in use; `all others` where the question is which stack to take",
    "candidate": "the stack that may replace it; the stack that leads where the question is which to take",
    "decision": "`upgrade`, `do-not` (slower somewhere by more than is tolerated), `take`, or `cannot-tell`",
    "cases": "comparisons that count",
    "slower": "those in which the candidate is slower by more than the practical threshold",
    "lost": "of these, those beyond what is tolerated",
    "faster": "comparisons in which it is faster by more than the threshold",
    "equal": "comparisons in which both are equal within the threshold",
    "open": "all other comparisons",
    "feared": "those in which it may be slower by more than is tolerated, and is not shown to be",
    "worst_ratio": "the largest established ratio, candidate / baseline; empty where it is slower nowhere",
    "best_ratio": "the smallest established ratio; empty where it is faster nowhere",
    "possible_ratio": "the largest ratio that a feared comparison may have",
    "effect_ratio": "weighted geometric mean of the ratios; against the stack that comes closest where the question is "
    "which to take",
    "effect_low": "lower end of its interval, from the spread of the blocks",
    "effect_high": "upper end of that interval",
    "contenders": "where the question is which to take: the stacks that none is shown to beat over all, with commas",
    "nearest": "where the question is which to take: the stack that comes closest to the leader",
    "blocks_needed": "blocks with which `settled_then` of the feared comparisons are likely to be decided",
    "settled_then": "so many of them",
}


def make_answers(bench: Bench) -> pd.DataFrame:
    """`ANSWER_COLUMNS`: a line for each pair of stacks that is asked about, or one for the stack to take."""
    asked, campaign, confidence = bench.inputs.asked, bench.inputs.campaign, bench.rules.confidence
    table = oriented(bench.get(make_comparison))
    lines = []
    if asked.default:
        choice = choose(bench.used, campaign.stacks, confidence, campaign.question)
        if choice is not None:
            line = {"baseline": ALL, "candidate": choice.stack}
            decision = decision_on(bench.inputs, table, line)
            line |= {"decision": "take" if choice.contenders == [choice.stack] else "cannot-tell"}
            line |= {"contenders": ",".join(choice.contenders), "nearest": choice.nearest}
            lines.append(line | _numbers(decision, choice.effect))
    else:
        for baseline, candidate in asked.pairs:
            line = {"baseline": baseline, "candidate": candidate}
            decision = decision_on(bench.inputs, table, line)
            if decision.cases:
                effect = pooled(bench.used, baseline, candidate, confidence, campaign.question)
                line |= {"decision": decision.word, "contenders": "", "nearest": ""}
                lines.append(line | _numbers(decision, effect))
    return pd.DataFrame(lines, columns=list(ANSWER_COLUMNS))


def _numbers(decision: Decision, effect: Effect) -> dict[str, object]:
    return {
        "cases": decision.cases,
        "slower": len(decision.slower),
        "lost": len(decision.lost),
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
    planned = len(bench.inputs.plan.engine_launches)
    return grades(bench.get(make_summary), bench.get(VERDICTS.make), planned, len(bench.launches))


ANSWERS = Table(
    name="answers",
    columns=ANSWER_COLUMNS,
    make=make_answers,
    holds="the answers to the campaign's question: decision, counts, extremes, pooled effect",
)
GRADES = Table(
    name="grades", columns=GRADE_COLUMNS, make=make_grades, holds="the quality of the run, criterion by criterion"
)
