# SPDX-License-Identifier: BSD-3-Clause
"""`bandwidth.csv`: the bytes that a run moves, over its time."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.reading.inputs import KEYS, RESULT_KEY
from isochron.postprocess.tables.declaration import Table, TableContext
from isochron.postprocess.tables.summary import make_summary
from isochron.postprocess.values.summary import in_plan_order
from isochron.schemas.engine.contract import HALVED, MOVED

BANDWIDTH_COLUMNS = {
    **KEYS,
    "time_us": "value of the row, as in the summary; at 0 bytes the latency",
    "bytes_moved": "bytes that are moved in that time, as the bandwidth of the operation is defined",
    "mb_per_s": "`bytes_moved` / `time_us`; 1 MB is 10⁶ bytes",
    "mb_per_s_low": "the same of the upper end of the time's interval",
    "mb_per_s_high": "the same of the lower end of it",
}


def bandwidth_table(rows: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """`BANDWIDTH_COLUMNS`, in the summary's order.

    `rows`: of each launch RESULT_KEY and bytes_moved, those of a whole run. `summary`: `SUMMARY_COLUMNS`.
    """
    moved = rows[rows["bytes_moved"].notna()].drop_duplicates(RESULT_KEY)[[*RESULT_KEY, "bytes_moved"]]
    table = in_plan_order(moved, summary, RESULT_KEY).merge(
        summary[[*RESULT_KEY, "median_us", "median_low_us", "median_high_us"]]
    )
    half = table["operation"].isin(list(HALVED))
    own = table["bytes_moved"].where(~half, table["bytes_moved"] / 2)
    table = table.assign(
        time_us=table["median_us"],
        bytes_moved=own,
        mb_per_s=own / table["median_us"],
        mb_per_s_low=own / table["median_high_us"],
        mb_per_s_high=own / table["median_low_us"],
    )
    return table[list(BANDWIDTH_COLUMNS)]


def make_bandwidth(context: TableContext) -> pd.DataFrame:
    """`BANDWIDTH_COLUMNS`."""
    return bandwidth_table(context.used, context.get(make_summary))


BANDWIDTH = Table(
    name="bandwidth",
    columns=BANDWIDTH_COLUMNS,
    make=make_bandwidth,
    holds="latency and bandwidth of messages, transfers and topologies",
    applies=lambda campaign: bool(MOVED & set(campaign.operations)),
)
