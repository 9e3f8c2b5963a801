# SPDX-License-Identifier: BSD-3-Clause
"""By how much all other stacks of a run differ from one of them in each block, measured in turns."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.compare.pairs import differences_in_turns
from isochron.postprocess.estimate.compare.rows import Rows
from isochron.postprocess.ingest.inputs import POINT

BLOCK_COLUMNS = {
    "variant": "the other stack",
    "operation": "operation",
    "bytes": "bytes",
    "processes": "processes",
    "logs": "of each block the logarithm of its time over that of the baseline; blocks without both are left out",
}


def block_ratios(rows: Mapping[str, Rows], baseline: str) -> pd.DataFrame:
    """`BLOCK_COLUMNS` of all cases in which another stack has a value beside the baseline's."""
    table = []
    for variant, each in rows.items():
        if variant == baseline:
            continue
        for point, group in each.summary.groupby(POINT, sort=False):
            cases = pd.MultiIndex.from_frame(group[["operation", "bytes"]])
            turns = differences_in_turns(rows[baseline].at(point, cases), each.at(point, cases))
            for column, (operation, size) in enumerate(cases):
                values = np.empty(0) if turns is None else turns.values[:, column]
                known = values[np.isfinite(values)].tolist()
                if known:
                    table.append((variant, operation, size, point[POINT.index("processes")], known))
    return pd.DataFrame(table, columns=list(BLOCK_COLUMNS))
