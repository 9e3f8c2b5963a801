# SPDX-License-Identifier: BSD-3-Clause
"""`view-pmb.csv` and `view-msu-….csv`: results in the formulae of PMB and of the MSU tests."""

from __future__ import annotations

from typing import Any

import pandas as pd

from isochron.postprocess.estimate.values.launches import active, of_a_group
from isochron.postprocess.estimate.values.summary import in_plan_order
from isochron.postprocess.formatting.numbers import MIB
from isochron.postprocess.ingest.inputs import KEYS, POINT, RESULT_KEY
from isochron.postprocess.kit.table import Table, TableContext
from isochron.postprocess.subjects.results.table import make_summary
from isochron.postprocess.subjects.views.request import mib_per_s
from isochron.schemas.engine.contract import HALVED, TOPOLOGIES, TRANSFERS

#: PMB's name of each operation, and how many times the message its bandwidth counts: of an alltoall every process'
#: message to every process, itself included; nothing where PMB prints none.
PMB = {
    "ping-pong": ("PingPong", "1"), "ping-ping": ("PingPing", "1"), "sendrecv": ("Sendrecv", "2"),
    "exchange": ("Exchange", "4"), "alltoall": ("Alltoall", "p²"),
    **{name: (name.capitalize(), "") for name in ("bcast", "allgather", "allgatherv", "reduce", "reduce_scatter",
                                                  "allreduce", "barrier")},
}  # fmt: skip
#: A size moves so many bytes at most, and is repeated so often at most.
MAX_BYTES, MAX_REPETITIONS = 40 * MIB, 1000

PMB_COLUMNS = {
    "benchmark": "PMB's name; `Multi-` where all groups act at the same time",
    **{name: meaning for name, meaning in KEYS.items() if name != "operation"},
    "active": "processes that act; the others of `processes` wait",
    "repetitions": "what PMB would make of them: max(1, min(1000, 40 MiB / bytes))",
    "reps": "runs that were made here, of all launches",
    "time_us": "value of the row in global time; of PingPong half of the round trip",
    "t_min_us": "least mean over the processes",
    "t_max_us": "greatest mean over the processes",
    "t_avg_us": "mean over the processes",
    "mib_per_s": "bandwidth by PMB's formula from `time_us`: MiB/s, 2²⁰ bytes, which PMB calls MB/s",
}


def repetitions(size: int) -> int:
    """PMB's number of repetitions of a message size."""
    return MAX_REPETITIONS if size == 0 else max(1, min(MAX_REPETITIONS, MAX_BYTES // size))


def pmb_bandwidth(counts: pd.Series[str], bytes_: pd.Series[int], active: pd.Series[int], time_us: Any) -> Any:
    """MiB/s of rows by what PMB counts (`PMB`); nothing if that is nothing."""
    times = pd.to_numeric(counts.where(counts != "p²"), errors="coerce").where(counts != "p²", active**2)
    return mib_per_s(times * bytes_, time_us)


def pmb_table(rows: pd.DataFrame, summary: pd.DataFrame, group: int) -> pd.DataFrame:
    """`PMB_COLUMNS` in the summary's order. `group`: processes of a group of messages, 0 as the operation has it.

    `rows`: of each launch RESULT_KEY, reps_made, rank_avg_us, rank_min_us and rank_max_us. `summary`: RESULT_KEY and
    median_us.
    """
    plain = rows["operation"].str.removeprefix("multi-")
    lines = rows[plain.isin(list(PMB))].groupby(RESULT_KEY, sort=False, as_index=False).agg(
        reps=("reps_made", "sum"), t_min_us=("rank_min_us", "median"), t_max_us=("rank_max_us", "median"),
        t_avg_us=("rank_avg_us", "median"),
    )  # fmt: skip
    lines = in_plan_order(lines, summary, RESULT_KEY).merge(summary[[*RESULT_KEY, "median_us"]], on=RESULT_KEY)
    plain = lines["operation"].str.removeprefix("multi-")
    multi = plain != lines["operation"]
    lines = lines.assign(
        benchmark=multi.map({True: "Multi-", False: ""}) + plain.map({name: word for name, (word, _) in PMB.items()}),
        active=active(lines, group),
        repetitions=lines["bytes"].map(repetitions),
        time_us=lines["median_us"],
        mib_per_s=pmb_bandwidth(
            plain.map({name: times for name, (_, times) in PMB.items()}),
            lines["bytes"],
            of_a_group(lines, group),
            lines["median_us"],
        ),
    )
    return lines[list(PMB_COLUMNS)]


def make_pmb(context: TableContext) -> pd.DataFrame:
    """`PMB_COLUMNS`."""
    return pmb_table(context.used, context.get(make_summary), context.inputs.campaign.engine.group_size)


PMB_VIEW = Table(
    name="view-pmb",
    columns=PMB_COLUMNS,
    make=make_pmb,
    holds="the rows of PMB 2.2, by its formulae and in its unit",
    applies=lambda campaign: "pmb" in campaign.analysis.views,
)


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
    messages = {"star": processes - 1, "ring": 2, "chaos": processes - 1}[topology.removeprefix("i")]
    every = {"star": processes - 1, "ring": processes, "chaos": processes * (processes - 1) // 2}
    return messages, every[topology.removeprefix("i")]


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
        table[f"{name}_local"] = table[name] * [local_count for local_count, _ in counted]
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
