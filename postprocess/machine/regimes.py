# SPDX-License-Identifier: BSD-3-Clause
"""Rows that a launch measured wholly in another regime of the machine than the other launches of its block."""

from __future__ import annotations

import numpy as np
import pandas as pd

from isochron.postprocess.reading.inputs import ALLOCATION, KEYS, POINT, RESULT_KEY
from isochron.stats.adjustment import APART

REGIME_COLUMNS = {
    **KEYS,
    "block": "number of the block",
    "attempt": "attempt at the block",
    "launch": "number of the launch in its block, stack and point",
    "readings": "readings of the cache line in the row",
    "cache_line_ns": "median over them, the reading before the row and the one after it",
    "others_ns": "median over the readings of the block's other launches of the point",
    "ratio": "`cache_line_ns` / `others_ns`",
    "verdict": "verdict of the launch's row",
}


def regime_table(rows: pd.DataFrame, launches: pd.DataFrame, probes: pd.DataFrame) -> pd.DataFrame:
    """`REGIME_COLUMNS` of the rows that are in another regime with all of their readings.

    `rows`: the launches' rows with launch_id, RESULT_KEY, ALLOCATION and verdict. `launches`: launch_id, launch, POINT
    and ALLOCATION. `probes`: that table of the store.
    """
    known = probes[probes["cache_line_ns"] > 0].merge(launches[["launch_id", *ALLOCATION, *POINT]], on="launch_id")
    found = _levels(known)
    found["others_ns"] = found["launch_id"].map(_of_others(known)).astype("float64")
    table = rows[["launch_id", *RESULT_KEY, *ALLOCATION, "verdict"]].merge(
        found, on=["launch_id", "operation", "bytes"]
    )
    table = table.merge(launches[["launch_id", "launch"]], on="launch_id")
    table["ratio"] = table["cache_line_ns"] / table["others_ns"]
    slow = (table["ratio"] > APART) & (table["least"] > APART * table["others_ns"])
    fast = (table["ratio"] < 1 / APART) & (table["most"] < table["others_ns"] / APART)
    return table[slow | fast].reset_index(drop=True)[list(REGIME_COLUMNS)]


def _of_others(known: pd.DataFrame) -> dict[str, float]:
    """By launch_id, the median reading of the other launches of its allocation and point; none where it is alone."""
    medians: dict[str, float] = {}
    for _, group in known.groupby([*ALLOCATION, *POINT], sort=False):
        values, owners = group["cache_line_ns"].to_numpy(), group["launch_id"].to_numpy()
        for launch in dict.fromkeys(owners):
            rest = values[owners != launch]
            if len(rest):
                medians[launch] = float(np.median(rest))
    return medians


def _levels(known: pd.DataFrame) -> pd.DataFrame:
    """Of each launch and row with readings: how many, the least and the most of them, and the median with neighbours.

    One reading may have been interrupted: the ones before and after it tell.
    """
    ordered = known.sort_values(["launch_id", "t_s"], kind="stable")
    line = ordered.groupby("launch_id", sort=False)["cache_line_ns"]
    ordered = ordered.assign(before=line.shift(1), after=line.shift(-1))
    ordered = ordered[ordered["operation"] != ""]
    keys = ["launch_id", "operation", "bytes"]
    first, last = ordered.drop_duplicates(keys), ordered.drop_duplicates(keys, keep="last")
    around = [first[keys].assign(cache_line_ns=first["before"]), last[keys].assign(cache_line_ns=last["after"])]
    levels = ordered.groupby(keys)["cache_line_ns"].agg(readings="size", least="min", most="max")
    levels["cache_line_ns"] = (
        pd.concat([ordered[[*keys, "cache_line_ns"]], *around]).groupby(keys)["cache_line_ns"].median()
    )
    return levels.reset_index()
