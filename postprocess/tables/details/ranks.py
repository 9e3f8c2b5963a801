# SPDX-License-Identifier: BSD-3-Clause
"""`rank-times.csv`: means on single processes beside the global time; `ranks.csv`: where each rank starts and ends."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.reading.inputs import KEYS, ROW
from isochron.postprocess.reading.store import read_table
from isochron.postprocess.tables.declaration import Bench, Table
from isochron.postprocess.tables.details.common import details, ordered
from isochron.postprocess.tables.summary import make_summary
from isochron.postprocess.values.summary import in_plan_order

RANK_TIME_COLUMNS = {
    **KEYS,
    "launches": "launches with a time of the operation",
    "median_us": "value of the row: from the first start to the last end, in global time",
    "avg_us": "mean over the processes that take part of their mean durations, t_avg of IMB: median over launches",
    "min_us": "the least of these means, t_min: median over launches",
    "max_us": "the greatest of these means, t_max: median over launches",
    "avg_part": "`avg_us` / `median_us`",
    "start_skew_us": "median over launches of the median spread of the processes' actual starts",
}
RANK_COLUMNS = {
    **KEYS,
    "rank": "rank in MPI_COMM_WORLD",
    "launches": "launches that recorded it",
    "runs": "runs of all launches that started in time",
    "start_us": "its start after the first start of all ranks: median over the runs",
    "end_us": "its end after the first start of all ranks: median over the runs",
    "local_us": "its own duration: median over the runs",
    "ends_last": "share of the runs in which no other rank ended later",
}


def rank_time_table(rows: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """`RANK_TIME_COLUMNS` in the summary's order.

    `rows`: of each launch ROW, start_skew_us and rank_avg_us, rank_min_us, rank_max_us. `summary`: ROW and median_us.
    """
    table = rows[rows["rank_avg_us"].notna()].groupby(ROW, sort=False, as_index=False)
    found = table.agg(
        launches=("rank_avg_us", "size"),
        avg_us=("rank_avg_us", "median"),
        min_us=("rank_min_us", "median"),
        max_us=("rank_max_us", "median"),
        start_skew_us=("start_skew_us", "median"),
    )
    found = in_plan_order(found, summary, ROW).merge(summary[[*ROW, "median_us"]], on=ROW)
    return found.assign(avg_part=found["avg_us"] / found["median_us"])[list(RANK_TIME_COLUMNS)]


def rank_table(ranks: pd.DataFrame) -> pd.DataFrame:
    """`RANK_COLUMNS`. `ranks`: ROW, launch_id, run, rank, start_us and end_us, of runs that started in time."""
    run = ["launch_id", "operation", "bytes", "run"]
    last = ranks["end_us"] >= ranks.groupby(run)["end_us"].transform("max")
    local = ranks["end_us"] - ranks["start_us"]
    return (
        ranks.assign(local_us=local, last=last)
        .groupby([*ROW, "rank"], sort=False, as_index=False)
        .agg(
            launches=("launch_id", "nunique"),
            runs=("run", "size"),
            start_us=("start_us", "median"),
            end_us=("end_us", "median"),
            local_us=("local_us", "median"),
            ends_last=("last", "mean"),
        )[list(RANK_COLUMNS)]
    )


def make_ranks(bench: Bench) -> pd.DataFrame:
    """`RANK_COLUMNS`, of the runs that started in time."""
    ranks = details(bench, "ranks")
    if not len(ranks):
        return pd.DataFrame(columns=list(RANK_COLUMNS))
    keys = ["launch_id", "operation", "bytes", "run"]
    good = read_table(bench.inputs.layout, "runs")
    good = good.loc[good["valid"] | good["overran"], keys]
    return ordered(rank_table(ranks.merge(good, on=keys)), bench, ROW)


RANK_TIMES = Table(
    name="rank-times",
    columns=RANK_TIME_COLUMNS,
    make=lambda bench: rank_time_table(bench.used, bench.get(make_summary)),
    holds="mean over the processes and its least and greatest, beside the global time",
)
RANKS = Table(
    name="ranks",
    columns=RANK_COLUMNS,
    make=make_ranks,
    holds="where each rank starts and ends",
    applies=lambda campaign: campaign.engine.per_rank,
)
