# SPDX-License-Identifier: BSD-3-Clause
"""Details of single ranks and nodes: arrival, times of each rank, stragglers."""

import pandas as pd

from isochron.postprocess.estimate.values.summary import in_plan_order
from isochron.postprocess.ingest.inputs import KEYS, RESULT_KEY
from isochron.postprocess.ingest.store import read_table
from isochron.postprocess.kit.table import Table, TableContext
from isochron.postprocess.subjects.details.table import details, ordered
from isochron.postprocess.subjects.results.table import make_summary

ARRIVAL_COLUMNS = {
    **KEYS,
    "arrival": "when each rank comes to a run, as in the campaign",
    "spread_us": "from the first arrival to the last",
    "launches": "launches with a time of the operation",
    "median_us": "value of the row, from the first start on",
    "from_last_us": "time from the last start on: median over launches of the launch medians",
    "from_last_min_us": "the least of these over launches",
    "from_last_max_us": "the greatest of these over launches",
    "left_share": "`from_last_us` / `median_us`: how much of the time is left to do when the last process comes",
}


def arrival_table(rows: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """`ARRIVAL_COLUMNS` in the summary's order.

    `rows`: of each launch RESULT_KEY, arrival, arrival_spread_us and from_last_median_us. `summary`: RESULT_KEY and
    median_us.
    """
    table = rows[rows["from_last_median_us"].notna()].groupby(RESULT_KEY, sort=False, as_index=False)
    arrival = table.agg(
        arrival=("arrival", "first"),
        spread_us=("arrival_spread_us", "median"),
        launches=("from_last_median_us", "size"),
        from_last_us=("from_last_median_us", "median"),
        from_last_min_us=("from_last_median_us", "min"),
        from_last_max_us=("from_last_median_us", "max"),
    )
    arrival = in_plan_order(arrival, summary, RESULT_KEY).merge(summary[[*RESULT_KEY, "median_us"]], on=RESULT_KEY)
    return arrival.assign(left_share=arrival["from_last_us"] / arrival["median_us"])[list(ARRIVAL_COLUMNS)]


def make_arrival(context: TableContext) -> pd.DataFrame:
    """`ARRIVAL_COLUMNS`."""
    arrivals = context.launches[["launch_id", "arrival", "arrival_spread_us"]]
    return arrival_table(context.used.merge(arrivals, on="launch_id"), context.get(make_summary))


ARRIVAL = Table(
    name="arrival",
    columns=ARRIVAL_COLUMNS,
    make=make_arrival,
    holds="what remains of each operation once the last process has come",
    applies=lambda campaign: campaign.engine.arrival != "none",
)


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
    times = table.agg(
        launches=("rank_avg_us", "size"),
        avg_us=("rank_avg_us", "median"),
        min_us=("rank_min_us", "median"),
        max_us=("rank_max_us", "median"),
        start_skew_us=("start_skew_us", "median"),
    )
    times = in_plan_order(times, summary, RESULT_KEY).merge(summary[[*RESULT_KEY, "median_us"]], on=RESULT_KEY)
    return times.assign(avg_share=times["avg_us"] / times["median_us"])[list(RANK_TIME_COLUMNS)]


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


STRAGGLER_COLUMNS = {
    "host": "node",
    "rank": "rank on it; empty: the node as a whole",
    "stack": KEYS["stack"],
    "launches": "launches in which it was named",
    "rows": "rows of these launches in which it was named",
    "batches": "batches of these rows",
    "late_start": "of these batches those in which it was late",
    "overrun": "of these batches those in which it ended after its slot",
    "least_p": "the least p value, corrected within its row, that so many are chance",
}


def straggler_table(named: pd.DataFrame) -> pd.DataFrame:
    """`STRAGGLER_COLUMNS`, who was named in most rows first.

    `named`: host, rank, stack, launch_id, batches (of the row), late_start, overrun, late_start_p and overrun_p.
    """
    least = named[["late_start_p", "overrun_p"]].min(axis=1)
    table = named.assign(least=least).groupby(["host", "rank", "stack"], sort=False, as_index=False, dropna=False)
    counts = table.agg(
        launches=("launch_id", "nunique"),
        rows=("launch_id", "size"),
        batches=("batches", "sum"),
        late_start=("late_start", "sum"),
        overrun=("overrun", "sum"),
        least_p=("least", "min"),
    )
    return counts.sort_values(["rows", "late_start"], ascending=False, kind="stable")[list(STRAGGLER_COLUMNS)]


def make_stragglers(context: TableContext) -> pd.DataFrame:
    """`STRAGGLER_COLUMNS`."""
    named = details(context, "stragglers")
    keys = ["launch_id", "operation", "bytes"]
    of_rows = context.rows.drop_duplicates(keys)[[*keys, "batches"]]
    return straggler_table(named[named["counted"] == "batches"].merge(of_rows, on=keys))


STRAGGLERS = Table(
    name="stragglers",
    columns=STRAGGLER_COLUMNS,
    make=make_stragglers,
    holds="nodes and ranks that are late or slow significantly more often than the rest",
)
