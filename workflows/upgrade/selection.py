# SPDX-License-Identifier: BSD-3-Clause
"""Which screened operations are worth following: the claims rest on what is measured of them again, not on this choice.

An operation is followed at all of its sizes: they share a launch, whose start costs more than most of them.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest

from isochron.schemas.run.screening import ScreenedCase

#: The largest p value of an operation that is followed, and the share of the practical threshold by which one of its
#: cases must differ at least.
LEVEL, LEAST = 0.5, 0.5
#: Operations that are followed whatever they take with two stacks; with more, as many fewer.
FEWEST = 8
#: The largest p value of one that seems to have changed: among those the order of what is screened decides.
SEEMS = 0.01


def choose(
    cases: Sequence[ScreenedCase],
    threshold: float,
    costs: Mapping[str, float],
    seconds: float,
    always: Sequence[str] = (),
    stacks: int = 2,
) -> list[ScreenedCase]:
    """Return all cases in their order; those of operations whose `costs` are within so many seconds are followed.

    `always`: operations that are worth following whatever their cases show, alternately with the others. The first
    `FEWEST` operations are followed whatever they cost, of more `stacks` than two as many fewer. `threshold`: as a
    share.
    """
    fewest = 2 * FEWEST // stacks
    together = _together(cases, threshold)
    worth = [operation for operation, value in together.items() if value <= LEVEL]
    worth.sort(key=lambda operation: max(together[operation], SEEMS))
    chosen: set[str] = set()
    for operation in chain.from_iterable(zip_longest(always, worth)):
        if operation is None or operation in chosen:
            continue
        if len(chosen) < fewest or costs[operation] <= seconds:
            chosen.add(operation)
            seconds -= costs[operation]
    return [case.model_copy(update={"followed": case.operation in chosen}) for case in cases]


def left_out(cases: Sequence[ScreenedCase], threshold: float) -> list[str]:
    """Return the operations that seem to have changed and are not followed. `threshold`: as a share."""
    followed = {case.operation for case in cases if case.followed}
    return [name for name, value in _together(cases, threshold).items() if value <= SEEMS and name not in followed]


def _together(cases: Sequence[ScreenedCase], threshold: float) -> dict[str, float]:
    """Return the p value of each operation: of its cases together (Simes 1986).

    Those count that differ by a part of the threshold.
    """
    least = LEAST * math.log1p(threshold)
    values: dict[str, list[float]] = {}
    for case in cases:
        counts = abs(math.log(case.ratio)) >= least
        values.setdefault(case.operation, []).append(case.p_value if counts else 1.0)
    return {operation: _simes(listed) for operation, listed in values.items()}


def _simes(values: Sequence[float]) -> float:
    """Return the p value of the hypothesis that none of the values is of a difference (Simes 1986)."""
    count = len(values)
    return min(count * value / rank for rank, value in enumerate(sorted(values), 1))
