# SPDX-License-Identifier: BSD-3-Clause
"""`view-msu-transfers.csv`, `view-msu-topologies.csv`: the tables of the MSU tests (Andreev, Voevodin, 1997-2003)."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.reading.inputs import KEYS, POINT, RESULT_KEY
from isochron.postprocess.tables.declaration import Table, TableContext
from isochron.postprocess.tables.summary import make_summary
from isochron.postprocess.tables.views.units import mib_per_s
from isochron.schemas.engine.contract import HALVED, TOPOLOGIES, TRANSFERS

PLACE = {name: KEYS[name] for name in ("stack", *POINT)}
TRANSFER_COLUMNS = {
    **PLACE,
    "transfer": "number of the test, 1 to 5",
    "bytes": "message size L",
    "latency_us": "the time at size 0; of transfer-1 half of the round trip",
    "mib_per_s": "rate R = 2L/T, T the time of a run; MiB/s, 2²⁰ bytes, which the source calls MB/s",
}
#: The source's order of topologies.
ORDER = ("star", "chaos", "ring", "istar", "ichaos", "iring")
TOPOLOGY_COLUMNS = {
    **PLACE,
    "bytes": "message size L",
    **dict.fromkeys(ORDER, "R_avg = 2L/T of a channel; MiB/s, 2²⁰ bytes, which the source calls MB/s"),
    **{f"{name}_local": "R_local = 2L·N/T of the process with most channels N, MiB/s" for name in ORDER},
    **{f"{name}_total": "R_total = 2L·N/T of all N channels, MiB/s" for name in ORDER},
}


def channels(topology: str, processes: int) -> tuple[int, int]:
    """Channels of the process that has most, and of all: star, ring, chaos (each with each)."""
    own = {"star": processes - 1, "ring": 2, "chaos": processes - 1}[topology.removeprefix("i")]
    every = {"star": processes - 1, "ring": processes, "chaos": processes * (processes - 1) // 2}
    return own, every[topology.removeprefix("i")]


def transfer_table(summary: pd.DataFrame) -> pd.DataFrame:
    """`TRANSFER_COLUMNS`. `summary`: RESULT_KEY and median_us, of HALVED operations half of a run."""
    rows = summary[summary["operation"].isin(list(TRANSFERS)) & summary["median_us"].notna()]
    run = rows["median_us"].where(~rows["operation"].isin(list(HALVED)), 2 * rows["median_us"])
    rows = rows.assign(
        transfer=rows["operation"].str.removeprefix("transfer-").astype(int),
        latency_us=rows["median_us"].where(rows["bytes"] == 0),
        mib_per_s=mib_per_s(2 * rows["bytes"], run).where(rows["bytes"] > 0),
    )
    return rows[list(TRANSFER_COLUMNS)].sort_values([*PLACE, "transfer", "bytes"], kind="stable")


def topology_table(summary: pd.DataFrame, group: int) -> pd.DataFrame:
    """`TOPOLOGY_COLUMNS`. `summary`: RESULT_KEY and median_us; `group`: processes of a group, 0: all."""
    rows = summary[summary["operation"].isin(list(TOPOLOGIES)) & summary["median_us"].notna()]
    keys = [*PLACE, "bytes"]
    average = rows.assign(average=mib_per_s(2 * rows["bytes"], rows["median_us"]))
    table = (
        average.pivot(index=keys, columns="operation", values="average")
        .reindex(columns=list(ORDER))
        .rename_axis(columns=None)
        .reset_index()
    )
    for name in ORDER:
        counted = [channels(name, group or int(processes)) for processes in table["processes"]]
        table[f"{name}_local"] = table[name] * [own for own, _ in counted]
        table[f"{name}_total"] = table[name] * [every for _, every in counted]
    return table[list(TOPOLOGY_COLUMNS)]


def make_topologies(context: TableContext) -> pd.DataFrame:
    """`TOPOLOGY_COLUMNS`."""
    return topology_table(
        context.get(make_summary)[[*RESULT_KEY, "median_us"]], context.inputs.campaign.engine.group_size
    )


MSU_TRANSFERS = Table(
    name="view-msu-transfers",
    columns=TRANSFER_COLUMNS,
    make=lambda context: transfer_table(context.get(make_summary)),
    holds="transfers 1 to 5 of the MSU tests: latency, and rate in their unit",
    applies=lambda campaign: "msu" in campaign.analysis.views,
)
MSU_TOPOLOGIES = Table(
    name="view-msu-topologies",
    columns=TOPOLOGY_COLUMNS,
    make=make_topologies,
    holds="star, chaos and ring of the MSU tests: rates of a channel, a process and all, in their unit",
    applies=lambda campaign: "msu" in campaign.analysis.views,
)
