# SPDX-License-Identifier: BSD-3-Clause
"""By how much two stacks differ in many cases that few blocks measured in turns: what may be worth following."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.compare.pairs import differences_in_turns
from isochron.postprocess.estimate.compare.rows import Rows
from isochron.postprocess.ingest.inputs import POINT
from isochron.stats.moderated import moderated_means

SCREENED_COLUMNS = {
    "operation": "operation",
    "bytes": "bytes",
    "ratio": "time of the candidate over that of the baseline, the geometric mean of the blocks",
    "low": "lower end of its interval, with a moderated variance (Smyth 2004)",
    "high": "upper end",
    "p_value": "of a ratio of 1, for this case alone",
}


def screened(rows: Mapping[str, Rows], baseline: str, candidate: str, confidence: float) -> pd.DataFrame:
    """`SCREENED_COLUMNS` of all cases that both stacks have a value of. Empty if they measured in no turns."""
    tables = [pd.DataFrame(columns=list(SCREENED_COLUMNS))]
    for point, group in rows[candidate].summary.groupby(POINT, sort=False):
        cases = pd.MultiIndex.from_frame(group[["operation", "bytes"]])
        turns = differences_in_turns(rows[baseline].at(point, cases), rows[candidate].at(point, cases))
        if turns is None:
            continue
        means = moderated_means(turns.values, confidence)
        columns = (*zip(*cases, strict=True), *np.exp((means.mean, means.low, means.high)), means.p_value)
        table = pd.DataFrame(dict(zip(SCREENED_COLUMNS, columns, strict=True)))
        tables.append(table[table["ratio"].notna()])
    return pd.concat(tables, ignore_index=True) if len(tables) > 1 else tables[0]
