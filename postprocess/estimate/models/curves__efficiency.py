# SPDX-License-Identifier: BSD-3-Clause
"""How efficient every row of a curve over processes is, against the fastest model and against the smallest count."""

from __future__ import annotations

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.models.curves__curves import series
from isochron.postprocess.ingest.inputs__inputs import KEYS, RESULT_KEY

#: Columns of `scaling.csv`: a line for each point of each curve over processes.
SCALING_COLUMNS = {
    **KEYS,
    "curve_per_node": "processes per node of the curve; 0 where all its points are on one node",
    "median_us": "the row's value",
    "median_low_us": "lower end of its interval",
    "median_high_us": "upper end of its interval",
    "reliable": "whether the row is reliable",
    "fastest_model_us": "the least time of all models of the operation that hold at this point; empty where none does",
    "model_efficiency": "`fastest_model_us` / `median_us`",
    "weak_efficiency": "value at the curve's smallest reliable process count / `median_us`",
}


def efficiencies(rows: pd.DataFrame, points: pd.DataFrame) -> pd.DataFrame:
    """`SCALING_COLUMNS`. `rows`: `SUMMARY_COLUMNS` with `counts`; `points`: `MODEL_POINT_COLUMNS`."""
    parts = []
    for key, own in series(rows):
        first = float(own.loc[own["counts"], "median_us"].iloc[0])
        parts.append(own.assign(curve_per_node=key["processes_per_node"], weak_efficiency=first / own["median_us"]))
    if not parts:
        return pd.DataFrame(columns=list(SCALING_COLUMNS))
    sound = points[(points["broken"] == "") & (points["model_us"] > 0)]
    fastest = sound.groupby(RESULT_KEY, sort=False)["model_us"].min().rename("fastest_model_us").reset_index()
    table = pd.concat(parts, ignore_index=True)
    if len(fastest):
        table = table.merge(fastest, on=RESULT_KEY, how="left")
    else:
        table["fastest_model_us"] = np.nan
    return table.assign(model_efficiency=table["fastest_model_us"] / table["median_us"])[list(SCALING_COLUMNS)]
