# SPDX-License-Identifier: BSD-3-Clause
"""`arrival.csv`: what remains of an operation once the last process has come."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.estimate.values.summary import in_plan_order
from isochron.postprocess.ingest.inputs__inputs import KEYS, RESULT_KEY
from isochron.postprocess.kit.table__declaration import Table, TableContext
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
    found = table.agg(
        arrival=("arrival", "first"),
        spread_us=("arrival_spread_us", "median"),
        launches=("from_last_median_us", "size"),
        from_last_us=("from_last_median_us", "median"),
        from_last_min_us=("from_last_median_us", "min"),
        from_last_max_us=("from_last_median_us", "max"),
    )
    found = in_plan_order(found, summary, RESULT_KEY).merge(summary[[*RESULT_KEY, "median_us"]], on=RESULT_KEY)
    return found.assign(left_share=found["from_last_us"] / found["median_us"])[list(ARRIVAL_COLUMNS)]


def make_arrival(context: TableContext) -> pd.DataFrame:
    """`ARRIVAL_COLUMNS`."""
    own = context.launches[["launch_id", "arrival", "arrival_spread_us"]]
    return arrival_table(context.used.merge(own, on="launch_id"), context.get(make_summary))


ARRIVAL = Table(
    name="arrival",
    columns=ARRIVAL_COLUMNS,
    make=make_arrival,
    holds="what remains of each operation once the last process has come",
    applies=lambda campaign: campaign.engine.arrival != "none",
)
