# SPDX-License-Identifier: BSD-3-Clause
"""All curves that leave their models in one ranking: what is slower than its model comes first."""

from __future__ import annotations

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.models.curves__curves import SERIES
from isochron.postprocess.ingest.inputs__inputs import KEYS

#: Columns of `model-departures.csv`: a line for each curve that leaves its model, the worst first.
DEPARTURE_COLUMNS = {
    "rank": "place in the ranking: slower than the model first; of these, shown by the intervals first; then by size",
    **{name: KEYS[name] for name in SERIES},
    "direction": "`slower` or `faster` than the model",
    "algorithm": "algorithm of the nearest model",
    "from_processes": "process count from which on all points depart",
    "nowhere": "whether that is the smallest one: the curve follows no model",
    "worst_processes": "process count at which it is farthest from the model, of those",
    "times": "by what factor it is slower or faster there; above 1",
    "measured_over_model": "measured / model there",
    "outside": "whether the model lies outside the intervals of the measurements from `from_processes` on",
    "reasons": "why, as far as the data show: words of `models.csv`, separated by semicolons",
    "as_if": "what the curve says of these in numbers, separated by semicolons",
}


def departures(curves: pd.DataFrame) -> pd.DataFrame:
    """`DEPARTURE_COLUMNS`. `curves`: `MODEL_COLUMNS`."""
    gone = curves[curves["leaves_at"].notna() & curves["worst_factor"].notna()]
    ratio = gone["worst_factor"].to_numpy(dtype=np.float64)
    table = gone[SERIES].assign(
        direction=np.where(ratio > 1, "slower", "faster"),
        algorithm=gone["algorithm"],
        from_processes=gone["leaves_at"].astype("int64"),
        nowhere=gone["leaves_at"] == gone["smallest"],
        worst_processes=gone["worst_at"].astype("int64"),
        times=np.exp(np.abs(np.log(ratio))),
        measured_over_model=ratio,
        outside=gone["leaves_outside"].astype(bool),
        reasons=gone["reasons"].fillna(""),
        as_if=gone["as_if"].fillna(""),
    )
    order = ["direction", "outside", "times"]  # `slower` comes after `faster` in the alphabet
    table = table.sort_values(order, ascending=False, kind="stable", ignore_index=True)
    return table.assign(rank=np.arange(1, len(table) + 1))[list(DEPARTURE_COLUMNS)]
