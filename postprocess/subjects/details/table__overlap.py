# SPDX-License-Identifier: BSD-3-Clause
"""`overlap.csv`: how much of a nonblocking operation a computation hides."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.ingest.inputs__inputs import KEYS, RESULT_KEY
from isochron.postprocess.kit.table__declaration import Table, TableContext
from isochron.postprocess.subjects.details.table__common import details, ordered

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


def make_overlap(context: TableContext) -> pd.DataFrame:
    """`OVERLAP_COLUMNS`."""
    return ordered(overlap_table(details(context, "overlap")), context, RESULT_KEY)


OVERLAP = Table(
    name="overlap",
    columns=OVERLAP_COLUMNS,
    make=make_overlap,
    holds="how much of a nonblocking operation a computation hides, by the length of the computation",
    applies=lambda campaign: campaign.engine.overlap,
)
