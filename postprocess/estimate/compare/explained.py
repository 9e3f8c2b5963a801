# SPDX-License-Identifier: BSD-3-Clause
"""What variants of a stack give back of its difference from another one, case by case, measured in turns."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.compare.pairs import differences_in_turns
from isochron.postprocess.estimate.compare.rows import Rows, Side
from isochron.postprocess.ingest.inputs import POINT
from isochron.stats.launches import Values
from isochron.stats.shares import mean_interval, share_of

EXPLAINED_COLUMNS = {
    "operation": "operation",
    "bytes": "bytes",
    "variant": "the variant, or the baseline itself, whose share is 1",
    "ratio": "time of the candidate over that of the variant",
    "ratio_low": "lower end of its interval",
    "ratio_high": "upper end",
    "share": "logarithm of this ratio over that of the candidate's over the baseline's",
    "low": "lower end of its interval; NaN if the two stacks are not shown to differ",
    "high": "upper end",
    "blocks": "blocks that have all three",
}


def explained(rows: Mapping[str, Rows], baseline: str, candidate: str, confidence: float) -> pd.DataFrame:
    """`EXPLAINED_COLUMNS` of all other stacks in all cases of the candidate. Empty if they measured in no turns."""
    table = []
    for point, group in rows[candidate].summary.groupby(POINT, sort=False):
        cases = pd.MultiIndex.from_frame(group[["operation", "bytes"]])
        sides = {stack: each.at(point, cases) for stack, each in rows.items()}
        whole = _by_block(sides[candidate], sides[baseline])
        for stack in rows:
            if stack == candidate:
                continue
            part = _by_block(sides[candidate], sides[stack])
            for column, (operation, size) in enumerate(cases):
                values = [each.get(column, {}) for each in (part, whole)]
                blocks = sorted(set(values[0]) & set(values[1]))
                of_part, of_whole = (np.array([each[block] for block in blocks]) for each in values)
                found = share_of(of_part, of_whole, confidence)
                ratios = np.exp(mean_interval(of_part, confidence))
                table.append((operation, size, stack, *ratios, found.share, found.low, found.high, found.blocks))
    return pd.DataFrame(table, columns=list(EXPLAINED_COLUMNS))


def _by_block(candidate: Side, other: Side) -> dict[int, dict[int, float]]:
    """Return by the number of a case and a block how much longer the candidate takes, as a logarithm."""
    turns = differences_in_turns(other, candidate)
    if turns is None:
        return {}
    values: Values = turns.values
    return {
        case: {int(block): float(value) for block, value in zip(turns.blocks, values[:, case], strict=True)}
        for case in range(values.shape[1])
    }
