# SPDX-License-Identifier: BSD-3-Clause
"""What every single launch says about every row: the dots that the median of a row is the middle of."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.ingest.inputs__inputs import ALLOCATION, KEYS
from isochron.postprocess.kit.table__declaration import SavedFrame, TableContext

LAUNCH_TIME_COLUMNS = {
    **KEYS,
    "block": "number of the block",
    "attempt": "attempt at the block",
    "median_us": "median of the launch",
    "verdict": "verdict of the launch",
}


def make_launch_times(context: TableContext) -> pd.DataFrame:
    """`LAUNCH_TIME_COLUMNS` of each launch that has a time, by block and then as they were measured."""
    timed = context.rows[context.rows["median_us"].notna()]
    return timed.sort_values([*ALLOCATION, "launch_id"], kind="stable")[list(LAUNCH_TIME_COLUMNS)].reset_index(
        drop=True
    )


LAUNCH_TIMES = SavedFrame(name="launch-times", columns=LAUNCH_TIME_COLUMNS, make=make_launch_times)
