# SPDX-License-Identifier: BSD-3-Clause
"""`answers.csv`, `grades.csv`, and `inconclusive.csv`: the answers, how good they are, what is inconclusive."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.answer.another_job import ANOTHER_JOB_COLUMNS, in_another_job
from isochron.postprocess.estimate.answer.decision import (
    ALL,
    Decision,
    answering,
    counting,
    decision_on,
    objection,
    oriented,
)
from isochron.postprocess.estimate.answer.effect import Effect, choose, pooled
from isochron.postprocess.estimate.answer.price import MAX_BLOCKS, blocks_to_settle, launches_of_a_block, stricter
from isochron.postprocess.estimate.answer.quality import (
    GRADE_COLUMNS,
    established_price,
    grades,
    lost_blocks,
    relative_load,
)
from isochron.postprocess.estimate.compare.again import CLAIMS, holds_again
from isochron.postprocess.estimate.compare.comparison import OPEN, UNKNOWN
from isochron.postprocess.estimate.compare.rows import rows_of
from isochron.postprocess.ingest.inputs import CASE, CASE_KEYS
from isochron.postprocess.kit.table import Table, TableContext
from isochron.postprocess.subjects.comparison.table import make_comparison
from isochron.postprocess.subjects.jobs.table import make_earlier_jobs, make_job_ratios, make_launches_of_jobs
from isochron.postprocess.subjects.results.table import make_summary
from isochron.postprocess.subjects.trust.table import make_timeline
from isochron.postprocess.subjects.turns.table import make_company_cases
from isochron.postprocess.subjects.verdicts.table import VERDICTS
from isochron.schemas.run.comparisons import BOUNDED

ANSWER_COLUMNS = {
    "baseline": "the stack in use; `all others` where the question is which stack to take",
    "candidate": "the stack that may replace it; the stack that leads where the question is which to take",
    "decision": "`upgrade` (safe: a loss beyond the accepted one is excluded in every comparison), `keep-baseline` "
    "(slower somewhere by more than is accepted, by what is shown at least), `adopt`, or `undecided`",
    "objection": "why it is `undecided` whatever the ratios are: `unreliable` (more than a quarter of the results) or "
    "`none-decided` (no comparison shows or excludes a difference); else empty",
    "cases": "comparisons that count",
    "slower": "those in which the candidate is slower by more than the practical threshold",
    "regressed": "of these, those beyond the accepted loss",
    "faster": "comparisons in which it is faster by more than the threshold",
    "equivalent": "comparisons in which both are equal within the threshold",
    "depends": "comparisons in which it is slower or faster in one regime of the machine, and not so in the other",
    "not_slower": "comparisons in which no more is shown than that it is not slower by more than the threshold",
    "not_faster": "the same of faster",
    "inconclusive": "all other comparisons",
    "at_risk": "those in which a loss beyond the accepted one is neither shown nor excluded in all regimes",
    "worst_ratio": "candidate / baseline in the case that is slowest by what is shown at least; empty where it is "
    "slower nowhere",
    "worst_least": "what this ratio is at least, by intervals that hold for all comparisons of the family together",
    "best_ratio": "the ratio in the case that is fastest by what is shown at least; empty where it is faster nowhere",
    "best_least": "what this ratio is at most, likewise",
    "possible_ratio": "the largest ratio that a comparison at risk may have",
    "effect_ratio": "weighted geometric mean of the ratios; against the stack that comes closest where the question is "
    "which to take",
    "effect_low": "lower end of its interval, from the spread of the blocks",
    "effect_high": "upper end of that interval",
    "effect_left_out": "cases without a part in it, since their blocks fall into two groups",
    "contenders": "where the question is which to take: the stacks that none is shown to beat over all, with commas",
    "nearest": "where the question is which to take: the stack that comes closest to the leader",
    "again_runs": "runs that say how much its ratios differ between runs, this one included; 1: not known",
    "again_claims": "comparisons in which the candidate is slower, faster, equivalent, not slower or not faster",
    "again_hold": "those of them in which the interval for further runs shows the same",
    **ANOTHER_JOB_COLUMNS,
    "blocks_needed": "blocks with which `resolved_then` of the comparisons at risk are likely to be decided",
    "resolved_then": "so many of them",
    "minutes_needed": "minutes that the launches of both stacks (of all, where the question is which to take) take in "
    "so many blocks, as long as those of this run",
}


def make_answers(context: TableContext) -> pd.DataFrame:
    """`ANSWER_COLUMNS`: a line for each pair of stacks that is asked about, or one for the stack to take."""
    asked, campaign, confidence = context.inputs.asked, context.inputs.campaign, context.rules.confidence
    table = oriented(context.get(make_comparison), campaign.analysis)
    rows = rows_of(context.get(make_summary), context.used, context.slices)
    lines = []
    if asked.default:
        choice = choose(rows, campaign.stacks, confidence, campaign.question)
        if choice is not None:
            line = {"baseline": ALL, "candidate": choice.stack}
            decision = decision_on(context.inputs, table, line)
            word = "adopt" if choice.contenders == [choice.stack] else "undecided"
            line |= _word(context, word, decision, campaign.stacks)
            line |= {"contenders": ",".join(choice.contenders), "nearest": choice.nearest}
            numbers = _numbers(decision, choice.effect)
            numbers |= _further(context, table, line, (choice.nearest, choice.stack))
            lines.append(line | numbers | _price(context, decision, campaign.stacks))
    else:
        for baseline, candidate in asked.pairs:
            line = {"baseline": baseline, "candidate": candidate}
            decision = decision_on(context.inputs, table, line)
            if decision.cases:
                effect = pooled(rows[baseline], rows[candidate], confidence, campaign.question)
                line |= _word(context, decision.word, decision, [baseline, candidate])
                line |= {"contenders": "", "nearest": ""}
                numbers = _numbers(decision, effect) | _further(context, table, line, (baseline, candidate))
                lines.append(line | numbers | _price(context, decision, [baseline, candidate]))
    return pd.DataFrame(lines, columns=list(ANSWER_COLUMNS))


def _word(context: TableContext, word: str, decision: Decision, stacks: list[str]) -> dict[str, str]:
    """The decision, and what stands against it where it would be to take another stack."""
    if word not in ("upgrade", "adopt"):
        return {"decision": word, "objection": ""}
    summary = context.get(make_summary)
    against = objection(decision, counting(summary[summary["stack"].isin(stacks)], context.inputs.campaign.question))
    return {"decision": "undecided" if against else word, "objection": against}


def _further(
    context: TableContext, table: pd.DataFrame, line: Mapping[str, object], pair: tuple[str, str]
) -> dict[str, float]:
    """What the verdicts of an answer say of further runs and of another job.

    `table`: `oriented`, with the index of the comparisons; `pair`: the stacks of the effect.
    """
    question, threshold = context.inputs.campaign.question, context.rules.threshold
    rows = counting(answering(table, line), question)
    comparisons = context.get(make_comparison).loc[rows.index]
    known = comparisons["again_low"].notna()
    launches, ratios = context.get(make_launches_of_jobs), context.get(make_job_ratios)
    return {
        "again_runs": int(comparisons.loc[known, "again_runs"].max()) if known.any() else 1,
        "again_claims": int(comparisons["verdict"].isin(CLAIMS).sum()),
        "again_hold": int(holds_again(comparisons, threshold).sum()),
        **in_another_job(launches, comparisons, ratios, pair, question, threshold, context.get(make_earlier_jobs)),
    }


def _numbers(decision: Decision, effect: Effect) -> dict[str, object]:
    return {
        "cases": decision.cases,
        "slower": len(decision.slower),
        "regressed": len(decision.regressed),
        "faster": len(decision.faster),
        "equivalent": decision.equal,
        "depends": decision.dependent,
        "not_slower": decision.not_slower,
        "not_faster": decision.not_faster,
        "inconclusive": decision.open,
        "at_risk": len(decision.at_risk),
        **_first(decision.slower, "worst"),
        **_first(decision.faster, "best"),
        "possible_ratio": decision.at_risk["ratio_high"].max(),
        "effect_ratio": effect.ratio,
        "effect_low": effect.low,
        "effect_high": effect.high,
        "effect_left_out": effect.two_states,
    }


def _first(rows: pd.DataFrame, name: str) -> dict[str, float]:
    """Ratio, and what is shown at least, in the first of the rows."""
    ratio, least = rows.iloc[0][["ratio", "least"]] if len(rows) else (np.nan, np.nan)
    return {f"{name}_ratio": float(ratio), f"{name}_least": float(least)}


def _price(context: TableContext, decision: Decision, stacks: list[str]) -> dict[str, object]:
    _, minutes = launches_of_a_block(context.inputs.plan, context.launches, stacks)
    return {
        "blocks_needed": decision.blocks,
        "resolved_then": decision.settled,
        "minutes_needed": decision.blocks * minutes,
    }


def make_grades(context: TableContext) -> pd.DataFrame:
    """`GRADE_COLUMNS`; cautions are counted when all findings are known (`conditions.py`)."""
    planned = len(context.inputs.plan.engine_launches)
    table, pairs = context.get(make_comparison), context.inputs.asked.pairs
    further = {
        "company": established_price(context.get(make_company_cases), {stack for pair in pairs for stack in pair}),
        "correlation": lost_blocks(table[table["family"] == "question"]),
        "load": relative_load(context.get(make_timeline)),
    }
    return grades(context.get(make_summary), context.get(VERDICTS.make), planned, len(context.launches), further)


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
    "verdict": "`inconclusive`, `not-slower` or `not-faster`",
    "reason": "why no more is shown",
    "ratio_low": "the smallest ratio candidate / baseline that is not ruled out",
    "ratio_high": "the largest ratio that is not ruled out",
    "blocks_needed": "blocks with which it is likely to be decided; empty where "
    f"{MAX_BLOCKS} would not do, or where it is open for another reason",
    "launches_needed": "launches of both stacks in so many blocks, at all points",
    "minutes_needed": "minutes that they take, as long as those of this run; launches in turns run at the same time",
}


def make_inconclusive(context: TableContext) -> pd.DataFrame:
    """`INCONCLUSIVE_COLUMNS`, a line for each comparison that is not decided, in the order of `comparison.csv`."""
    table = context.get(make_comparison)
    rows = table[table["verdict"].isin(["inconclusive", *BOUNDED])].reset_index(drop=True)
    beyond = np.abs(np.log(rows["ratio"].to_numpy(dtype=np.float64))) - context.rules.margin
    blocks = pd.Series(blocks_to_settle(rows, beyond, _strict(context, table)), dtype=float)
    settles = rows["verdict"].isin(BOUNDED) | rows["reason"].isin([OPEN, UNKNOWN])
    blocks = blocks.where((blocks <= MAX_BLOCKS) & settles)
    pairs = list(zip(rows["baseline"], rows["candidate"], strict=True))
    costs = {pair: launches_of_a_block(context.inputs.plan, context.launches, pair) for pair in set(pairs)}
    columns = ["baseline", "candidate", *CASE, "family", "verdict", "reason", "ratio_low", "ratio_high"]
    return rows[columns].assign(
        blocks_needed=blocks,
        launches_needed=blocks * [costs[pair][0] for pair in pairs],
        minutes_needed=blocks * [costs[pair][1] for pair in pairs],
    )[list(INCONCLUSIVE_COLUMNS)]


def _strict(context: TableContext, table: pd.DataFrame) -> float:
    """As if the pair were asked about alone, which is how it is settled."""
    cases = len(table[CASE].drop_duplicates())
    return stricter(context.rules.confidence, 2 * cases)


INCONCLUSIVE_COSTS = Table(
    name="inconclusive",
    columns=INCONCLUSIVE_COLUMNS,
    make=make_inconclusive,
    holds="every comparison that is not decided: what is ruled out, and what it costs to settle it",
)
