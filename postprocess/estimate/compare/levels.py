# SPDX-License-Identifier: BSD-3-Clause
"""The level of each case of a stack: the geometric mean of its launches, with an interval."""

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.compare.rows import Rows
from isochron.postprocess.ingest.inputs import POINT
from isochron.stats.shares import mean_interval

LEVEL_COLUMNS = {
    "operation": "operation",
    "bytes": "bytes",
    "processes": "processes",
    "log_us": "mean logarithm of the launches' medians in µs",
    "half": "half the width of its t interval; 0 of a single launch",
}


def levels(rows: Rows, confidence: float) -> pd.DataFrame:
    """`LEVEL_COLUMNS` of all cases with a value."""
    table = []
    for point, group in rows.summary.groupby(POINT, sort=False):
        cases = pd.MultiIndex.from_frame(group[["operation", "bytes"]])
        logs = rows.at(point, cases).logs
        for column, (operation, size) in enumerate(cases):
            known = logs[np.isfinite(logs[:, column]), column]
            if len(known):
                mean, low, high = mean_interval(known, confidence) if len(known) > 1 else (known[0],) * 3
                table.append((operation, size, point[POINT.index("processes")], mean, (high - low) / 2))
    return pd.DataFrame(table, columns=list(LEVEL_COLUMNS))
