# SPDX-License-Identifier: BSD-3-Clause
"""`stragglers.csv`: nodes, and ranks on them, that are late or slow significantly more often than the rest."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.ingest.inputs__inputs import KEYS
from isochron.postprocess.kit.table__declaration import Table, TableContext
from isochron.postprocess.subjects.details.table__common import details

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
    found = table.agg(
        launches=("launch_id", "nunique"),
        rows=("launch_id", "size"),
        batches=("batches", "sum"),
        late_start=("late_start", "sum"),
        overrun=("overrun", "sum"),
        least_p=("least", "min"),
    )
    return found.sort_values(["rows", "late_start"], ascending=False, kind="stable")[list(STRAGGLER_COLUMNS)]


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
