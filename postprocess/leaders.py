# SPDX-License-Identifier: BSD-3-Clause
"""The fastest stack of each case, its lead over the next, and whether that is established."""

from __future__ import annotations

from math import nan
from typing import Any

import pandas as pd

from postprocess.inputs import CASE, CASE_KEYS

#: Columns of `fastest.csv`, one row a case.
LEADERS = {
    **CASE_KEYS,
    "fastest": "the believed stack with the smallest value",
    "fastest_us": "its value",
    "runner_up": "the believed stack with the next value",
    "lead": "value of the runner-up / value of the fastest",
    "lead_low": "its bootstrap interval",
    "lead_high": "as `lead_low`",
    "state": "established equal open alone none",
    "contenders": "believed stacks than which none is shown to be faster, separated by commas",
}


def leaders(summary: pd.DataFrame, comparison: pd.DataFrame) -> pd.DataFrame:
    """`LEADERS` from the summary and the comparison of all pairs.

    A believed stack is a contender while no other is shown to be faster. One contender is *established*
    as the fastest: all claims of the table hold together (Holm), and what is slower than another is not
    the fastest. Several are *equal* when all are equal to the smallest value within the practical
    threshold, else the case is *open*; it is *alone* when one row only is believed, *none* when no row is.
    """
    against = _against(comparison)
    rows = [
        dict(zip(CASE, case, strict=True)) | _leader(case, group, against)
        for case, group in summary.groupby(CASE, sort=False)
    ]
    return pd.DataFrame(rows, columns=list(LEADERS))


def _against(comparison: pd.DataFrame) -> dict[tuple[Any, ...], dict[Any, Any]]:
    """Comparisons keyed by (fastest, other, *case): ratio other / fastest, its interval, verdict of other."""
    turned = {"faster": "slower", "slower": "faster", "missing": "new", "new": "missing"}
    found: dict[tuple[Any, ...], dict[Any, Any]] = {}
    for row in comparison.to_dict("records"):
        case = tuple(row[name] for name in CASE)
        ratio, low, high, verdict = row["ratio"], row["ratio_low"], row["ratio_high"], row["verdict"]
        found[(row["baseline"], row["candidate"], *case)] = _lead(ratio, low, high, verdict)
        found[(row["candidate"], row["baseline"], *case)] = _lead(
            _inverse(ratio), _inverse(high), _inverse(low), turned.get(verdict, verdict)
        )
    return found


def _lead(ratio: float, low: float, high: float, verdict: str) -> dict[Any, Any]:
    return {"lead": ratio, "lead_low": low, "lead_high": high, "verdict": verdict}


def _inverse(ratio: float) -> float:
    return 1 / ratio if ratio else float("inf")


def _leader(case: tuple[Any, ...], group: pd.DataFrame, against: dict[Any, Any]) -> dict[str, Any]:
    believed = group[group["believed"]].sort_values("median_us", kind="stable")
    order = believed["stack"].tolist()
    empty = {"runner_up": "", "lead": nan, "lead_low": nan, "lead_high": nan}
    if not order:
        return {"fastest": "", "fastest_us": nan, **empty, "state": "none", "contenders": ""}
    fastest = {"fastest": order[0], "fastest_us": float(believed["median_us"].iloc[0])}
    if len(order) == 1:
        return {**fastest, **empty, "state": "alone", "contenders": order[0]}
    rivals = [
        stack
        for stack in order[1:]
        if not any(against[(other, stack, *case)]["verdict"] == "slower" for other in order if other != stack)
    ]
    equal = all(against[(order[0], stack, *case)]["verdict"] == "equal" for stack in rivals)
    lead = {name: against[(order[0], order[1], *case)][name] for name in ("lead", "lead_low", "lead_high")}
    state = "established" if not rivals else "equal" if equal else "open"
    contenders = ",".join([order[0], *rivals])
    return {**fastest, "runner_up": order[1], **lead, "state": state, "contenders": contenders}
