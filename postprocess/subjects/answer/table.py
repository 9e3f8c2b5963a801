# SPDX-License-Identifier: BSD-3-Clause
"""`answers.csv`, `grades.csv`, and `inconclusive.csv`: the answers, how good they are, what is inconclusive."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.estimate.answer.decision import (
    ALL,
    MAX_BLOCKS,
    Decision,
    Effect,
    blocks_to_settle,
    choose,
    decision_on,
    oriented,
    pooled,
    stricter,
)
from isochron.postprocess.estimate.answer.trust import GRADE_COLUMNS, grades
from isochron.postprocess.estimate.compare.comparison import OPEN, UNKNOWN
from isochron.postprocess.ingest.inputs import CASE, CASE_KEYS, POINT
from isochron.postprocess.kit.table import Table, TableContext
from isochron.postprocess.subjects.comparison.table import make_comparison
from isochron.postprocess.subjects.results.table import make_summary
from isochron.postprocess.subjects.verdicts.table import VERDICTS

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


INCONCLUSIVE_COLUMNS = {
    "baseline": "the stack that the candidate is compared with",
    "candidate": "the stack that is compared",
    **CASE_KEYS,
    "family": "`question` or `exploratory`, as in `comparison.csv`",
    "reason": "why it is inconclusive",
    "ratio_low": "the smallest ratio candidate / baseline that is not ruled out",
    "ratio_high": "the largest ratio that is not ruled out",
    "blocks_needed": "blocks with which it is likely to be settled; empty where "
    f"{MAX_BLOCKS} would not do, or where it is open for another reason",
    "launches_needed": "launches of both stacks in so many blocks, at all points",
    "minutes_needed": "what they take, one after the other, as long as those of this run",
}
#: Seconds that the start and end of `mpiexec` add to what the engine itself measured.
LAUNCHER_S = 1.0
SIDES = ("baseline", "candidate")


def make_inconclusive(context: TableContext) -> pd.DataFrame:
    """`INCONCLUSIVE_COLUMNS`, a line for each inconclusive comparison, in the order of `comparison.csv`."""
    table, campaign = context.get(make_comparison), context.inputs.campaign
    rows = table[table["verdict"] == "inconclusive"].reset_index(drop=True)
    counted = context.launches[context.launches["file"].isin(context.inputs.plan.files_of_results)]
    each = counted.groupby(["stack", *POINT])["duration_s"].median() + LAUNCHER_S
    seconds = each.groupby(level="stack").sum()
    points = each.groupby(level="stack").size()
    blocks = pd.Series(
        blocks_to_settle(rows, context.inputs.tolerated, _strict(context, table)),
        dtype=float,
    )
    blocks = blocks.where((blocks <= MAX_BLOCKS) & rows["reason"].isin([OPEN, UNKNOWN]))
    again = blocks * campaign.replication.launches_per_block
    count, spent = (
        sum(rows[side].map(cost_of_launches).astype(float).fillna(0.0) for side in SIDES)
        for cost_of_launches in (points, seconds)
    )
    return rows[["baseline", "candidate", *CASE, "family", "reason", "ratio_low", "ratio_high"]].assign(
        blocks_needed=blocks,
        launches_needed=again * count,
        minutes_needed=again * spent / 60,
    )[list(INCONCLUSIVE_COLUMNS)]


def _strict(context: TableContext, table: pd.DataFrame) -> float:
    """As if the pair were asked about alone, which is how it is settled."""
    cases = len(table[CASE].drop_duplicates())
    return stricter(context.rules.confidence, 2 * cases)


INCONCLUSIVE_COSTS = Table(
    name="inconclusive",
    columns=INCONCLUSIVE_COLUMNS,
    make=make_inconclusive,
    holds="every inconclusive comparison: what is ruled out, and what it costs to settle it",
)
