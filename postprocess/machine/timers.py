# SPDX-License-Identifier: BSD-3-Clause
"""What trying the timers before each block has shown: a verdict for every timer and node."""

from __future__ import annotations

from collections import defaultdict

import pandas as pd

from isochron.postprocess.formatting import numbers
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.provenance import VERDICTS, TimerVerdict, read_timers

#: Columns of `timers.csv`: every timer on every node.
TIMER_COLUMNS = {
    "host": "node",
    "timer": "timer of the engine",
    "clock_source": "the kernel's clock source",
    "verdict": "`good`, `coarse`, `slow`, `unusable` or `refused`: the worst of all checks on that node",
    "reason": "the reason for that verdict",
    "checks": "attempts at blocks before which it was tested on that node",
    "resolution_us": "its step, the largest over the checks; empty where it was refused",
    "cost_us": "cost of one reading, the largest over the checks; empty where it was refused",
    "rate_ppm": "its rate against CLOCK_MONOTONIC_RAW, the one furthest from 0",
}


def timer_table(layout: RunLayout) -> pd.DataFrame:
    """`TIMER_COLUMNS`, from the checks of all attempts, in order of hosts."""
    found: dict[tuple[str, str], list[TimerVerdict]] = defaultdict(list)
    for path in layout.timer_checks():
        for each in read_timers(path):
            found[each.host, each.timer].append(each)
    rows = [_row(checks) for _, checks in sorted(found.items(), key=lambda item: item[0][0])]
    return pd.DataFrame(rows, columns=list(TIMER_COLUMNS))


def _row(checks: list[TimerVerdict]) -> dict[str, object]:
    """One timer on one node."""
    worst = max(checks, key=lambda each: VERDICTS.index(each.verdict))
    tried = [each for each in checks if each.resolution_ns is not None]
    return {
        "host": worst.host,
        "timer": worst.timer,
        "clock_source": worst.clock_source,
        "verdict": worst.verdict,
        "reason": worst.reason,
        "checks": len(checks),
        "resolution_us": max((each.resolution_ns or 0.0 for each in tried), default=float("nan")) / 1e3,
        "cost_us": max((each.cost_ns or 0.0 for each in tried), default=float("nan")) / 1e3,
        "rate_ppm": max((each.rate_ppm or 0.0 for each in tried), key=abs, default=float("nan")),
    }


def timers_in_words(table: pd.DataFrame) -> str:
    """`clock-gettime good; tsc good on 3 nodes, refused on n04`; empty where nothing was tried.

    `table`: `TIMER_COLUMNS`.
    """
    return "; ".join(f"{timer} {_verdicts(rows)}" for timer, rows in table.groupby("timer", sort=False))


def _verdicts(rows: pd.DataFrame) -> str:
    hosts = {verdict: sorted(rows.loc[rows["verdict"] == verdict, "host"]) for verdict in VERDICTS}
    there = {verdict: names for verdict, names in hosts.items() if names}
    if len(there) == 1:
        return next(iter(there))
    return ", ".join(
        f"{verdict} on {names[0] if len(names) == 1 else numbers.count(len(names), 'node')}"
        for verdict, names in there.items()
    )
