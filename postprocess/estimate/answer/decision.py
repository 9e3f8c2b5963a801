# SPDX-License-Identifier: BSD-3-Clause
"""The answer to a campaign's question: which comparisons count, which losses are excluded, the decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, Literal

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.answer.least import at_least
from isochron.postprocess.estimate.answer.price import MAX_BLOCKS, blocks_to_settle, stricter
from isochron.postprocess.estimate.answer.quality import BY_NAME
from isochron.postprocess.estimate.compare.comparison import BY_INTERVAL
from isochron.postprocess.estimate.compare.inverse import COLUMNS, RATIOS, inverted
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.schemas.input.analysis import Analysis
from isochron.schemas.input.question import Question
from isochron.schemas.run.comparisons import BOUNDED, DECIDED
from isochron.stats.adjustment import SAME

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


def oriented(table: pd.DataFrame, analysis: Analysis) -> pd.DataFrame:
    """Every comparison both ways round: `stack` against `other`, `ratio` above 1 if `stack` is slower.

    `least`: the ratio that is shown at least (`at_least`). `table`: `PAIRS_COLUMNS`. The index is that of the table, so
    that both ways of a comparison have the same.
    """
    names = {"candidate": "stack", "baseline": "other", "baseline_launches": "other_launches"}
    least = at_least(table, analysis.confidence, analysis.threshold)
    both = pd.concat([table[COLUMNS].assign(least=least), inverted(table).assign(least=1 / least)])
    return both.rename(columns=names).drop(columns="candidate_launches")


def by_least(rows: pd.DataFrame, *, slowest_first: bool) -> pd.DataFrame:
    """The rows by what is shown at least, and where that is the same by the ratio."""
    ordered: pd.DataFrame = rows.sort_values(["least", "ratio"], ascending=not slowest_first, kind="stable")
    return ordered


Word = Literal["upgrade", "keep-baseline", "adopt", "undecided"]


@dataclass(frozen=True)
class Decision:
    """The decision on a stack against another, and the cases (lines of `oriented`) that it rests on.

    `slower`, `faster`: established, by what is shown at least the largest first. `regressed`: of the slower ones those
    beyond what is accepted by what is shown at least.
    `equal`, `dependent`, `not_slower`, `not_faster`: further cases with the verdicts `equivalent`, `depends` and so on.
    `at_risk`: those in which a loss beyond what is accepted is neither shown nor excluded in all regimes, the worst
    first. With `blocks` blocks, `settled` of them are likely to be; both are 0 if `MAX_BLOCKS` would not do.
    `counted`: the index of all rows that count.
    """

    word: Word
    cases: int
    slower: pd.DataFrame
    faster: pd.DataFrame
    regressed: pd.DataFrame
    equal: int
    dependent: int
    not_slower: int
    not_faster: int
    at_risk: pd.DataFrame
    blocks: int
    settled: int
    counted: pd.Index

    @property
    def decided(self) -> int:
        """Cases in which a difference is shown, or excluded in both directions, be it in each regime another one."""
        return len(self.slower) + len(self.faster) + self.equal + self.dependent

    @property
    def open(self) -> int:
        """All other cases but those in which a difference is excluded in one direction."""
        return self.cases - self.decided - self.not_slower - self.not_faster


def decision_on(inputs: RunInputs, table: pd.DataFrame, line: Mapping[Any, Any]) -> Decision:
    """The decision that a line of `answers.csv` tells of. `table`: `oriented`; `line`: baseline, candidate."""
    question, analysis = inputs.campaign.question, inputs.campaign.analysis
    rows = counting(answering(table, line), question)
    keys = zip(rows["operation"], rows["bytes"], strict=True)
    losses = [question.accepted_loss(operation, size, analysis.threshold) for operation, size in keys]
    tests = 2 * len(rows) * len(inputs.asked.pairs)
    return decide(rows.assign(accepted_loss=losses), analysis.confidence, stricter(analysis.confidence, tests))


def decide(rows: pd.DataFrame, confidence: float, strict: float = 1.0) -> Decision:
    """`keep-baseline`: shown to lose more than is accepted somewhere. `upgrade`: such a loss is excluded in every case.

    The claim that it is excluded in every case is false only if one of its parts is, so each part at its own level
    keeps the level of the whole (an intersection-union test; Berger 1982). Nothing can be lost in a case of which the
    baseline has no time. `rows`: `oriented`, those of the stack against the other, with `accepted_loss`; `strict`:
    `stricter`.
    """
    slower = by_least(rows[rows["verdict"] == "slower"], slowest_first=True)
    faster = by_least(rows[rows["verdict"] == "faster"], slowest_first=False)
    equal, dependent, not_slower, not_faster = (
        int((rows["verdict"] == verdict).sum()) for verdict in ("equivalent", "depends", *BOUNDED)
    )
    regressed = slower[slower["least"] >= 1 + slower["accepted_loss"]]
    measured = _where_largest(rows[rows["other_launches"] > 0])
    settled_rows = _loss_excluded(measured, confidence) | measured.index.isin(regressed.index)
    at_risk = measured[~settled_rows].sort_values("ratio_high", ascending=False, kind="stable")
    word: Word = "keep-baseline" if len(regressed) else "upgrade" if len(measured) > len(at_risk) == 0 else "undecided"
    unknown = at_risk[at_risk["verdict"] != "depends"]  # of those that depend, all is known
    beyond = np.log(unknown["ratio"].to_numpy(dtype=np.float64)) - np.log1p(unknown["accepted_loss"].to_numpy())
    needed = sorted(each for each in blocks_to_settle(unknown, beyond, strict) if each <= MAX_BLOCKS)
    settled = ceil(len(needed) / 2)
    blocks = int(needed[settled - 1]) if settled else 0
    return Decision(
        word,
        len(rows),
        slower,
        faster,
        regressed,
        equal=equal,
        dependent=dependent,
        not_slower=not_slower,
        not_faster=not_faster,
        at_risk=at_risk,
        blocks=blocks,
        settled=settled,
        counted=rows.index,
    )


#: Part of the results that may be unreliable where a stack is to be taken: that of a C, since a D is not decided by.
MAX_UNRELIABLE = BY_NAME["reliable"].limits[2]
UNRELIABLE, NONE_DECIDED = "unreliable", "none-decided"


def objection(decision: Decision, results: pd.DataFrame) -> str:
    """Why no other stack should be taken by this run, whatever its ratios are: a word, empty if nothing is against it.

    `unreliable`: more of the results than `MAX_UNRELIABLE` are not reliable; `none-decided`: no comparison shows or
    excludes a difference. `results`: those of the stacks in the cases that count.
    """
    if not len(results) or (~results["reliable"].astype(bool)).mean() > MAX_UNRELIABLE:
        return UNRELIABLE
    return "" if decision.decided + decision.not_slower + decision.not_faster else NONE_DECIDED


def _where_largest(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with ratio and interval of a regime, if the ratio may be larger there.

    That is the quiet regime, if the ratio differs there, and in turns the disturbed one, if the ratio there is larger
    than accepted.
    """
    differs = ~rows["by_regime"].isin(["", SAME])
    worse = rows["in_turns"].astype(bool) & (rows["disturbed_ratio"] > 1 + rows["accepted_loss"])
    plain, *regimes = RATIOS
    for names, where in zip(regimes, (differs, worse), strict=True):
        larger = where & (rows[names[-1]] > rows["ratio_high"])
        rows = rows.assign(**{name: rows[name].mask(larger, rows[own]) for name, own in zip(plain, names, strict=True)})
    return rows


def _loss_excluded(rows: pd.DataFrame, confidence: float) -> pd.Series[bool]:
    """Of each row whether a loss beyond the accepted one is excluded, by the rules of `not-slower`.

    Nothing speaks against its interval, which has the stated confidence, and if the machine had two regimes, the ratio
    is not shown to differ between them, or is known in the quiet one. `rows`: as `_where_largest` has them.
    """
    usable = rows["verdict"].isin([*DECIDED, *BOUNDED]) | rows["reason"].str.startswith(BY_INTERVAL)
    known = rows["by_regime"].isin(["", SAME]) | rows["quiet_high"].notna()
    within = rows["ratio_high"] <= 1 + rows["accepted_loss"]
    return usable & known & (rows["confidence"] >= confidence) & within
