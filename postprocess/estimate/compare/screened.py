# SPDX-License-Identifier: BSD-3-Clause
"""By how much two stacks differ in many cases that few blocks measured in turns: what may be worth following."""

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
    "seconds": "that the turns of both stacks took in a block",
    "unverified_seconds": "that they take without the verification of the data",
}
#: What a turn is taken to last without the verification: twice its repetitions, since the second stage warms up with
#: more of them at large sizes, and 1 ms.
_TIMES, _TURN_US = 2, 1e3


def wrong_operations(rows: Mapping[str, Rows]) -> dict[str, list[str]]:
    """Return the operations that delivered wrong data, of each stack that has any."""
    wrong = {
        stack: each.summary[each.summary["verdict"] == "failed-check"]["operation"] for stack, each in rows.items()
    }
    return {stack: list(dict.fromkeys(operations)) for stack, operations in wrong.items() if len(operations)}


def screened(
    rows: Mapping[str, Rows], baseline: str, candidate: str, confidence: float, slices: pd.DataFrame
) -> pd.DataFrame:
    """`SCREENED_COLUMNS` of all cases that both stacks have a value of. Empty if they measured in no turns.

    `slices`: of both stacks, with session, operation, bytes, turn_us, reps, warmup_reps and median_us.
    """
    repetitions = (slices["reps"] + slices["warmup_reps"]) * slices["median_us"]
    unverified = np.minimum(slices["turn_us"], _TIMES * repetitions + _TURN_US)
    turns = slices.assign(unverified=unverified).groupby(["operation", "bytes"])[["turn_us", "unverified"]].sum()
    turns /= 1e6 * slices["session"].nunique()
    tables = [pd.DataFrame(columns=list(SCREENED_COLUMNS))]
    for point, group in rows[candidate].summary.groupby(POINT, sort=False):
        cases = pd.MultiIndex.from_frame(group[["operation", "bytes"]])
        both = differences_in_turns(rows[baseline].at(point, cases), rows[candidate].at(point, cases))
        if both is None:
            continue
        means = moderated_means(both.values, confidence)
        seconds = turns.reindex(cases, fill_value=0.0).to_numpy().T
        columns = (*zip(*cases, strict=True), *np.exp((means.mean, means.low, means.high)), means.p_value, *seconds)
        table = pd.DataFrame(dict(zip(SCREENED_COLUMNS, columns, strict=True)))
        tables.append(table[table["ratio"].notna()])
    return pd.concat(tables, ignore_index=True) if len(tables) > 1 else tables[0]
