# SPDX-License-Identifier: BSD-3-Clause
"""The fastest stack of each case, its lead over the next, and whether that is established."""

from math import inf, isnan, nan
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.compare.inverse import COLUMNS, inverted
from isochron.postprocess.ingest.inputs import CASE, CASE_KEYS

#: Columns of `fastest.csv`, one row a case.
LEADER_COLUMNS = {
    **CASE_KEYS,
    "fastest": "of the contenders, the one that leads all others within the blocks",
    "fastest_us": "its value",
    "runner_up": "the reliable stack that is closest to it",
    "lead": "ratio of the runner-up to the fastest, as in the comparison",
    "lead_low": "lower end of its exact interval",
    "lead_high": "upper end of that interval",
    "state": "`established`, `tied`, `depends` (on the regime of the machine, and all is known), `inconclusive`, "
    "`only-stack` or `none`",
    "contenders": "reliable stacks that no other stack is shown to beat, separated by commas: to be faster in one "
    "regime of the machine at least, and slower in none",
}

#: Keyed by (fastest, other, *case): ratio other / fastest, its interval, verdict of other, and as `_against` says.
Against = dict[tuple[Any, ...], dict[Any, Any]]


def leaders(summary: pd.DataFrame, comparison: pd.DataFrame, threshold: float) -> pd.DataFrame:
    """`LEADER_COLUMNS`. `summary`: stack, CASE, median_us, reliable; `comparison`: `PAIRS_COLUMNS` of all pairs.

    One stack than which no other is faster is *established* as the fastest: all claims of the table hold together, and
    what is slower than another is not the fastest. If several are left, they are *tied* when all are equal to the
    first of them within the practical threshold. They are *depends* when which is the fastest depends on the regime of
    the machine, and nothing else is open: more blocks would not decide it. Else the case is *inconclusive*; it is
    *only-stack* when one row only is reliable, *none* when no row is.

    A stack that is slower than another in one regime and in the other one not faster is no contender: nobody gains by
    it. Of several contenders, the fastest is the one whose smallest lead over any other is largest, so that its lead
    and its name agree where the values, which meet other launches, may not.
    """
    against = _against(comparison, 1 + threshold)
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


def _against(comparison: pd.DataFrame, factor: float) -> Against:
    """Every comparison, both ways round. `factor`: 1 + the practical threshold.

    `slower`: the other is shown to be; `beaten`: it is, or it is so in one regime and in the other one not faster.
    """
    both = pd.concat([comparison[COLUMNS], inverted(comparison)])
    never_faster = (both["quiet_low"] >= 1 / factor) & (both["disturbed_low"] >= 1 / factor)
    slower = both["verdict"] == "slower"
    beaten = slower | ((both["verdict"] == "depends") & never_faster)
    numbers = both[["ratio", "ratio_low", "ratio_high", "verdict"]].set_axis(
        ["lead", "lead_low", "lead_high", "verdict"], axis=1
    )
    keys = both[["baseline", "candidate", *CASE]].itertuples(index=False, name=None)
    return dict(zip(keys, numbers.assign(slower=slower, beaten=beaten).to_dict("records"), strict=True))


def _leader(case: tuple[Any, ...], reliable: list[tuple[str, float]], against: Against) -> dict[str, Any]:
    """A row of the table. `reliable`: the stacks and their values, the fastest first."""
    values = dict(reliable)
    stacks = list(values)
    row = {"fastest": "", "fastest_us": nan, "runner_up": "", "lead": nan, "lead_low": nan, "lead_high": nan}
    if not stacks:
        return {**row, "state": "none", "contenders": ""}

    def found(one: str, other: str) -> dict[Any, Any]:
        return against[(one, other, *case)]

    def remaining(candidates: list[str], claim: str) -> list[str]:
        """Those that are it against no stack; all of them if the claims are in a circle, which establish nothing."""
        return [
            stack for stack in candidates if not any(found(other, stack)[claim] for other in stacks if other != stack)
        ] or candidates

    standing = remaining(stacks, "slower")
    contenders = remaining(standing, "beaten")
    leads = {one: {other: _known(found(one, other)["lead"]) for other in stacks if other != one} for one in stacks}
    first = max(contenders, key=lambda one: min(leads[one].values(), default=1.0))
    rivals = [stack for stack in contenders if stack != first]
    row |= {"fastest": first, "fastest_us": values[first], "contenders": ",".join([first, *rivals])}
    if len(stacks) == 1:
        return row | {"state": "only-stack"}
    closest = min(leads[first], key=leads[first].__getitem__)
    if leads[first][closest] >= 1:  # else they lead each other in a circle, and nobody leads
        row |= {name: value for name, value in found(first, closest).items() if name in row}
    return row | {
        "runner_up": closest,
        "state": _state({found(first, stack)["verdict"] for stack in standing if stack != first}),
    }


def _state(verdicts: set[str]) -> str:
    """The state of a case by the verdicts of the stacks that are not slower than another, against the first of them."""
    if not verdicts:
        return "established"
    if verdicts == {"equivalent"}:
        return "tied"
    return "depends" if verdicts <= {"equivalent", "depends"} else "inconclusive"


def _known(lead: float) -> float:
    """What has no ratio leads nobody."""
    return inf if isnan(lead) else lead
