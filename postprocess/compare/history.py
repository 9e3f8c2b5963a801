# SPDX-License-Identifier: BSD-3-Clause
"""All runs of a campaign in order of time: the value of each row in each, and where its level changed."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.reading.inputs import KEYS, ROW, RunInputs, planned_rows, results_of
from isochron.postprocess.reading.store import read_table
from isochron.postprocess.statistics.change_point import change_point
from isochron.postprocess.statistics.holm import holm
from isochron.postprocess.values.summary import joined, summarise

#: Columns: a line for each row and run; what is known of the row's change stands in all of its lines.
HISTORY_COLUMNS = {
    **KEYS,
    "run_id": "the run",
    "mpi_version": "version of the stack's MPI library in this run",
    "launches": "launches behind the value",
    "median_us": "the value of the row in this run: median over launches of the launch medians",
    "median_low_us": "lower end of its exact binomial interval, or of the range of the launches",
    "median_high_us": "upper end of that interval",
    "runs": "runs in which the row can be believed",
    "changed_at": "first of these runs after the likeliest change of level",
    "before_us": "median of the values before it",
    "after_us": "median of the values from it on",
    "ratio": "after / before",
    "p_value": "p value of a change as large without a cause (Pettitt's statistic, random orders)",
    "p_holm": "the same, corrected for all rows",
    "verdict": "`slower`, `faster`, `steady`: no change beyond the threshold is established; `too-few-runs`",
}
CHANGE = list(HISTORY_COLUMNS)[list(HISTORY_COLUMNS).index("runs") :]


def history(runs: list[RunInputs]) -> pd.DataFrame:
    """`HISTORY_COLUMNS` of runs that are given in order of time. Threshold and confidence are those of the newest.

    Values that are not believed are left out. The run is the unit: launches of one night share its weather.
    """
    analysis = runs[-1].campaign.analysis
    values = pd.concat([_values(inputs) for inputs in runs], ignore_index=True)
    changes = pd.DataFrame(
        [dict(zip(ROW, key, strict=True)) | _change(group) for key, group in values.groupby(ROW, sort=False)],
        columns=[*ROW, *CHANGE],
    )
    changes["p_holm"] = holm(changes["p_value"].to_numpy(dtype=np.float64))
    changes["verdict"] = [
        _verdict(row, analysis.threshold, 1 - analysis.confidence) for row in changes.to_dict("records")
    ]
    return values.merge(changes, on=ROW, how="left")


def _values(inputs: RunInputs) -> pd.DataFrame:
    """The believed rows of one run."""
    launches = read_table(inputs.layout, "launches")
    rows = results_of(joined(launches, read_table(inputs.layout, "measurements")), inputs)
    summary = summarise(planned_rows(inputs), rows, inputs.campaign.analysis.confidence)
    versions = launches.drop_duplicates("stack").set_index("stack")["mpi_version"]
    chosen = summary[summary["believed"].astype(bool)].assign(run_id=inputs.layout.run_id)
    told = chosen.assign(mpi_version=chosen["stack"].map(versions), launches=chosen["launches_used"])
    return told[[name for name in HISTORY_COLUMNS if name not in CHANGE]]


def _change(group: pd.DataFrame) -> dict[str, object]:
    """What is known of a row's change, before the correction for all rows."""
    values = group["median_us"].to_numpy(dtype=np.float64)
    found = change_point(values)
    known: dict[str, object] = {"runs": len(values), "p_value": nan}
    if found is None:
        return known
    before, after = float(np.median(values[: found.index])), float(np.median(values[found.index :]))
    changed_at = group["run_id"].iloc[found.index]
    return known | {
        "changed_at": changed_at, "before_us": before, "after_us": after, "ratio": after / before,
        "p_value": found.p_value,
    }  # fmt: skip


def _verdict(row: dict[Any, Any], threshold: float, alpha: float) -> str:
    if np.isnan(row["p_value"]):
        return "too-few-runs"
    if row["p_holm"] > alpha or 1 / (1 + threshold) < row["ratio"] < 1 + threshold:
        return "steady"
    return "slower" if row["ratio"] > 1 else "faster"
