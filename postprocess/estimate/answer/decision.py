# SPDX-License-Identifier: BSD-3-Clause
"""The answer to a campaign's question: which comparisons count, which losses are excluded, the decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, Literal

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.answer.price import MAX_BLOCKS, blocks_to_settle, stricter
from isochron.postprocess.estimate.compare.comparison import OPEN, UNKNOWN
from isochron.postprocess.ingest.inputs import CASE, RunInputs
from isochron.schemas.input.question import Question
from isochron.schemas.run.comparisons import BOUNDED, DECIDED, TURNED
from isochron.stats.adjustment import SAME

#: Stands in the place of the baseline where a stack is set against all others.
ALL = "all others"


#: Ends of an interval, and of that of the inverse.
ENDS = (("low", "high"), ("high", "low"))


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
    ratios = ["ratio", "ratio_low", "ratio_high", "quiet_ratio", "quiet_low", "quiet_high", "disturbed_ratio"]
    regimes = ["in_turns", "by_regime", "regime"]
    columns = [*CASE, *ratios, *regimes, "confidence", "blocks", "verdict", "reason", "family"]
    forth = table[columns].assign(
        stack=table["candidate"], other=table["baseline"], other_launches=table["baseline_launches"]
    )
    back = table[columns].assign(
        stack=table["baseline"],
        other=table["candidate"],
        other_launches=table["candidate_launches"],
        ratio=1 / table["ratio"],
        quiet_ratio=1 / table["quiet_ratio"],
        disturbed_ratio=1 / table["disturbed_ratio"],
        **{f"{name}_{end}": 1 / table[f"{name}_{other}"] for name in ("ratio", "quiet") for end, other in ENDS},
        verdict=table["verdict"].replace(TURNED),
    )
    return pd.concat([forth, back])


Word = Literal["upgrade", "keep-baseline", "adopt", "undecided"]


@dataclass(frozen=True)
class Decision:
    """The decision on a stack against another, and the cases (lines of `oriented`) that it rests on.

    `slower`, `faster`: established, the largest first. `regressed`: of the slower ones those beyond what is accepted.
    `equal`, `not_slower`: further cases with these verdicts. `at_risk`: those in which a loss beyond what is accepted
    is neither shown nor excluded, the worst first. With `blocks` blocks, `settled` of them are likely to be; both are 0
    if `MAX_BLOCKS` would not do.
    """

    word: Word
    cases: int
    slower: pd.DataFrame
    faster: pd.DataFrame
    regressed: pd.DataFrame
    equal: int
    not_slower: int
    at_risk: pd.DataFrame
    blocks: int
    settled: int

    @property
    def decided(self) -> int:
        """Cases in which a difference is shown, or excluded in both directions."""
        return len(self.slower) + len(self.faster) + self.equal

    @property
    def open(self) -> int:
        """All other cases but those that are not slower."""
        return self.cases - self.decided - self.not_slower


def decision_on(inputs: RunInputs, table: pd.DataFrame, line: Mapping[Any, Any]) -> Decision:
    """The decision that a line of `answers.csv` tells of. `table`: `oriented`; `line`: baseline, candidate."""
    question, analysis = inputs.campaign.question, inputs.campaign.analysis
    rows = counting(answering(table, line), question)
    keys = zip(rows["operation"], rows["bytes"], strict=True)
    losses = [question.accepted_loss(operation, size, analysis.threshold) for operation, size in keys]
    tests = 2 * len(rows) * len(inputs.asked.pairs)
    return decide(rows.assign(accepted_loss=losses), analysis.confidence, stricter(analysis.confidence, tests))


def decide(rows: pd.DataFrame, confidence: float, strict: float = 1.0) -> Decision:
    """`keep-baseline`: slower somewhere by more than is accepted. `upgrade`: a larger loss is excluded in every case.

    The claim that it is excluded in every case is false only if one of its parts is, so each part at its own level
    keeps the level of the whole (an intersection-union test; Berger 1982). Nothing can be lost in a case of which the
    baseline has no time. `rows`: `oriented`, those of the stack against the other, with `accepted_loss`; `strict`:
    `stricter`.
    """
    slower = rows[rows["verdict"] == "slower"].sort_values("ratio", ascending=False, kind="stable")
    faster = rows[rows["verdict"] == "faster"].sort_values("ratio", kind="stable")
    equal, not_slower = (int((rows["verdict"] == verdict).sum()) for verdict in ("equivalent", "not-slower"))
    regressed = slower[slower["ratio"] > 1 + slower["accepted_loss"]]
    measured = _where_largest(rows[rows["other_launches"] > 0])
    settled_rows = _loss_excluded(measured, confidence) | measured.index.isin(regressed.index)
    at_risk = measured[~settled_rows].sort_values("ratio_high", ascending=False, kind="stable")
    word: Word = "keep-baseline" if len(regressed) else "upgrade" if len(measured) > len(at_risk) == 0 else "undecided"
    beyond = np.log(at_risk["ratio"].to_numpy(dtype=np.float64)) - np.log1p(at_risk["accepted_loss"].to_numpy())
    needed = sorted(each for each in blocks_to_settle(at_risk, beyond, strict) if each <= MAX_BLOCKS)
    settled = ceil(len(needed) / 2)
    blocks = int(needed[settled - 1]) if settled else 0
    return Decision(word, len(rows), slower, faster, regressed, equal, not_slower, at_risk, blocks, settled)


def _where_largest(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with ratio and interval of the quiet regime, if the ratio differs there and may be larger."""
    quiet = ~rows["by_regime"].isin(["", SAME]) & (rows["quiet_high"] > rows["ratio_high"])
    columns = {f"ratio{end}": rows[f"quiet_{end[1:] or 'ratio'}"] for end in ("", "_low", "_high")}
    return rows.assign(**{name: rows[name].mask(quiet, values) for name, values in columns.items()})


def _loss_excluded(rows: pd.DataFrame, confidence: float) -> pd.Series[bool]:
    """Of each row whether a loss beyond the accepted one is excluded, by the rules of `not-slower`.

    Nothing speaks against its interval, which has the stated confidence, and if the machine had two regimes, the ratio
    is not shown to differ between them, or is known in the quiet one; in turns it is not larger than accepted in the
    disturbed one either. `rows`: as `_where_largest` has them.
    """
    usable = rows["verdict"].isin([*DECIDED, *BOUNDED]) | rows["reason"].str.startswith((OPEN, UNKNOWN))
    known = rows["by_regime"].isin(["", SAME]) | rows["quiet_high"].notna()
    most = 1 + rows["accepted_loss"]
    worse = rows["in_turns"].astype(bool) & (rows["disturbed_ratio"] > most)
    return usable & known & ~worse & (rows["confidence"] >= confidence) & (rows["ratio_high"] <= most)
