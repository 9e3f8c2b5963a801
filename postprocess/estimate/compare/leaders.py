# SPDX-License-Identifier: BSD-3-Clause
"""The fastest stack of each case, its lead over the next, and whether that is established."""

from __future__ import annotations

from math import inf, isnan, nan
from typing import Any

import pandas as pd

from isochron.postprocess.ingest.inputs import CASE, CASE_KEYS
from isochron.schemas.run.comparisons import TURNED

#: Columns of `fastest.csv`, one row a case.
LEADER_COLUMNS = {
    **CASE_KEYS,
    "fastest": "of the contenders, the one that leads all others within the blocks",
    "fastest_us": "its value",
    "runner_up": "the reliable stack that is closest to it",
    "lead": "ratio of the runner-up to the fastest, as in the comparison",
    "lead_low": "lower end of its exact interval",
    "lead_high": "upper end of that interval",
    "state": "`established`, `tied`, `inconclusive`, `only-stack` or `none`",
    "contenders": "reliable stacks that no other stack is shown to beat, separated by commas",
}

#: Keyed by (fastest, other, *case): ratio other / fastest, its interval, verdict of other.
Against = dict[tuple[Any, ...], dict[str, Any]]


def leaders(summary: pd.DataFrame, comparison: pd.DataFrame) -> pd.DataFrame:
    """`LEADER_COLUMNS`. `summary`: stack, CASE, median_us, reliable; `comparison`: `COMPARISON_COLUMNS` of all pairs.

    A reliable stack is a contender while no other is shown to be faster. One contender is *established*
    as the fastest: all claims of the table hold together, and what is slower than another is not the fastest. Of
    several, the fastest is the one whose smallest lead over any other is largest, so that its lead and its name agree
    where the values, which meet other launches, may not. They are *tied* when all are equal to it within the practical
    threshold, else the case is *inconclusive*; it is *only-stack* when one row only is reliable, *none* when no row is.
    """
    against = _against(comparison)
    columns = [*CASE, "stack", "median_us", "reliable"]
    cases: dict[tuple[Any, ...], list[tuple[str, float]]] = {}
    for *case, stack, value, reliable in summary[columns].itertuples(index=False, name=None):
        stacks = cases.setdefault(tuple(case), [])
        if reliable:
            stacks.append((stack, value))
    rows = [
        dict(zip(CASE, case, strict=True)) | _leader(case, sorted(stacks, key=lambda each: each[1]), against)
        for case, stacks in cases.items()
    ]
    return pd.DataFrame(rows, columns=list(LEADER_COLUMNS))


def _against(comparison: pd.DataFrame) -> Against:
    """Every comparison, both ways round."""
    against: Against = {}
    columns = ["baseline", "candidate", "ratio", "ratio_low", "ratio_high", "verdict", *CASE]
    for one, other, *lead, verdict, operation, size, p, per_node, placement in comparison[columns].itertuples(
        index=False, name=None
    ):
        case, (ratio, low, high) = (operation, size, p, per_node, placement), lead
        against[(one, other, *case)] = _lead(ratio, low, high, verdict)
        against[(other, one, *case)] = _lead(
            _inverse(ratio), _inverse(high), _inverse(low), TURNED.get(verdict, verdict)
        )
    return against


def _lead(ratio: float, low: float, high: float, verdict: str) -> dict[str, Any]:
    return {"lead": ratio, "lead_low": low, "lead_high": high, "verdict": verdict}


def _inverse(ratio: float) -> float:
    return 1 / ratio if ratio else float("inf")


def _leader(case: tuple[Any, ...], reliable: list[tuple[str, float]], against: Against) -> dict[str, Any]:
    """A row of the table. `reliable`: the stacks and their values, the fastest first."""
    values = dict(reliable)
    stacks = list(values)
    row = {"fastest": "", "fastest_us": nan, "runner_up": "", "lead": nan, "lead_low": nan, "lead_high": nan}
    if not stacks:
        return {**row, "state": "none", "contenders": ""}

    def found(one: str, other: str) -> dict[str, Any]:
        return against[(one, other, *case)]

    # Claims in a circle would leave no contender, and establish nothing.
    contenders = [
        stack
        for stack in stacks
        if not any(found(other, stack)["verdict"] == "slower" for other in stacks if other != stack)
    ] or stacks
    leads = {one: {other: _known(found(one, other)["lead"]) for other in stacks if other != one} for one in stacks}
    first = max(contenders, key=lambda one: min(leads[one].values(), default=1.0))
    rivals = [stack for stack in contenders if stack != first]
    row |= {"fastest": first, "fastest_us": values[first], "contenders": ",".join([first, *rivals])}
    if len(stacks) == 1:
        return row | {"state": "only-stack"}
    closest = min(leads[first], key=leads[first].__getitem__)
    if leads[first][closest] >= 1:  # else they lead each other in a circle, and nobody leads
        row |= {name: value for name, value in found(first, closest).items() if name in row}
    equal = all(found(first, stack)["verdict"] == "equivalent" for stack in rivals)
    return row | {"runner_up": closest, "state": "established" if not rivals else "tied" if equal else "inconclusive"}


def _known(lead: float) -> float:
    """What has no ratio leads nobody."""
    return inf if isnan(lead) else lead
