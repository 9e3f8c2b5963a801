# SPDX-License-Identifier: BSD-3-Clause
"""What the tables of details share: the store's details with what their launch says."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.reading.inputs import POINT, results_of
from isochron.postprocess.reading.store import read_table
from isochron.postprocess.tables.declaration import Bench
from isochron.postprocess.tables.summary import make_summary
from isochron.postprocess.values.summary import in_plan_order


def details(bench: Bench, name: str) -> pd.DataFrame:
    """A table of the store, of the launches that results rest on, with stack and POINT of each."""
    table = read_table(bench.inputs.layout, name).rename(columns={"processes": "processes_there"})
    return results_of(table.merge(bench.launches[["launch_id", "stack", *POINT, "file"]], on="launch_id"), bench.inputs)


def ordered(table: pd.DataFrame, bench: Bench, keys: list[str]) -> pd.DataFrame:
    """`table` in the plan's order of its rows; `keys`: those of ROW that it has."""
    return in_plan_order(table, bench.get(make_summary), keys)
