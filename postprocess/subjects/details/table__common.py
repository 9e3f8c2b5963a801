# SPDX-License-Identifier: BSD-3-Clause
"""What the tables of details share: the store's details with what their launch says."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.estimate.values.summary import in_plan_order
from isochron.postprocess.ingest.inputs__inputs import POINT, results_of
from isochron.postprocess.ingest.store__store import read_table
from isochron.postprocess.kit.table__declaration import TableContext
from isochron.postprocess.subjects.results.table import make_summary


def details(context: TableContext, name: str) -> pd.DataFrame:
    """A table of the store, of the launches that results rest on, with stack and POINT of each."""
    table = read_table(context.inputs.layout, name).rename(columns={"processes": "processes_there"})
    return results_of(
        table.merge(context.launches[["launch_id", "stack", *POINT, "file"]], on="launch_id"), context.inputs
    )


def ordered(table: pd.DataFrame, context: TableContext, keys: list[str]) -> pd.DataFrame:
    """`table` in the plan's order of its rows; `keys`: those of RESULT_KEY that it has."""
    return in_plan_order(table, context.get(make_summary), keys)
