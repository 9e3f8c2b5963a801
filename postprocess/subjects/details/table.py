# SPDX-License-Identifier: BSD-3-Clause
"""What is measured beside the time: bandwidth, basic costs, overlap, memory."""

from math import nan
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.values.summary import in_plan_order
from isochron.postprocess.ingest.inputs import KEYS, POINT, RESULT_KEY, results_of
from isochron.postprocess.ingest.store import read_table
from isochron.postprocess.kit.table import Table, TableContext
from isochron.postprocess.subjects.results.table import make_summary
from isochron.schemas.engine.contract import BASIC, HALVED, MOVED


def details(context: TableContext, name: str) -> pd.DataFrame:
    """A table of the store, of the launches that results rest on, with stack and POINT of each."""
    table = read_table(context.inputs.layout, name).rename(columns={"processes": "processes_there"})
    return results_of(
        table.merge(context.launches[["launch_id", "stack", *POINT, "file"]], on="launch_id"), context.inputs
    )


def ordered(table: pd.DataFrame, context: TableContext, keys: list[str]) -> pd.DataFrame:
    """`table` in the plan's order of its rows; `keys`: those of RESULT_KEY that it has."""
    return in_plan_order(table, context.get(make_summary), keys)


BANDWIDTH_COLUMNS = {
    **KEYS,
    "time_us": "value of the row, as in the summary; at 0 bytes the latency",
    "bytes_moved": "bytes that are moved in that time, as the bandwidth of the operation is defined",
    "mb_per_s": "`bytes_moved` / `time_us`; 1 MB is 10⁶ bytes",
    "mb_per_s_low": "the same of the upper end of the time's interval",
    "mb_per_s_high": "the same of the lower end of it",
    "messages": "messages that are sent in that time, where they are bursts; empty: others",
    "messages_per_s": "`messages` / `time_us`, the message rate in a second",
    "messages_per_s_low": "the same of the upper end of the time's interval",
    "messages_per_s_high": "the same of the lower end of it",
}


def bandwidth_table(rows: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """`BANDWIDTH_COLUMNS`, in the summary's order.

    `rows`: of each launch RESULT_KEY, bytes_moved and messages, those of a whole run. `summary`: `SUMMARY_COLUMNS`.
    """
    moved = rows[rows["bytes_moved"].notna()].drop_duplicates(RESULT_KEY)[[*RESULT_KEY, "bytes_moved", "messages"]]
    table = in_plan_order(moved, summary, RESULT_KEY).merge(
        summary[[*RESULT_KEY, "median_us", "median_low_us", "median_high_us"]]
    )
    half = table["operation"].isin(list(HALVED))
    bytes_moved = table["bytes_moved"].where(~half, table["bytes_moved"] / 2)
    table = table.assign(
        time_us=table["median_us"],
        bytes_moved=bytes_moved,
        mb_per_s=bytes_moved / table["median_us"],
        mb_per_s_low=bytes_moved / table["median_high_us"],
        mb_per_s_high=bytes_moved / table["median_low_us"],
        messages_per_s=1e6 * table["messages"] / table["median_us"],
        messages_per_s_low=1e6 * table["messages"] / table["median_high_us"],
        messages_per_s_high=1e6 * table["messages"] / table["median_low_us"],
    )
    return table[list(BANDWIDTH_COLUMNS)]


BANDWIDTH = Table(
    name="bandwidth",
    columns=BANDWIDTH_COLUMNS,
    make=lambda context: bandwidth_table(context.used, context.get(make_summary)),
    holds="latency, bandwidth and message rate of messages, transfers, topologies, bursts, one-sided calls, threads",
    applies=lambda campaign: bool(MOVED & set(campaign.operations)),
)


COST_COLUMNS = {
    **KEYS,
    "launches": "launches that measured the item, the timer and the barrier",
    "median_us": "the item with the barrier before it: median over launches of the launch medians",
    "timer_us": "DT, one reading of the timer, the mean on process 0: median over launches",
    "barrier_us": "DB, a barrier between two readings, less DT, means on process 0: median over launches",
    "cost_us": "the item less DT and DB, means on process 0: median over launches",
    "cost_min_us": "the least of these over launches",
    "cost_max_us": "the greatest of these over launches",
}


def cost_table(rows: pd.DataFrame) -> pd.DataFrame:
    """`COST_COLUMNS`. `rows`: of each launch RESULT_KEY, median_us, cost_us, cost_timer_us and cost_barrier_us."""
    table = rows[rows["cost_us"].notna()].groupby(RESULT_KEY, sort=False, as_index=False)
    return table.agg(
        launches=("cost_us", "size"),
        median_us=("median_us", "median"),
        timer_us=("cost_timer_us", "median"),
        barrier_us=("cost_barrier_us", "median"),
        cost_min_us=("cost_us", "min"),
        cost_max_us=("cost_us", "max"),
        cost_us=("cost_us", "median"),
    )[list(COST_COLUMNS)]


COSTS = Table(
    name="basic-costs",
    columns=COST_COLUMNS,
    make=lambda context: in_plan_order(cost_table(context.used), context.get(make_summary), RESULT_KEY),
    holds="what basic operations cost, the timer and the barrier taken off",
    applies=lambda campaign: bool(set(BASIC) & set(campaign.operations)),
)


OVERLAP_COLUMNS = {
    **KEYS,
    "share": "length of the computation as it was asked for / time of the operation",
    "launches": "launches that measured it",
    "compute_us": "the computation alone: median over launches",
    "total_us": "start of the operation, computation and wait: median over launches",
    "overlap": "1 - (`total_us` - `compute_us`) / time of the operation: median over launches",
    "overlap_min": "the least over launches",
    "overlap_max": "the greatest over launches",
}
#: Points of the sweep to a whole time of the operation (docs/reference/engine.md).
QUARTERS = 4


def overlap_table(points: pd.DataFrame) -> pd.DataFrame:
    """`OVERLAP_COLUMNS`. `points`: of each launch RESULT_KEY, point, compute_us, total_us and overlap."""
    table = points.assign(share=points["point"] / QUARTERS).groupby([*RESULT_KEY, "share"], sort=False, as_index=False)
    return table.agg(
        launches=("overlap", "size"),
        compute_us=("compute_us", "median"),
        total_us=("total_us", "median"),
        overlap_min=("overlap", "min"),
        overlap_max=("overlap", "max"),
        overlap=("overlap", "median"),
    )[list(OVERLAP_COLUMNS)]


OVERLAP = Table(
    name="overlap",
    columns=OVERLAP_COLUMNS,
    make=lambda context: ordered(overlap_table(details(context, "overlap")), context, RESULT_KEY),
    holds="how much of a nonblocking operation a computation hides, by the length of the computation",
    applies=lambda campaign: campaign.engine.overlap,
)


SITUATION = ["stack", *POINT]
MEMORY_COLUMNS = {
    **{name: KEYS[name] for name in SITUATION},
    "step": "after which step of setting the MPI library up",
    "figure": "which memory: `pss`, `private`, `rss`, `shared`, `locked`, `pinned`, `huge`, or `dev_shm` of a node",
    "launches": "launches that recorded it",
    "mean_mib": "of a process, mean over the processes: median over launches; 1 MiB is 2²⁰ bytes",
    "max_mib": "of the process that has most: median over launches",
    "node_mib": "of the node that has most, all its processes together: median over launches",
    "step_mib": "by how much `mean_mib` has grown since the step before; of `dev_shm` `node_mib`",
}
GROWTH_COLUMNS = {
    "stack": KEYS["stack"],
    "placement": KEYS["placement"],
    "step": MEMORY_COLUMNS["step"],
    "figure": MEMORY_COLUMNS["figure"],
    "points": "points that the line goes through",
    "a_mib": "M = a + b·p + c·ppn, of `mean_mib`: what every process takes",
    "b_mib": "for each process of the launch; empty where all points have as many, or too few differ",
    "c_mib": "for each process on the node; empty in the same way",
    "worst_mib": "largest distance of a point from the line",
}
MIB = 2**20


def memory_table(memory: pd.DataFrame) -> pd.DataFrame:
    """`MEMORY_COLUMNS`, steps in their order. `memory`: as in the store, with SITUATION and processes_there."""
    cells = [*SITUATION, "step", "figure"]
    named = memory.assign(figure=memory["figure"].str.removesuffix("_bytes"))
    whole = named["host"] == ""
    process = named[whole].assign(mean=named["sum_bytes"] / named["processes_there"])
    node = named[~whole].groupby([*cells, "launch_id"], sort=False, as_index=False)["sum_bytes"].max()
    order = named[cells].drop_duplicates()
    cells_of_steps = order.merge(
        named.groupby(cells, sort=False, as_index=False).agg(launches=("launch_id", "nunique")), on=cells
    )
    for name, frame, column in (
        ("mean_mib", process, "mean"), ("max_mib", process, "max_bytes"), ("node_mib", node, "sum_bytes"),
    ):  # fmt: skip
        median = frame.groupby(cells, sort=False)[column].median() / MIB
        cells_of_steps = cells_of_steps.merge(median.rename(name).reset_index(), on=cells, how="left")
    of_process = cells_of_steps["mean_mib"].fillna(cells_of_steps["node_mib"])
    step = of_process.groupby([cells_of_steps[name] for name in [*SITUATION, "figure"]], sort=False).diff()
    return cells_of_steps.assign(step_mib=step)[list(MEMORY_COLUMNS)]


def growth_table(table: pd.DataFrame) -> pd.DataFrame:
    """`GROWTH_COLUMNS` by least squares. `table`: `MEMORY_COLUMNS`, of all points."""
    measured = table[table["mean_mib"].notna()]
    keys = ["stack", "placement", "step", "figure"]
    rows = [
        {**dict(zip(keys, key, strict=True)), **_line(situation_rows)}
        for key, situation_rows in measured.groupby(keys, sort=False)
    ]
    return pd.DataFrame(rows, columns=list(GROWTH_COLUMNS))


def _line(rows: pd.DataFrame) -> dict[str, Any]:
    """a, b and c of the terms that the points can tell apart, p before ppn."""
    columns = {"a_mib": np.ones(len(rows))}
    for name, of in (("b_mib", "processes"), ("c_mib", "processes_per_node")):
        wider = np.stack([*columns.values(), rows[of].to_numpy(dtype=float)], axis=1)
        if np.linalg.matrix_rank(wider) > len(columns):
            columns[name] = rows[of].to_numpy(dtype=float)
    design, values = np.stack(list(columns.values()), axis=1), rows["mean_mib"].to_numpy(dtype=float)
    solution, *_ = np.linalg.lstsq(design, values, rcond=None)
    line = dict.fromkeys(("a_mib", "b_mib", "c_mib"), nan) | dict(zip(columns, solution.tolist(), strict=True))
    return {**line, "points": len(rows), "worst_mib": float(np.abs(design @ solution - values).max())}


def make_memory(context: TableContext) -> pd.DataFrame:
    """`MEMORY_COLUMNS`."""
    return memory_table(details(context, "memory"))


MEMORY = Table(
    name="memory",
    columns=MEMORY_COLUMNS,
    make=make_memory,
    holds="memory of the MPI library, step by step",
    applies=lambda campaign: campaign.engine.memory,
)
GROWTH = Table(
    name="memory-growth",
    columns=GROWTH_COLUMNS,
    make=lambda context: growth_table(context.get(make_memory)),
    holds="how memory grows with the number of processes, and of those on a node",
    applies=lambda campaign: campaign.engine.memory,
)
