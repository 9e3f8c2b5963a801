# SPDX-License-Identifier: BSD-3-Clause
"""`answers.csv`: the answers to the campaign's question; `grades.csv`: the quality of the run."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.estimate.answer.decision__choice import choose
from isochron.postprocess.estimate.answer.decision__decision import Decision, decision_on
from isochron.postprocess.estimate.answer.decision__effect import Effect, pooled
from isochron.postprocess.estimate.answer.decision__question import ALL, oriented
from isochron.postprocess.estimate.answer.trust__grade import GRADE_COLUMNS, grades
from isochron.postprocess.kit.table__declaration import Table, TableContext
from isochron.postprocess.subjects.comparison.table import make_comparison
from isochron.postprocess.subjects.results.table import make_summary
from isochron.postprocess.subjects.verdicts.table__verdicts import VERDICTS

ANSWER_COLUMNS = {
    "baseline": "the stack in use; `all others` where the question is which stack to take",
    "candidate": "the stack that may replace it; the stack that leads where the question is which to take",
    "decision": "`upgrade`, `keep-baseline` (slower somewhere by more than is tolerated), `adopt`, or `undecided`",
    "cases": "comparisons that count",
    "slower": "those in which the candidate is slower by more than the practical threshold",
    "regressed": "of these, those beyond what is tolerated",
    "faster": "comparisons in which it is faster by more than the threshold",
    "equivalent": "comparisons in which both are equal within the threshold",
    "inconclusive": "all other comparisons",
    "at_risk": "those in which it may be slower by more than is tolerated, and is not shown to be",
    "worst_ratio": "the largest established ratio, candidate / baseline; empty where it is slower nowhere",
    "best_ratio": "the smallest established ratio; empty where it is faster nowhere",
    "possible_ratio": "the largest ratio that a feared comparison may have",
    "effect_ratio": "weighted geometric mean of the ratios; against the stack that comes closest where the question is "
    "which to take",
    "effect_low": "lower end of its interval, from the spread of the blocks",
    "effect_high": "upper end of that interval",
    "contenders": "where the question is which to take: the stacks that none is shown to beat over all, with commas",
    "nearest": "where the question is which to take: the stack that comes closest to the leader",
    "blocks_needed": "blocks with which `resolved_then` of the feared comparisons are likely to be decided",
    "resolved_then": "so many of them",
}


def make_answers(context: TableContext) -> pd.DataFrame:
    """`ANSWER_COLUMNS`: a line for each pair of stacks that is asked about, or one for the stack to take."""
    asked, campaign, confidence = context.inputs.asked, context.inputs.campaign, context.rules.confidence
    table = oriented(context.get(make_comparison))
    lines = []
    if asked.default:
        choice = choose(context.used, campaign.stacks, confidence, campaign.question)
        if choice is not None:
            line = {"baseline": ALL, "candidate": choice.stack}
            decision = decision_on(context.inputs, table, line)
            line |= {"decision": "adopt" if choice.contenders == [choice.stack] else "undecided"}
            line |= {"contenders": ",".join(choice.contenders), "nearest": choice.nearest}
            lines.append(line | _numbers(decision, choice.effect))
    else:
        for baseline, candidate in asked.pairs:
            line = {"baseline": baseline, "candidate": candidate}
            decision = decision_on(context.inputs, table, line)
            if decision.cases:
                effect = pooled(context.used, baseline, candidate, confidence, campaign.question)
                line |= {"decision": decision.word, "contenders": "", "nearest": ""}
                lines.append(line | _numbers(decision, effect))
    return pd.DataFrame(lines, columns=list(ANSWER_COLUMNS))


def _numbers(decision: Decision, effect: Effect) -> dict[str, object]:
    return {
        "cases": decision.cases,
        "slower": len(decision.slower),
        "regressed": len(decision.regressed),
        "faster": len(decision.faster),
        "equivalent": decision.equal,
        "inconclusive": decision.open,
        "at_risk": len(decision.at_risk),
        "worst_ratio": decision.slower["ratio"].max(),
        "best_ratio": decision.faster["ratio"].min(),
        "possible_ratio": decision.at_risk["ratio_high"].max(),
        "effect_ratio": effect.ratio,
        "effect_low": effect.low,
        "effect_high": effect.high,
        "blocks_needed": decision.blocks,
        "resolved_then": decision.settled,
    }


def make_grades(context: TableContext) -> pd.DataFrame:
    """`GRADE_COLUMNS`."""
    planned = len(context.inputs.plan.engine_launches)
    return grades(context.get(make_summary), context.get(VERDICTS.make), planned, len(context.launches))


ANSWERS = Table(
    name="answers",
    columns=ANSWER_COLUMNS,
    make=make_answers,
    holds="the answers to the campaign's question: decision, counts, extremes, pooled effect",
)
GRADES = Table(
    name="grades", columns=GRADE_COLUMNS, make=make_grades, holds="the quality of the run, criterion by criterion"
)
