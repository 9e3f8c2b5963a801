# SPDX-License-Identifier: BSD-3-Clause
"""`view-pmb.csv` and `view-msu-….csv`: results in the formulae of PMB and of the MSU tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.models.parameters import fit_line
from isochron.postprocess.estimate.values.launches import active, of_a_group
from isochron.postprocess.estimate.values.summary import in_plan_order
from isochron.postprocess.formatting.numbers import MIB
from isochron.postprocess.ingest.inputs import KEYS, POINT, RESULT_KEY
from isochron.postprocess.kit.table import TableContext
from isochron.postprocess.subjects.results.table import make_summary
from isochron.postprocess.subjects.views.request import mib_per_s, view
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
    "bytes": "message size X as PMB has it: of Reduce_scatter the whole vector, of which each process receives a part",
    "active": "processes that act; the others of `processes` wait",
    "repetitions": "what PMB makes of them: max(1, min(1000, 40 MiB / bytes))",
    "operations": "what a launch made of them here, at most: as many as PMB with `stop: reps`, `max_valid` and "
    "`max_reps` of 1000, and `max_volume: 41943040`",
    "time_us": "value of the row in global time; of PingPong half of the round trip",
    "t_min_us": "least mean over the processes",
    "t_max_us": "greatest mean over the processes",
    "t_avg_us": "mean over the processes, which PMB prints as its time",
    "mib_per_s": "bandwidth by PMB's formula from `t_avg_us`: MiB/s, 2²⁰ bytes, which PMB calls MB/s",
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

    `rows`: of each launch RESULT_KEY, reps_made, operations_per_rep, rank_avg_us, rank_min_us and rank_max_us.
    `summary`: RESULT_KEY and median_us.
    """
    plain = rows["operation"].str.removeprefix("multi-")
    rows = rows.assign(operations=rows["reps_made"] * rows["operations_per_rep"])
    lines = rows[plain.isin(list(PMB))].groupby(RESULT_KEY, sort=False, as_index=False).agg(
        operations=("operations", "max"), t_min_us=("rank_min_us", "median"), t_max_us=("rank_max_us", "median"),
        t_avg_us=("rank_avg_us", "median"),
    )  # fmt: skip
    lines = in_plan_order(lines, summary, RESULT_KEY).merge(summary[[*RESULT_KEY, "median_us"]], on=RESULT_KEY)
    plain = lines["operation"].str.removeprefix("multi-")
    multi = plain != lines["operation"]
    size = lines["bytes"].where(plain != "reduce_scatter", lines["bytes"] * lines["processes"])
    lines = lines.assign(
        benchmark=multi.map({True: "Multi-", False: ""}) + plain.map({name: word for name, (word, _) in PMB.items()}),
        active=active(lines, group),
        bytes=size,
        repetitions=size.map(repetitions),
        time_us=lines["median_us"],
        mib_per_s=pmb_bandwidth(
            plain.map({name: times for name, (_, times) in PMB.items()}),
            size,
            of_a_group(lines, group),
            lines["t_avg_us"],
        ),
    )
    return lines[list(PMB_COLUMNS)]


PMB_VIEW = view(
    "pmb",
    "",
    PMB_COLUMNS,
    lambda context: pmb_table(context.used, context.get(make_summary), context.inputs.campaign.engine.group_size),
    "the rows of PMB 2.2, by its formulae and in its unit",
)


PLACE = {name: KEYS[name] for name in ("stack", *POINT)}
TRANSFER_COLUMNS = {
    **PLACE,
    "transfer": "number of the test, 1 to 5",
    "bytes": "message size L",
    "exchanges": "N: exchanges in a row that a time T is of; 1 where each begins with a synchronisation of its own",
    "latency_us": "T/2N at size 0, the time of a message; T on process 0, mean over launches",
    "mib_per_s": "rate R = 2NL/T, T on process 0, mean over launches; MiB/s, 2²⁰ bytes, which the source calls MB/s",
}
FIT_COLUMNS = {
    **PLACE,
    "transfer": "number of the test, 1 to 5",
    "sizes": "message sizes L that the line is of",
    "latency_us": "s of T(L) = s + L/R, by least relative squares of T/2N",
    "mib_per_s": "R of that line; MiB/s, 2²⁰ bytes, which the source calls MB/s",
    "worst_residual": "largest relative distance of a size from the line",
    "worst_residual_bytes": "that size",
}
#: The source's order of topologies.
ORDER = ("star", "chaos", "ring", "istar", "ichaos", "iring")
TOPOLOGY_COLUMNS = {
    **PLACE,
    "bytes": "message size L",
    **dict.fromkeys(
        ORDER,
        "R_avg = 2L/T of a channel, T on process 0 with the closing barrier, mean over launches; MiB/s, 2²⁰ bytes, "
        "which the source calls MB/s; none at size 0",
    ),
    **{f"{name}_total": "R_total = 2L·N/T of all N channels, MiB/s" for name in ORDER},
    **{f"{name}_latency_us": "T/2 at size 0, the latency with the closing barrier" for name in ORDER},
}


LOCAL_COLUMNS = {
    **PLACE,
    "bytes": "message size L",
    "process": "process: its rank in the measured communicator",
    **dict.fromkeys(ORDER, "R_local = 2L·N/T of its N channels; MiB/s, 2²⁰ bytes, which the source calls MB/s"),
}
#: The source's list of basic operations in its order, as it is printed: our operation → text.
BASIC_TEXTS = {
    "basic-timer": "timer, DT",
    "basic-barrier": "barrier, DB",
    "basic-allreduce-1": "allreduce of 1 integer",
    "basic-allreduce-10": "allreduce of 10 integers",
    "basic-reduce-1": "reduce of 1 integer",
    "basic-reduce-10": "reduce of 10 integers",
    "basic-bcast-1": "bcast of 1 integer",
    "basic-gather-1": "gather of 1 integer",
    "basic-isend-10": "nonblocking send of 10 integers and wait",
    "basic-iprobe": "iprobe",
    "basic-send-10": "blocking send of 10 integers",
    "basic-sendrecv-1": "sendrecv of 1 integer",
    "basic-send-recv-1": "send, then recv of 1 integer",
    "basic-persistent-5": "5 persistent sends, started together and waited for",
    "basic-isend-5": "5 nonblocking sends, waited for",
    "basic-signal": "signal: 0 bytes there and back",
}
COST_LIST_COLUMNS = {
    **PLACE,
    "item": "number in the source's list",
    "text": "what it is",
    "cost_us": "its cost: the time less DT and DB, all means on process 0; mean over launches",
}


def channels(topology: str, processes: int) -> list[int]:
    """Channels of each process of a star (0 with each other), ring (each with the next) or chaos (each with each)."""
    of_process = {
        "star": [processes - 1] + [1] * (processes - 1),
        "ring": [2] * processes,
        "chaos": [processes - 1] * processes,
    }
    return of_process[topology.removeprefix("i")]


def on_process_0(rows: pd.DataFrame, operations: Iterable[str]) -> pd.DataFrame:
    """RESULT_KEY, `exchanges` and `half_us` of these operations: half of T/N on process 0, the mean over launches.

    With R = 2NL/T it is L/R, the time of L bytes one way. `rows`: of each launch RESULT_KEY, operations_per_rep and
    rank_zero_us, of HALVED operations the half already.
    """
    rows = rows[rows["operation"].isin(list(operations)) & rows["rank_zero_us"].notna()]
    half = rows["rank_zero_us"].where(rows["operation"].isin(list(HALVED)), rows["rank_zero_us"] / 2)
    lines = rows.assign(half_us=half).groupby(RESULT_KEY, sort=False, as_index=False)
    return lines.agg(exchanges=("operations_per_rep", "max"), half_us=("half_us", "mean"))


def transfer_table(rows: pd.DataFrame) -> pd.DataFrame:
    """`TRANSFER_COLUMNS`. `rows`: as in `on_process_0`."""
    lines = on_process_0(rows, TRANSFERS)
    lines = lines.assign(
        transfer=lines["operation"].str.removeprefix("transfer-").astype(int),
        latency_us=lines["half_us"].where(lines["bytes"] == 0),
        mib_per_s=mib_per_s(lines["bytes"], lines["half_us"]).where(lines["bytes"] > 0),
    )
    return lines[list(TRANSFER_COLUMNS)].sort_values([*PLACE, "transfer", "bytes"], kind="stable")


def fit_table(rows: pd.DataFrame) -> pd.DataFrame:
    """`FIT_COLUMNS`: a line for each transfer with two sizes and more. `rows`: as in `on_process_0`."""
    lines = on_process_0(rows, TRANSFERS)
    table: list[dict[str, Any]] = []
    for values, sizes in lines.groupby([*PLACE, "operation"], sort=False):
        line = fit_line(sizes["bytes"].to_numpy(dtype=float), sizes["half_us"].to_numpy(dtype=float))
        if line is not None:
            *place, operation = values
            table.append(
                {
                    **dict(zip(PLACE, place, strict=True)),
                    "transfer": int(str(operation).removeprefix("transfer-")),
                    "sizes": len(sizes),
                    "latency_us": line.alpha,
                    "mib_per_s": 1 / (MIB * line.beta) * 1e6,
                    "worst_residual": line.worst,
                    "worst_residual_bytes": line.worst_bytes,
                }
            )
    return pd.DataFrame(table, columns=list(FIT_COLUMNS)).sort_values([*PLACE, "transfer"], kind="stable")


def _side_by_side(lines: pd.DataFrame, values: str, keys: list[str]) -> pd.DataFrame:
    """These values with the topologies as columns, by `keys`. `lines`: `keys`, operation and the values."""
    table: pd.DataFrame = lines.pivot(index=keys, columns="operation", values=values)
    return table.reindex(columns=list(ORDER)).rename_axis(columns=None)


def topology_table(rows: pd.DataFrame, group: int) -> pd.DataFrame:
    """`TOPOLOGY_COLUMNS`. `rows`: as in `on_process_0`; `group`: processes of a group, 0: all."""
    lines = on_process_0(rows, TOPOLOGIES)
    lines = lines.assign(
        rate=mib_per_s(lines["bytes"], lines["half_us"]).where(lines["bytes"] > 0),
        latency=lines["half_us"].where(lines["bytes"] == 0),
    )
    keys = [*PLACE, "bytes"]
    table = _side_by_side(lines, "rate", keys).reset_index()
    latency = _side_by_side(lines, "latency", keys).reset_index()
    for name in ORDER:
        ends = [sum(channels(name, group or int(processes))) for processes in table["processes"]]
        table[f"{name}_total"] = table[name] * ends / 2
        table[f"{name}_latency_us"] = latency[name]
    return table[list(TOPOLOGY_COLUMNS)]


def local_table(topologies: pd.DataFrame, group: int) -> pd.DataFrame:
    """`LOCAL_COLUMNS`: the processes that have channels, at sizes above 0.

    `topologies`: `TOPOLOGY_COLUMNS`; `group`: as above.
    """
    lines = []
    for row in topologies[topologies["bytes"] > 0].to_dict("records"):
        size = group or row["processes"]
        busy = row["processes"] // size * size
        rates = {name: [row[name] * count for count in channels(name, size)] * (busy // size) for name in ORDER}
        keys = {name: row[name] for name in (*PLACE, "bytes")}
        lines.append(pd.DataFrame({**keys, "process": range(busy), **rates}))
    return pd.concat(lines, ignore_index=True) if lines else pd.DataFrame(columns=list(LOCAL_COLUMNS))


def cost_list(costs: pd.DataFrame) -> pd.DataFrame:
    """`COST_LIST_COLUMNS`. `costs`: of each launch RESULT_KEY and cost_us, nothing but of basic operations."""
    lines = costs[costs["cost_us"].notna()].groupby(RESULT_KEY, sort=False, as_index=False)
    means = lines.agg(cost_us=("cost_us", "mean"))
    items = {name: number for number, name in enumerate(BASIC_TEXTS, start=1)}
    table = means.assign(item=means["operation"].map(items), text=means["operation"].map(BASIC_TEXTS))
    return table.sort_values([*PLACE, "item"], kind="stable")[list(COST_LIST_COLUMNS)]


def make_topologies(context: TableContext) -> pd.DataFrame:
    """`TOPOLOGY_COLUMNS`."""
    return topology_table(context.used, context.inputs.campaign.engine.group_size)


MSU_TRANSFERS = view(
    "msu",
    "transfers",
    TRANSFER_COLUMNS,
    lambda context: transfer_table(context.used),
    "transfers 1 to 5 of the MSU tests: latency, and rate in their unit",
)
MSU_FIT = view(
    "msu",
    "fit",
    FIT_COLUMNS,
    lambda context: fit_table(context.used),
    "transfers 1 to 5 of the MSU tests: s and R of T(L) = s + L/R",
)
MSU_TOPOLOGIES = view(
    "msu",
    "topologies",
    TOPOLOGY_COLUMNS,
    make_topologies,
    "star, chaos and ring of the MSU tests: rates of a channel and of all, in their unit",
)
MSU_LOCAL = view(
    "msu",
    "local",
    LOCAL_COLUMNS,
    lambda context: local_table(context.get(make_topologies), context.inputs.campaign.engine.group_size),
    "star, chaos and ring of the MSU tests: the rate of each process",
)
MSU_COSTS = view(
    "msu",
    "costs",
    COST_LIST_COLUMNS,
    lambda context: cost_list(context.used),
    "the list of basic operations of the MSU tests, in their order",
)
