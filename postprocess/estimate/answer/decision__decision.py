# SPDX-License-Identifier: BSD-3-Clause
"""Should a stack replace another? By what is established in each case, and by what cannot be excluded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, inf, log
from typing import Any, Literal

import pandas as pd
from scipy.special import ndtri

from isochron.postprocess.estimate.answer.decision__question import answering, counting
from isochron.postprocess.ingest.inputs__inputs import RunInputs

#: Blocks beyond which a case is not worth settling.
MAX_BLOCKS = 100

Word = Literal["upgrade", "keep-baseline", "adopt", "undecided"]


@dataclass(frozen=True)
class Decision:
    """The decision on a stack against another, and the cases (lines of `oriented`) that it rests on.

    `slower`, `faster`: established, the largest first. `regressed`: of the slower ones those beyond what is tolerated.
    `at_risk`: may be beyond that, and are not shown to be, the worst first. With `blocks` blocks, `settled` of the
    at_risk ones are likely to be decided; both are 0 where `MAX_BLOCKS` would not do.
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
    """Blocks with which each of the rows is likely to be settled; infinite where nothing is known.

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
