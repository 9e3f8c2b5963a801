# SPDX-License-Identifier: BSD-3-Clause
"""`verdicts.csv`: what became of the launches and runs of every row."""

from __future__ import annotations

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.values.summary import row_numbers
from isochron.postprocess.estimate.values.verdicts import LAUNCH_VERDICTS
from isochron.postprocess.ingest.inputs__inputs import KEYS, RESULT_KEY
from isochron.postprocess.kit.table__declaration import Table
from isochron.postprocess.subjects.results.table import make_summary

#: Why runs do not count, as the store calls it.
REJECTED = ("late_start", "overrun", "disturbed")
#: Columns of `verdicts.csv`: of each row its launches by verdict, and its runs by what became of them.
VERDICT_COLUMNS = {
    **KEYS,
    "launches_planned": "launches in the plan",
    "launches": "launches measured",
    **{
        f"launches_{verdict.replace('-', '_')}": f"launches with the verdict `{verdict}`" for verdict in LAUNCH_VERDICTS
    },
    "reps_made": "runs of all launches",
    "reps_valid": "valid runs among them",
    "reps_late_start": "runs that some process started late",
    "reps_overrun": "runs that some process ended after the slot",
    "reps_disturbed": "runs that do not count as the machine was in another regime then (`engine.probes: gate`)",
    "verdict": "verdict of the row",
    "reason": "why the verdict is not `ok`",
}


def verdict_table(summary: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """`VERDICT_COLUMNS` for every planned row.

    `summary`: RESULT_KEY, launches_planned, launches, verdict, reason. `rows`: the launches' rows, with RESULT_KEY,
    verdict, reps_made, reps_valid, and invalid_… for each of REJECTED.
    """
    made = rows.groupby(RESULT_KEY, sort=False, as_index=False)[
        ["reps_made", "reps_valid", *(f"invalid_{why}" for why in REJECTED)]
    ].sum()
    made = made.rename(columns={f"invalid_{why}": f"reps_{why}" for why in REJECTED})
    table = summary[[*RESULT_KEY, "launches_planned", "launches", "verdict", "reason"]].merge(
        made, on=RESULT_KEY, how="left"
    )
    numbers = row_numbers(table, rows)
    for verdict in LAUNCH_VERDICTS:
        chosen = numbers[rows["verdict"].to_numpy() == verdict]
        table[f"launches_{verdict.replace('-', '_')}"] = np.bincount(chosen[chosen >= 0], minlength=len(table))
    runs = ["reps_made", "reps_valid", *(f"reps_{why}" for why in REJECTED)]
    table[runs] = table[runs].fillna(0).astype("int64")
    return table[list(VERDICT_COLUMNS)]


VERDICTS = Table(
    name="verdicts",
    columns=VERDICT_COLUMNS,
    make=lambda context: verdict_table(context.get(make_summary), context.rows),
    holds="launches by verdict and runs by reason of rejection, for every row",
)
