# SPDX-License-Identifier: BSD-3-Clause
"""`verdicts.csv`: what became of the launches and runs of every row."""

from __future__ import annotations

import numpy as np
import pandas as pd

from isochron.postprocess.reading.inputs import KEYS, ROW
from isochron.postprocess.tables.declaration import Table
from isochron.postprocess.tables.summary import make_summary
from isochron.postprocess.values.summary import row_numbers
from isochron.postprocess.values.verdicts import LAUNCH_VERDICTS

#: Columns of `verdicts.csv`: of each row its launches by verdict, and its runs by what became of them.
VERDICT_COLUMNS = {
    **KEYS,
    "launches_planned": "launches in the plan",
    "launches": "launches measured",
    **{
        f"launches_{verdict.replace('-', '_')}": f"launches with the verdict `{verdict}`" for verdict in LAUNCH_VERDICTS
    },
    "runs_made": "runs of all launches",
    "runs_valid": "valid runs among them",
    "runs_late_start": "runs that some process started late",
    "runs_overrun": "runs that some process ended after the slot",
    "verdict": "verdict of the row",
    "reason": "why the verdict is not `ok`",
}


def verdict_table(summary: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """`VERDICT_COLUMNS` for every planned row.

    `summary`: ROW, launches_planned, launches, verdict, reason. `rows`: the launches' rows, with ROW, verdict,
    runs_made, runs_valid, invalid_late_start and invalid_overrun.
    """
    made = rows.groupby(ROW, sort=False, as_index=False)[
        ["runs_made", "runs_valid", "invalid_late_start", "invalid_overrun"]
    ].sum()
    made = made.rename(columns={"invalid_late_start": "runs_late_start", "invalid_overrun": "runs_overrun"})
    table = summary[[*ROW, "launches_planned", "launches", "verdict", "reason"]].merge(made, on=ROW, how="left")
    numbers = row_numbers(table, rows)
    for verdict in LAUNCH_VERDICTS:
        chosen = numbers[rows["verdict"].to_numpy() == verdict]
        table[f"launches_{verdict.replace('-', '_')}"] = np.bincount(chosen[chosen >= 0], minlength=len(table))
    runs = ["runs_made", "runs_valid", "runs_late_start", "runs_overrun"]
    table[runs] = table[runs].fillna(0).astype("int64")
    return table[list(VERDICT_COLUMNS)]


VERDICTS = Table(
    name="verdicts",
    columns=VERDICT_COLUMNS,
    make=lambda bench: verdict_table(bench.get(make_summary), bench.rows),
    holds="launches by verdict and runs by reason of rejection, for every row",
)
