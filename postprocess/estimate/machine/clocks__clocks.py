# SPDX-License-Identifier: BSD-3-Clause
"""How long each synchroniser took, and how far the clocks were then apart."""

from __future__ import annotations

from typing import get_args

import pandas as pd

from isochron.postprocess.ingest.inputs__inputs import KEYS, POINT
from isochron.schemas.input.keys import ClockSync

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
    known = rows["clock_true_before_us"].notna()
    rows = rows.assign(
        error=rows["clock_true_before_us"].where(known, rows["clock_error_before_us"]),
        error_end=rows["clock_true_after_us"].where(known, rows["clock_error_after_us"]),
        errors=known.map({True: "true", False: "verified"}),
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
