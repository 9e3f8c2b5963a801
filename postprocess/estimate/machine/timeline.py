# SPDX-License-Identifier: BSD-3-Clause
"""The launches of a run in order of time: load of the nodes, regime of the machine, and how far each launch was off."""

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.machine.provenance import Observation
from isochron.postprocess.ingest.inputs import KEYS, POINT
from isochron.schemas.run.provenance import UNKNOWN
from isochron.stats.adjustment import APART

#: Columns of `timeline.csv`: a line for each launch, in order of time.
TIMELINE_COLUMNS = {
    "stack": KEYS["stack"],
    **{name: KEYS[name] for name in POINT},
    "block": "number of the block",
    "attempt": "attempt at the block",
    "launch": "number of the launch in its block, stack and point",
    "started_at": "start of the launch",
    "at_s": "the same, since the start of the run's first launch",
    "duration_s": "its duration",
    "load": "load average (one minute) of its nodes before it: the largest; empty where it is not known",
    "factor": "median over its rows of launch median / row value; 1 is usual",
    "cache_line_ratio": "a cache line from process to process / its median over all launches of the point",
    "regime": f"of the machine, by that: `slow` (above {APART:g}), `fast` (below 1/{APART:g}), `usual`; empty where "
    "nothing was read",
    "regime_change": "whether it is another one than in the launch before",
    "gated_reps": "runs that did not count, as the machine was in another regime than the launch's quiet one",
}
#: What a launch says of itself.
OF_LAUNCH = ["launch_id", "stack", *POINT, "block", "attempt", "launch", "started_at", "duration_s"]


def timeline(
    launches: pd.DataFrame, observed: list[Observation], factors: pd.DataFrame, probes: pd.DataFrame, run_id: str
) -> pd.DataFrame:
    """`TIMELINE_COLUMNS`.

    `launches`: that table of the store; `factors`: launch_id, factor; `probes`: `PROBE_COLUMNS`.
    """
    table = launches[OF_LAUNCH].sort_values(["started_at", "launch_id"], kind="stable", ignore_index=True)
    since = (table["started_at"] - table["started_at"].min()).dt.total_seconds()
    off = dict(zip(factors["launch_id"], factors["factor"], strict=True))
    table = table.assign(
        at_s=since,
        started_at=table["started_at"].astype(str),
        load=table["launch_id"].map(_loads(observed, run_id)).astype("float64"),
        factor=table["launch_id"].map(off).astype("float64"),
        cache_line_ratio=np.nan,
        gated_reps=0,
    )
    if len(probes):
        keys = ["stack", *POINT, "block", "attempt", "launch"]
        read = probes[[*keys, "cache_line_ratio", "disturbed_reps"]].rename(columns={"disturbed_reps": "gated_reps"})
        columns = table.drop(columns=["cache_line_ratio", "gated_reps"])
        table = columns.merge(read.drop_duplicates(keys), on=keys, how="left")
    ratio = table["cache_line_ratio"].astype("float64")
    regime = np.select([ratio > APART, ratio < 1 / APART, ratio.notna()], ["slow", "fast", "usual"], default="")
    table = table.assign(
        regime=regime,
        regime_change=_changes(regime.tolist()),
        gated_reps=table["gated_reps"].astype("float64").fillna(0).astype("int64"),
    )
    return table[list(TIMELINE_COLUMNS)]


def _loads(observed: list[Observation], run_id: str) -> dict[str, float]:
    """By launch_id, the largest load of its nodes."""
    loads: dict[str, float] = {}
    for each in observed:
        if each.fact == "load_average" and each.value != UNKNOWN:
            name = f"{run_id}.{each.launch}"
            loads[name] = max(loads.get(name, 0.0), float(each.value))
    return loads


def _changes(regimes: list[str]) -> list[bool]:
    """Where a launch with a reading met another regime than the last one that had any."""
    changes, last = [], ""
    for regime in regimes:
        changes.append(bool(last and regime and regime != last))
        last = regime or last
    return changes
