# SPDX-License-Identifier: BSD-3-Clause
"""`rank-times.csv`: means on single processes beside the global time; `ranks.csv`: where each rank starts and ends."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.estimate.values.summary import in_plan_order
from isochron.postprocess.ingest.inputs__inputs import KEYS, RESULT_KEY
from isochron.postprocess.ingest.store__store import read_table
from isochron.postprocess.kit.table__declaration import Table, TableContext
from isochron.postprocess.subjects.details.table__common import details, ordered
from isochron.postprocess.subjects.results.table import make_summary

RANK_TIME_COLUMNS = {
    **KEYS,
    "launches": "launches with a time of the operation",
    "median_us": "value of the row: from the first start to the last end, in global time",
    "avg_us": "mean over the processes that take part of their mean durations, t_avg of IMB: median over launches",
    "min_us": "the least of these means, t_min: median over launches",
    "max_us": "the greatest of these means, t_max: median over launches",
    "avg_share": "`avg_us` / `median_us`",
    "start_skew_us": "median over launches of the median spread of the processes' actual starts",
}
RANK_COLUMNS = {
    **KEYS,
    "rank": "rank in MPI_COMM_WORLD",
    "launches": "launches that recorded it",
    "reps": "runs of all launches that started in time",
    "start_us": "its start after the first start of all ranks: median over the runs",
    "end_us": "its end after the first start of all ranks: median over the runs",
    "local_us": "its own duration: median over the runs",
    "ends_last": "share of the runs in which no other rank ended later",
}


def rank_time_table(rows: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """`RANK_TIME_COLUMNS` in the summary's order.

    `rows`: of each launch RESULT_KEY, start_skew_us and rank_avg_us, rank_min_us, rank_max_us. `summary`: RESULT_KEY
    and median_us.
    """
    table = rows[rows["rank_avg_us"].notna()].groupby(RESULT_KEY, sort=False, as_index=False)
    found = table.agg(
        launches=("rank_avg_us", "size"),
        avg_us=("rank_avg_us", "median"),
        min_us=("rank_min_us", "median"),
        max_us=("rank_max_us", "median"),
        start_skew_us=("start_skew_us", "median"),
    )
    found = in_plan_order(found, summary, RESULT_KEY).merge(summary[[*RESULT_KEY, "median_us"]], on=RESULT_KEY)
    return found.assign(avg_share=found["avg_us"] / found["median_us"])[list(RANK_TIME_COLUMNS)]


def rank_table(ranks: pd.DataFrame) -> pd.DataFrame:
    """`RANK_COLUMNS`. `ranks`: RESULT_KEY, launch_id, run, rank, start_us and end_us, of runs that started in time."""
    run = ["launch_id", "operation", "bytes", "rep"]
    last = ranks["end_us"] >= ranks.groupby(run)["end_us"].transform("max")
    local = ranks["end_us"] - ranks["start_us"]
    return (
        ranks.assign(local_us=local, last=last)
        .groupby([*RESULT_KEY, "rank"], sort=False, as_index=False)
        .agg(
            launches=("launch_id", "nunique"),
            reps=("rep", "size"),
            start_us=("start_us", "median"),
            end_us=("end_us", "median"),
            local_us=("local_us", "median"),
            ends_last=("last", "mean"),
        )[list(RANK_COLUMNS)]
    )


def make_ranks(context: TableContext) -> pd.DataFrame:
    """`RANK_COLUMNS`, of the runs that started in time."""
    ranks = details(context, "ranks")
    if not len(ranks):
        return pd.DataFrame(columns=list(RANK_COLUMNS))
    keys = ["launch_id", "operation", "bytes", "rep"]
    good = read_table(context.inputs.layout, "repetitions")
    good = good.loc[good["valid"] | good["overran"], keys]
    return ordered(rank_table(ranks.merge(good, on=keys)), context, RESULT_KEY)


RANK_TIMES = Table(
    name="rank-times",
    columns=RANK_TIME_COLUMNS,
    make=lambda context: rank_time_table(context.used, context.get(make_summary)),
    holds="mean over the processes and its least and greatest, beside the global time",
)
RANKS = Table(
    name="ranks",
    columns=RANK_COLUMNS,
    make=make_ranks,
    holds="where each rank starts and ends",
    applies=lambda campaign: campaign.engine.per_rank,
)
