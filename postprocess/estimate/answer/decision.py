# SPDX-License-Identifier: BSD-3-Clause
"""The answer to a campaign's question: which comparisons count, the effect over all cases, the decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import ceil, exp, inf, isfinite, log, nan, sqrt
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from isochron.postprocess.ingest.inputs import ALLOCATION, CASE, RunInputs
from isochron.schemas.input.question import Question

#: Stands in the place of the baseline where a stack is set against all others.
ALL = "all others"


def answering(table: pd.DataFrame, line: Mapping[Any, Any]) -> pd.DataFrame:
    """The comparisons that a line of `answers.csv` rests on. `table`: `oriented`."""
    is_pair = table["stack"] == line["candidate"]
    if line["baseline"] != ALL:
        is_pair &= table["other"] == line["baseline"]
    rows: pd.DataFrame = table[is_pair]
    return rows


def counting(rows: pd.DataFrame, question: Question) -> pd.DataFrame:
    """The rows (CASE) that count, with their `weight`."""
    weights = [question.weight(*each) for each in zip(rows["operation"], rows["bytes"], strict=True)]
    weighed = rows.assign(weight=np.array(weights, dtype=np.float64))
    return weighed[weighed["weight"] > 0]


def oriented(table: pd.DataFrame) -> pd.DataFrame:
    """Every comparison both ways round: `stack` against `other`, `ratio` above 1 if `stack` is slower.

    `table`: `PAIRS_COLUMNS`. The index is that of the table, so that both ways of a comparison have the same.
    """
    columns = [*CASE, "ratio", "ratio_low", "ratio_high", "regime", "blocks", "verdict", "reason", "family"]
    forth = table[columns].assign(stack=table["candidate"], other=table["baseline"])
    turned = {"faster": "slower", "slower": "faster", "missing": "new", "new": "missing"}
    back = table[columns].assign(
        stack=table["baseline"],
        other=table["candidate"],
        ratio=1 / table["ratio"],
        ratio_low=1 / table["ratio_high"],
        ratio_high=1 / table["ratio_low"],
        verdict=table["verdict"].replace(turned),
    )
    return pd.concat([forth, back])


@dataclass(frozen=True)
class Effect:
    """`ratio`: weighted geometric mean over cases of the factors between two stacks; `low`, `high`: its interval.

    `blocks`: the fewest of a case.
    """

    ratio: float
    low: float
    high: float
    cases: int
    blocks: int


def pooled(
    rows: pd.DataFrame, baseline: str, candidate: str, confidence: float, question: Question | None = None
) -> Effect:
    """The pooled effect of a stack against another.

    Each case counts as the question says, or all the same. The block is the unit: what a block did to one case it may
    have done to all, so that the spread of the blocks' means is the error, with Student's t of one degree of freedom
    less than a case has blocks.
    `rows`: usable rows of launches with stack, CASE, ALLOCATION and median_us.
    """
    chosen = rows[rows["stack"].isin([baseline, candidate])]
    logs = chosen.assign(log=np.log(chosen["median_us"])).groupby([*ALLOCATION, *CASE, "stack"])["log"].median()
    sides = logs.unstack("stack").reindex(columns=[candidate, baseline])
    table = (sides[candidate] - sides[baseline]).dropna().unstack(CASE)
    weights = np.array([(question or Question()).weight(str(each[0]), int(each[1])) for each in table.columns])
    matrix, weights = table.to_numpy(dtype=np.float64)[:, weights > 0], weights[weights > 0]
    if not matrix.size:
        return Effect(nan, nan, nan, 0, 0)
    weights = weights / weights.sum()
    counts = (~np.isnan(matrix)).sum(axis=0)
    of_cases = np.nanmean(matrix, axis=0)
    centre, blocks = float(of_cases @ weights), int(counts.min())
    if blocks < 2:
        return Effect(exp(centre), nan, nan, len(counts), blocks)
    half = half_width(matrix, weights, confidence)
    return Effect(exp(centre), exp(centre - half), exp(centre + half), len(counts), blocks)


def half_width(matrix: NDArray[np.float64], weights: NDArray[np.float64], confidence: float) -> float:
    """Half the interval of a weighted sum over cases of their means over blocks; the block is the unit.

    `matrix`: blocks × cases, NaN if a block lacks a case; each case is in two blocks at least.
    """
    counts = (~np.isnan(matrix)).sum(axis=0)
    blocks = int(counts.min())
    # What each block adds to the error of the sum; not every block has every case.
    parts = np.nansum((matrix - np.nanmean(matrix, axis=0)) / counts * weights, axis=1)
    return float(stdtrit(blocks - 1, (1 + confidence) / 2) * sqrt((parts**2).sum() * blocks / (blocks - 1)))


@dataclass(frozen=True)
class Choice:
    """`stack`: the one that leads. `contenders`: those that none is shown to beat over all, the leader among them.

    `nearest`: the stack that comes closest to it, `effect`: the leader against that one.
    """

    stack: str
    contenders: list[str]
    nearest: str
    effect: Effect


def choose(rows: pd.DataFrame, stacks: list[str], confidence: float, question: Question) -> Choice | None:
    """The choice among stacks by their pooled effects; None if no two have cases in common.

    All pairs share the level (Bonferroni), so that with `confidence` no contender is left out wrongly. `rows`: as for
    `pooled`.
    """
    each = 1 - (1 - confidence) / max(1, len(stacks) * (len(stacks) - 1) // 2)
    effects: dict[tuple[str, str], Effect] = {}
    for one, other in combinations(stacks, 2):
        effect = pooled(rows, one, other, each, question)
        if isfinite(effect.ratio):
            effects[other, one] = effect
            turned = Effect(1 / effect.ratio, 1 / effect.high, 1 / effect.low, effect.cases, effect.blocks)
            effects[one, other] = turned
    comparable = [stack for stack in stacks if any(stack == one for one, _ in effects)]
    if not comparable:
        return None
    beaten = {one for (one, _), effect in effects.items() if effect.low > 1}
    contenders = [stack for stack in comparable if stack not in beaten] or comparable
    leads = {
        stack: {other: log(effect.ratio) for (one, other), effect in effects.items() if one == stack}
        for stack in contenders
    }
    leader = min(contenders, key=lambda stack: sum(leads[stack].values()) / len(leads[stack]))
    nearest = max(leads[leader], key=leads[leader].__getitem__)
    return Choice(leader, contenders, nearest, effects[leader, nearest])


#: Blocks beyond which a case is not worth settling.
MAX_BLOCKS = 100

Word = Literal["upgrade", "keep-baseline", "adopt", "undecided"]


@dataclass(frozen=True)
class Decision:
    """The decision on a stack against another, and the cases (lines of `oriented`) that it rests on.

    `slower`, `faster`: established, the largest first. `regressed`: of the slower ones those beyond what is tolerated.
    `at_risk`: may be beyond that, and are not shown to be, the worst first. With `blocks` blocks, `settled` of the
    at_risk ones are likely to be decided; both are 0 if `MAX_BLOCKS` would not do.
    """

    word: Word
    cases: int
    slower: pd.DataFrame
    faster: pd.DataFrame
    regressed: pd.DataFrame
    equal: int
    open: int
    at_risk: pd.DataFrame
    blocks: int
    settled: int


def decision_on(inputs: RunInputs, table: pd.DataFrame, line: Mapping[Any, Any]) -> Decision:
    """The decision that a line of `answers.csv` tells of. `table`: `question.oriented`; `line`: baseline, candidate."""
    campaign = inputs.campaign
    rows = counting(answering(table, line), campaign.question)
    tests = 2 * len(rows) * len(inputs.asked.pairs)
    return decide(rows, inputs.tolerated, stricter(campaign.analysis.confidence, tests))


def stricter(confidence: float, tests: int) -> float:
    """By which factor a difference must be larger to be established among so many tests than to leave its interval."""
    return float(ndtri(1 - (1 - confidence) / max(tests, 2)) / ndtri((1 + confidence) / 2))


def decide(rows: pd.DataFrame, tolerated: float, strict: float = 1.0) -> Decision:
    """`keep-baseline`: slower somewhere by more than is tolerated. `upgrade`: nowhere, and nothing is to be at_risk.

    `rows`: `question.oriented`, those of the stack against the other. `tolerated`: as a part of the time. `strict`:
    `stricter`.
    """
    slower = rows[rows["verdict"] == "slower"].sort_values("ratio", ascending=False, kind="stable")
    faster = rows[rows["verdict"] == "faster"].sort_values("ratio", kind="stable")
    equal = int((rows["verdict"] == "equivalent").sum())
    regressed = slower[slower["ratio"] > 1 + tolerated]
    kept = slower[slower["ratio"] <= 1 + tolerated]
    unsure = pd.concat([rows[rows["verdict"] == "inconclusive"], kept])
    at_risk = unsure[~(unsure["ratio_high"] <= 1 + tolerated)].sort_values("ratio_high", ascending=False)
    decided = len(slower) + len(faster) + equal
    word: Word = "keep-baseline" if len(regressed) else "upgrade" if decided and at_risk.empty else "undecided"
    needed = sorted(each for each in blocks_to_settle(at_risk, tolerated, strict) if each <= MAX_BLOCKS)
    settled = ceil(len(needed) / 2)
    blocks = int(needed[settled - 1]) if settled else 0
    return Decision(word, len(rows), slower, faster, regressed, equal, len(rows) - decided, at_risk, blocks, settled)


def blocks_to_settle(rows: pd.DataFrame, tolerated: float, strict: float) -> list[float]:
    """Blocks with which each of the rows is likely to be settled; infinite if nothing is known.

    `rows`: ratio, ratio_low, ratio_high, blocks. `strict`: `stricter`.
    """
    lines = rows[["ratio", "ratio_low", "ratio_high", "blocks"]].to_dict("records")
    return [_blocks(row, tolerated, strict) for row in lines]


def _blocks(row: Mapping[Any, Any], tolerated: float, strict: float) -> float:
    """Blocks with which an open case is likely to be settled: its interval shrinks with the root of their number.

    It is settled when the interval no longer holds the edge (what is tolerated, or its inverse) that is nearest to the
    ratio; where it is to be shown to differ, `strict` times the interval. It is open now, so it takes one more.
    """
    ratio, low, high = row["ratio"], row["ratio_low"], row["ratio_high"]
    if not (0 < low <= ratio <= high < inf):
        return inf
    distance = abs(log(ratio)) - log(1 + tolerated)
    half = max(log(high / ratio), log(ratio / low)) * (strict if distance > 0 else 1.0)
    return max(row["blocks"] + 1, ceil(row["blocks"] * (half / distance) ** 2)) if distance else inf
