# SPDX-License-Identifier: BSD-3-Clause
"""`starts.csv`: how far the starts of the processes were really apart, and what was discarded because of that."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.estimate.values.summary import in_plan_order
from isochron.postprocess.ingest.inputs__inputs import KEYS, RESULT_KEY
from isochron.postprocess.kit.table__declaration import Table, TableContext
from isochron.postprocess.subjects.results.table import make_summary

START_COLUMNS = {
    **KEYS,
    "launches": "launches measured",
    "reps_made": "runs of all launches",
    "discarded": "share of these runs that is not valid: late or disturbed, which are in no result, and overruns",
    "late_start": "share of the runs that some process started late",
    "overrun": "share of the runs that some process ended after the slot",
    "slot_us": "length of the last slot: median over launches",
    "start_skew_us": "median over launches of the median spread of the processes' actual starts",
    "skew_share": "`start_skew_us` / the row's value",
}


def start_table(rows: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """`START_COLUMNS` of every row that was measured, in the summary's order.

    `rows`: the launches' rows, with RESULT_KEY, reps_made, reps_valid, invalid_late_start, invalid_overrun, slot_us and
    start_skew_us. `summary`: RESULT_KEY and median_us.
    """
    table = rows.groupby(RESULT_KEY, sort=False, as_index=False).agg(
        launches=("reps_made", "size"),
        reps_made=("reps_made", "sum"),
        reps_valid=("reps_valid", "sum"),
        late_start=("invalid_late_start", "sum"),
        overrun=("invalid_overrun", "sum"),
        slot_us=("slot_us", "median"),
        start_skew_us=("start_skew_us", "median"),
    )
    made = table["reps_made"].where(table["reps_made"] > 0)
    table = table.assign(
        discarded=1 - table["reps_valid"] / made, late_start=table["late_start"] / made, overrun=table["overrun"] / made
    )
    table = in_plan_order(table, summary, RESULT_KEY).merge(summary[[*RESULT_KEY, "median_us"]], on=RESULT_KEY)
    value = table["median_us"].where(table["median_us"] > 0)
    return table.assign(skew_share=table["start_skew_us"] / value)[list(START_COLUMNS)]


def make_starts(context: TableContext) -> pd.DataFrame:
    """`START_COLUMNS`."""
    return start_table(context.rows, context.get(make_summary))


STARTS = Table(
    name="starts",
    columns=START_COLUMNS,
    make=make_starts,
    holds="how far apart starts were, slots, and the share of runs that was not valid, for every row",
)
