# SPDX-License-Identifier: BSD-3-Clause
"""What a site's ReFrame checks may take as references: each row's level over the runs of a campaign, and its spread.

The level is that since the last change that `isochron history` has found. A bound is the largest relative distance of a
run from it, and at least the practical threshold: a check that follows fails on what the campaign has not seen before.
"""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

from isochron.common.files import FileError
from isochron.postprocess.estimate.compare.history import history
from isochron.postprocess.ingest.inputs__inputs import RESULT_KEY, RunInputs

#: Runs on the present level below which a row has no reference.
FEWEST = 3


def reference(runs: list[RunInputs]) -> str:
    """`{system: {stack/operation/bytes/processes x per node/placement: [µs, lower, upper, "us"]}}` as JSON.

    That is the form of ReFrame's `reference`: bounds are relative to the value. `runs` in the order of time. Raises
    FileError where no row has enough runs.
    """
    table = history([inputs.layout for inputs in runs])
    table = table[table["verdict"] != "unconfirmed"]
    lines = {}
    for keys, rows in table.groupby(RESULT_KEY, sort=False):
        level = _level(rows)
        if len(level) >= FEWEST:
            lines["/".join(_words(dict(zip(RESULT_KEY, keys, strict=True))))] = _bounds(
                level, runs[-1].campaign.analysis.threshold
            )
    if not lines:
        raise FileError(
            f"{runs[-1].campaign.name}: no row has {FEWEST} runs on its present level; complete runs: {len(runs)}"
        )
    system = runs[-1].campaign.site.system or "*"
    return json.dumps({system: lines}, indent=2, ensure_ascii=False) + "\n"


def _level(rows: pd.DataFrame) -> np.ndarray:
    """Values in µs of the runs since the last change."""
    changed = rows["changed_at"].iloc[-1]
    present = rows if not isinstance(changed, str) or not changed else rows[rows["run_id"] >= changed]
    values: np.ndarray = present["median_us"].dropna().to_numpy()
    return values


def _bounds(level: np.ndarray, threshold: float) -> list[object]:
    value = float(np.median(level))
    away = max(threshold, float(np.max(np.abs(level / value - 1))))
    return [float(f"{value:.6g}"), -round(away, 4), round(away, 4), "us"]


def _words(row: dict[str, object]) -> list[str]:
    shape = f"{row['processes']}x{row['processes_per_node']}"
    return [str(row["stack"]), str(row["operation"]), str(row["bytes"]), shape, str(row["placement"])]
