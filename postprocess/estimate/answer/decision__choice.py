# SPDX-License-Identifier: BSD-3-Clause
"""Which of several stacks should be the default: the one that is the fastest over all that counts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import isfinite, log

import pandas as pd

from isochron.postprocess.estimate.answer.decision__effect import Effect, pooled
from isochron.schemas.input.question import Question


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
    """The choice among stacks by their pooled effects; None where no two have cases in common.

    All pairs share the level (Bonferroni), so that with `confidence` no contender is left out wrongly. `rows`: as for
    `pooled`.
    """
    each = 1 - (1 - confidence) / max(1, len(stacks) * (len(stacks) - 1) // 2)
    found: dict[tuple[str, str], Effect] = {}
    for one, other in combinations(stacks, 2):
        effect = pooled(rows, one, other, each, question)
        if isfinite(effect.ratio):
            found[other, one] = effect
            turned = Effect(1 / effect.ratio, 1 / effect.high, 1 / effect.low, effect.cases, effect.blocks)
            found[one, other] = turned
    known = [stack for stack in stacks if any(stack == one for one, _ in found)]
    if not known:
        return None
    beaten = {one for (one, _), effect in found.items() if effect.low > 1}
    contenders = [stack for stack in known if stack not in beaten] or known
    leads = {
        stack: {other: log(effect.ratio) for (one, other), effect in found.items() if one == stack}
        for stack in contenders
    }
    leader = min(contenders, key=lambda stack: sum(leads[stack].values()) / len(leads[stack]))
    nearest = max(leads[leader], key=leads[leader].__getitem__)
    return Choice(leader, contenders, nearest, found[leader, nearest])
