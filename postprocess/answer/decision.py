# SPDX-License-Identifier: BSD-3-Clause
"""Should a stack replace another? By what is established in each case, and by what cannot be excluded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, inf, log
from typing import Any, Literal

import pandas as pd

#: Blocks beyond which a case is not worth settling.
MOST_BLOCKS = 100

Word = Literal["upgrade", "do-not", "cannot-tell"]


@dataclass(frozen=True)
class Decision:
    """The decision on a stack against another, and the cases (lines of `oriented`) that it rests on.

    `slower`, `faster`: established, the largest first. `feared`: open, and may be slower by more than the practical
    threshold, the worst first. With `blocks` blocks, `settled` of the feared ones are likely to be decided; both are 0
    where `MOST_BLOCKS` would not do.
    """

    word: Word
    cases: int
    slower: pd.DataFrame
    faster: pd.DataFrame
    equal: int
    open: int
    feared: pd.DataFrame
    blocks: int
    settled: int


def decide(rows: pd.DataFrame, threshold: float) -> Decision:
    """`do-not`: slower somewhere by more than the threshold. `upgrade`: nowhere, and nothing is to be feared.

    `rows`: `question.oriented`, those of the stack against the other.
    """
    slower = rows[rows["verdict"] == "slower"].sort_values("ratio", ascending=False, kind="stable")
    faster = rows[rows["verdict"] == "faster"].sort_values("ratio", kind="stable")
    equal = int((rows["verdict"] == "equal").sum())
    bounded = rows["ratio_high"] <= 1 + threshold
    feared = rows[(rows["verdict"] == "inconclusive") & ~bounded].sort_values("ratio_high", ascending=False)
    decided = len(slower) + len(faster) + equal
    word: Word = "do-not" if len(slower) else "upgrade" if decided and feared.empty else "cannot-tell"
    needed = sorted(filter(lambda blocks: blocks <= MOST_BLOCKS, (_blocks(row, threshold) for row in _lines(feared))))
    settled = ceil(len(needed) / 2)
    blocks = int(needed[settled - 1]) if settled else 0
    return Decision(word, len(rows), slower, faster, equal, len(rows) - decided, feared, blocks, settled)


def _lines(rows: pd.DataFrame) -> list[dict[Any, Any]]:
    return rows[["ratio", "ratio_low", "ratio_high", "blocks"]].to_dict("records")


def _blocks(row: Mapping[Any, Any], threshold: float) -> float:
    """Blocks with which an open case is likely to be settled: its interval shrinks with the root of their number.

    It is settled when the interval no longer holds the edge (threshold, or its inverse) that is nearest to the ratio.
    """
    ratio, low, high = row["ratio"], row["ratio_low"], row["ratio_high"]
    if not (0 < low <= ratio <= high < inf):
        return inf
    distance = abs(abs(log(ratio)) - log(1 + threshold))
    half = max(log(high / ratio), log(ratio / low))
    return ceil(row["blocks"] * (half / distance) ** 2) if distance > 0 else inf
