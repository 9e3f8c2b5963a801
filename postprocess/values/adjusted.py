# SPDX-License-Identifier: BSD-3-Clause
"""Values of rows in the usual weather of their point, beside those of the weather that their launches met."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.reading.inputs import CASE
from isochron.postprocess.statistics.dependence import dependence
from isochron.postprocess.statistics.weather.adjustment import adjustment
from isochron.postprocess.values.launch_matrices import together
from isochron.postprocess.values.probes import NO_PROBE, PROBES

#: Columns of the summary.
ADJUSTED_COLUMNS = {
    "adjusted_by": "the probe of the machine's weather that makes the launches of the row more alike, or `none`; empty "
    "where nothing was read",
    "adjusted_slope": "by how many per cent the times of launches differ for each per cent by which the probe does",
    "adjusted_us": "the value, had the probe read in each launch what it reads in the median over all launches of the "
    "case; beside the value, never in its place",
    "adjusted_low_us": "lower end of its interval, made as that of the value; the slope is taken as known",
    "adjusted_high_us": "upper end of that interval",
    "adjusted_rse": "as `rse`, of the launches in that weather: what of their spread the weather does not explain",
}


def adjusted_values(summary: pd.DataFrame, used: pd.DataFrame, confidence: float) -> dict[str, Any]:
    """`ADJUSTED_COLUMNS`. `summary`: ROW; `used`: usable rows of launches with `PROBES`, where there is weather."""
    found: dict[str, Any] = {name: np.full(len(summary), np.nan) for name in ADJUSTED_COLUMNS}
    found["adjusted_by"] = np.full(len(summary), "", dtype=object)
    read = [name for name in PROBES if name in used]
    usual = used.groupby(CASE, sort=False)[read].transform("median") if read else used[read]
    for group in together(summary, used.assign(**{name: used[name] / usual[name] for name in read})):
        if not len(group.probes):
            continue
        units = np.arange(len(group.logs))
        told = adjustment(group.logs, group.probes, list(PROBES.values()), np.zeros(len(units)), [units])
        values = told.without(group.logs)[:, told.known]
        interval, rows = dependence(values, group.blocks, confidence), group.rows[told.known]
        found["adjusted_by"][rows] = np.array([*PROBES, NO_PROBE], dtype=object)[told.chosen[told.known]]
        found["adjusted_slope"][rows] = told.slope[told.known]
        found["adjusted_us"][rows] = np.exp(np.median(values, axis=0))
        times = np.exp(values - values.mean(axis=0))
        if len(times) > 1:
            found["adjusted_rse"][rows] = times.std(axis=0, ddof=1) / times.mean(axis=0) / np.sqrt(len(times))
        found["adjusted_low_us"][rows], found["adjusted_high_us"][rows] = np.exp(interval.low), np.exp(interval.high)
    return found
