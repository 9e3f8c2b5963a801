# SPDX-License-Identifier: BSD-3-Clause
"""Probe readings between the batches, launch by launch, and results measured in another regime."""

import numpy as np
import pandas as pd

from isochron.postprocess.ingest.inputs import ALLOCATION, KEYS, POINT, RESULT_KEY
from isochron.schemas.run.store import BY_DATAGRAMS
from isochron.stats.adjustment import APART

PROBE_COLUMNS = {
    "stack": KEYS["stack"],
    **{name: KEYS[name] for name in POINT},
    "block": "number of the block",
    "attempt": "attempt at the block",
    "launch": "number of the launch in its block, stack and point",
    "started_at": "start of the launch",
    "readings": "readings with a cache line",
    "cache_line_ns": "a cache line from one process to another on the same host and back: median over the readings",
    "cache_line_low_ns": "the same: 5 % quantile",
    "cache_line_high_ns": "the same: 95 % quantile",
    "cache_line_ratio": "`cache_line_ns` / its median over all launches of the point",
    "network_by": "how the network was read between hosts: by datagrams (`udp`) or by the MPI library itself (`mpi`), "
    "which explains nothing about it; empty: one host",
    "network_us": "from one host to another and back: median over the readings",
    "network_low_us": "the same: 5 % quantile",
    "network_high_us": "the same: 95 % quantile",
    "network_ratio": "`network_us` / its median over all launches of the point; `mpi`: of the stack there",
    "compute_ns": "a computation of a known number of cycles: median",
    "copy_gbs": "GB/s copied from memory to memory: median",
    "frequency_mhz": "frequency of the processor as the kernel says it: median",
    "switches": "involuntary context switches: sum over the readings of the most of a process",
    "waited_share": "share of the launch in which a process was ready to run and did not: longest of a process",
    "steal_share": "time that the hypervisor took from the processors of a host / duration of the launch",
    "gate_limit_ns": "cache line above which batches are disturbed; empty without `engine.probes: gate`",
    "disturbed_reps": "runs that do not count because of that",
    "extra_share": "part of the launch that went for waiting for quiet, and for runs that do not count",
}
PROBE_SERIES_COLUMNS = {
    "stack": KEYS["stack"],
    "launch_id": "the launch",
    "at_s": "time since the start of the run's first launch",
    "cache_line_ns": "median over the readings of a stretch of time",
    "network_us": "the same of the network between hosts, as datagrams have read it",
    "gated": "whether that is above the launch's `gate_limit_ns`",
}

#: What a launch is said to be by the median over its readings.
MEDIANS = ("cache_line_ns", "network_us", "compute_ns", "copy_gbs", "frequency_mhz")
#: Points of a figure: a launch has at most so many, and all launches together.
MAX_OF_A_LAUNCH, MOST = 20, 3000

#: What a launch says of itself.
OF_LAUNCH = [
    "launch_id", "stack", *POINT, "block", "attempt", "launch", "started_at", "duration_s", "gate_limit_ns",
    "gate_extra_s", "network_by",
]  # fmt: skip


def probe_table(launches: pd.DataFrame, probes: pd.DataFrame, disturbed: pd.Series) -> pd.DataFrame:
    """`PROBE_COLUMNS`, a line for each launch in which something was read, in the order of time.

    `launches`, `probes`: those tables of the store. `disturbed`: by launch_id, how many of its runs do not count.
    """
    line = probes.groupby("launch_id", sort=False)
    launch_table = pd.DataFrame(
        {
            "readings": line["cache_line_ns"].count(),
            **{name: line[name].median() for name in MEDIANS},
            "cache_line_low_ns": line["cache_line_ns"].quantile(0.05),
            "cache_line_high_ns": line["cache_line_ns"].quantile(0.95),
            "network_low_us": line["network_us"].quantile(0.05),
            "network_high_us": line["network_us"].quantile(0.95),
            "switches": line["switches"].sum(),
            "waited_s": line["waited_us"].sum() / 1e6,
            "steal_s": line["steal_ms"].sum() / 1e3,
        }
    )
    launch_table["disturbed_reps"] = disturbed.reindex(launch_table.index)
    table = launches[OF_LAUNCH].merge(launch_table.rename_axis("launch_id").reset_index(), on="launch_id")
    table = table.sort_values(["started_at", "launch_id"], kind="stable", ignore_index=True)
    duration = table["duration_s"].where(table["duration_s"] > 0)
    usual = table.groupby(POINT, sort=False)["cache_line_ns"].transform("median")
    return table.assign(
        started_at=table["started_at"].astype(str),
        cache_line_ratio=table["cache_line_ns"] / usual,
        network_ratio=table["network_us"] / _usual_network(table),
        waited_share=table["waited_s"] / duration,
        disturbed_reps=table["disturbed_reps"].fillna(0).astype("int64"),
        extra_share=table["gate_extra_s"] / duration,
        steal_share=table["steal_s"] / duration,
    )[list(PROBE_COLUMNS)]


def _usual_network(table: pd.DataFrame) -> pd.Series:
    """Of each launch, the median over those with which it can be compared: a library's own ping-pong is its own."""
    reader = table["stack"].where(table["network_by"] == "mpi", "")
    return table.groupby([*POINT, reader.rename("reader")], sort=False)["network_us"].transform("median")


def probe_series(launches: pd.DataFrame, probes: pd.DataFrame) -> pd.DataFrame:
    """`PROBE_SERIES_COLUMNS`: cache line and network along the run, few enough points to be drawn."""
    of_launch = launches[["launch_id", "stack", "started_at", "gate_limit_ns"]]
    probes = probes.assign(network_us=probes["network_us"].where(probes["network_by"] == BY_DATAGRAMS))
    readings = probes[(probes["cache_line_ns"] > 0) | (probes["network_us"] > 0)].merge(of_launch, on="launch_id")
    if not len(readings):
        return pd.DataFrame(
            {name: pd.Series(dtype="bool" if name == "gated" else "float64") for name in PROBE_SERIES_COLUMNS}
        )
    since = (readings["started_at"] - launches["started_at"].min()).dt.total_seconds()
    readings = readings.assign(at_s=since + readings["t_s"])
    parts = int(np.clip(MOST // readings["launch_id"].nunique(), 1, MAX_OF_A_LAUNCH))
    first, last = (readings.groupby("launch_id")["at_s"].transform(end) for end in ("min", "max"))
    length = (last - first).where(last > first, 1.0)
    readings["part"] = np.minimum(parts * (readings["at_s"] - first) // length, parts - 1)
    course = readings.groupby(["launch_id", "part"], as_index=False).agg(
        stack=("stack", "first"), at_s=("at_s", "median"), cache_line_ns=("cache_line_ns", "median"),
        network_us=("network_us", "median"), limit_ns=("gate_limit_ns", "first"),
    )  # fmt: skip
    course["gated"] = course["cache_line_ns"] > course["limit_ns"]
    return course.sort_values(["at_s", "launch_id"], kind="stable", ignore_index=True)[list(PROBE_SERIES_COLUMNS)]


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
    readings = probes[probes["cache_line_ns"] > 0].merge(launches[["launch_id", *ALLOCATION, *POINT]], on="launch_id")
    levels = _levels(readings)
    levels["others_ns"] = levels["launch_id"].map(_of_others(readings)).astype("float64")
    table = rows[["launch_id", *RESULT_KEY, *ALLOCATION, "verdict"]].merge(
        levels, on=["launch_id", "operation", "bytes"]
    )
    table = table.merge(launches[["launch_id", "launch"]], on="launch_id")
    table["ratio"] = table["cache_line_ns"] / table["others_ns"]
    slow = (table["ratio"] > APART) & (table["least"] > APART * table["others_ns"])
    fast = (table["ratio"] < 1 / APART) & (table["most"] < table["others_ns"] / APART)
    return table[slow | fast].reset_index(drop=True)[list(REGIME_COLUMNS)]


def _of_others(readings: pd.DataFrame) -> dict[str, float]:
    """By launch_id, the median reading of the other launches of its allocation and point; none if it is alone."""
    medians: dict[str, float] = {}
    for _, group in readings.groupby([*ALLOCATION, *POINT], sort=False):
        values, owners = group["cache_line_ns"].to_numpy(), group["launch_id"].to_numpy()
        for launch in dict.fromkeys(owners):
            rest = values[owners != launch]
            if len(rest):
                medians[launch] = float(np.median(rest))
    return medians


def _levels(readings: pd.DataFrame) -> pd.DataFrame:
    """Of each launch and row with readings: how many, the least and the most of them, and the median with neighbours.

    One reading may have been interrupted: the ones before and after it tell.
    """
    ordered = readings.sort_values(["launch_id", "t_s"], kind="stable")
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
