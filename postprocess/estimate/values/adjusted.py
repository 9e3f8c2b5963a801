# SPDX-License-Identifier: BSD-3-Clause
"""Values of rows adjusted to the usual interference at their point."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.postprocess.estimate.values.launches import NO_PROBE, PROBES, QUIET, REGIMES_OF, LaunchMatrix, together
from isochron.postprocess.estimate.values.verdicts import MIN_OK
from isochron.postprocess.ingest.inputs import CASE, POINT
from isochron.stats.adjustment import NARROWER, adjustment, met
from isochron.stats.dependence import dependence
from isochron.stats.launches import Values, matched_columns, mean_estimate
from isochron.stats.multiple_tests import Matrix

#: Columns of the summary.
ADJUSTED_COLUMNS = {
    "adjusted_by": "the probe that makes the launches of the row more alike; `quiet`: "
    "only launches that met the quiet regime of the machine count; or `none`; empty where nothing was read",
    "adjusted_slope": "by how many per cent the times of launches differ for each per cent by which the probe does",
    "adjusted_us": "the value, had the probe read in each launch what it reads in the median over all launches of the "
    "case, or the value of the launches of the quiet regime; beside the value, never in its place",
    "adjusted_low_us": "lower end of its interval, made as that of the value; the slope is taken as known",
    "adjusted_high_us": "upper end of that interval",
    "adjusted_rse": "as `rse`, of the launches so adjusted: what of their dispersion the probe does not explain",
}


def adjusted_values(summary: pd.DataFrame, used: pd.DataFrame, confidence: float) -> dict[str, Any]:
    """`ADJUSTED_COLUMNS`. `summary`: RESULT_KEY; `used`: usable rows of launches with `PROBES`, if probes were read."""
    columns: dict[str, Any] = {name: np.full(len(summary), np.nan) for name in ADJUSTED_COLUMNS}
    columns["adjusted_by"] = np.full(len(summary), "", dtype=object)
    if not set(PROBES) <= set(used):
        return columns
    usual, quiet = _usual(summary, used), _quiet(summary, used)
    for group in together(summary, used):
        units = np.arange(len(group.logs))
        probes = group.probes - usual[:, None, group.rows]
        fitted = adjustment(group.logs, probes, list(PROBES.values()), np.zeros(len(units)), [units])
        rows, values = group.rows[fitted.known], fitted.without(group.logs)[:, fitted.known]
        by = np.array([*PROBES, NO_PROBE], dtype=object)[fitted.chosen[fitted.known]]
        columns["adjusted_by"][rows], columns["adjusted_slope"][rows] = by, fitted.slope[fitted.known]
        if len(rows):
            _note(columns, rows, values, group.blocks, confidence)
        of_regimes = [name in REGIMES_OF for name in PROBES]
        inside = met(group.probes[of_regimes], quiet[of_regimes, group.rows[0]]).quiet
        _note_quiet(columns, group, inside, confidence)
    return columns


def _usual(summary: pd.DataFrame, used: pd.DataFrame) -> Matrix:
    """Of each row what each probe usually reads in its case (logarithm), of all stacks: (P, rows)."""
    usual = used.groupby(CASE, sort=False)[list(PROBES)].median()
    return _logs(usual.reindex(pd.MultiIndex.from_frame(summary[CASE])))


def _quiet(summary: pd.DataFrame, used: pd.DataFrame) -> Matrix:
    """Of each row what each probe reads in the quiet regime of its point (`quiet_level`), of all stacks: (P, rows)."""
    launches = used.groupby([*POINT, "launch_id"], sort=False)[list(PROBES)].median()
    quiet = launches.groupby(POINT, sort=False).min()
    return _logs(quiet.reindex(pd.MultiIndex.from_frame(summary[POINT])))


def _logs(readings: pd.DataFrame) -> Matrix:
    """Logarithms, (rows, P) → (P, rows)."""
    return np.asarray(np.log(readings.to_numpy(dtype=np.float64).T), dtype=np.float64)


def _note(
    columns: dict[str, Any], rows: NDArray[np.intp], values: Matrix, blocks: NDArray[np.int64], confidence: float
) -> None:
    """Write values of launches (logarithms), shape (launches, rows), into the columns."""
    interval = dependence(values, blocks, confidence)
    columns["adjusted_us"][rows], columns["adjusted_rse"][rows] = (
        np.exp(np.median(values, axis=0)),
        _rse(values, confidence),
    )
    columns["adjusted_low_us"][rows], columns["adjusted_high_us"][rows] = np.exp(interval.low), np.exp(interval.high)


def _note_quiet(columns: dict[str, Any], group: LaunchMatrix, inside: NDArray[np.bool_], confidence: float) -> None:
    """The same of the launches of the quiet regime, in the rows in which these are that much more alike."""
    for cases, units in matched_columns(inside):
        if units.all() or units.sum() < MIN_OK:
            continue
        rows, values = group.rows[cases], group.logs[np.ix_(units, cases)]
        gained = _rse(values, confidence) <= NARROWER * columns["adjusted_rse"][rows]
        if gained.any():
            at = rows[gained]
            columns["adjusted_by"][at], columns["adjusted_slope"][at] = QUIET, np.nan
            _note(columns, at, values[:, gained], group.blocks[units], confidence)


def _rse(values: Matrix, confidence: float) -> Values:
    """Relative standard error of the mean of launches, NaN of a single one: (launches, rows), logarithms → (rows,)."""
    return mean_estimate(np.exp(values - values.mean(axis=0)).T, confidence).rse
