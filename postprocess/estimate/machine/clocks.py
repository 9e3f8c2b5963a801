# SPDX-License-Identifier: BSD-3-Clause
"""The clocks: how well they were synchronised, and the tests of the timers."""

from collections import defaultdict
from typing import get_args

import pandas as pd

from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import KEYS, POINT
from isochron.schemas.input.keys import ClockSync
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.provenance import VERDICTS, TimerVerdict, read_timers

#: What a row is.
METHOD = ["stack", "processes_per_node", "placement", "clock_sync", "clock_estimator", "processes"]

#: Columns of `clock-synchronisation.csv`: a row for each stack, point, synchroniser and estimator.
CLOCK_COLUMNS = {
    "clock_sync": "clock synchronisation",
    "clock_estimator": "estimator of a clock offset",
    "stack": KEYS["stack"],
    **{name: KEYS[name] for name in POINT},
    "launches": "launches with this synchroniser",
    "phase_ms": "time of the first synchronisation: median over launches",
    "error_us": "largest error directly after a synchronisation, over processes and launches",
    "error_end_us": "largest error at the end of what was measured with it",
    "bound_us": "largest stated bound directly after a synchronisation",
    "errors": "`true`: of all processes, where a simulator makes up the clocks; `verified`: measured again by the "
    "engine, on at most 65 processes",
}


def clock_table(launches: pd.DataFrame) -> pd.DataFrame:
    """`CLOCK_COLUMNS` of all launches whose clocks were synchronised, by synchroniser and process count.

    `launches`: `METHOD`, launch_id, clock_sync_ms, clock_bound_us, and the
    errors clock_error_… and clock_true_… before and after.
    """
    rows = launches[launches["clock_sync"].isin(get_args(ClockSync))]
    has_truth = rows["clock_true_before_us"].notna()
    rows = rows.assign(
        error=rows["clock_true_before_us"].where(has_truth, rows["clock_error_before_us"]),
        error_end=rows["clock_true_after_us"].where(has_truth, rows["clock_error_after_us"]),
        errors=has_truth.map({True: "true", False: "verified"}),
        place=rows["clock_sync"].map({name: place for place, name in enumerate(get_args(ClockSync))}),
    )
    table = rows.groupby([*METHOD, "errors"], sort=False, as_index=False).agg(
        place=("place", "first"),
        launches=("launch_id", "count"),
        phase_ms=("clock_sync_ms", "median"),
        error_us=("error", "max"),
        error_end_us=("error_end", "max"),
        bound_us=("clock_bound_us", "max"),
    )
    order = [name if name != "clock_sync" else "place" for name in METHOD]
    return table.sort_values(order, kind="stable")[list(CLOCK_COLUMNS)].reset_index(drop=True)


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
    verdicts: dict[tuple[str, str], list[TimerVerdict]] = defaultdict(list)
    for path in layout.timer_checks():
        for each in read_timers(path):
            verdicts[each.host, each.timer].append(each)
    rows = [_row(checks) for _, checks in sorted(verdicts.items(), key=lambda item: item[0][0])]
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
    """`clock-gettime good; tsc good on 3 nodes, refused on n04`; empty if nothing was tried.

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
