# SPDX-License-Identifier: BSD-3-Clause
"""What a later measurement of each result is held against: its present level, and bounds around it.

The present level is that since the last change which `compare/history` has found. Its bounds are where another job lies
(`stats/job_components`), at least the practical threshold away from it. A job is outside of them, with nothing changed,
with at most the probability `FALSE_ALARMS`. Where fewer than `FEWEST` jobs are known the bounds are as far as a run was
from the level, and nothing is known of false alarms.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.postprocess.estimate.compare.history import NOWHERE, history
from isochron.postprocess.estimate.history_cache.cache import stored_rows
from isochron.postprocess.estimate.values.jobs import PROBABILITY, pooling
from isochron.postprocess.estimate.values.summary import usable
from isochron.postprocess.ingest.inputs import RESULT_KEY, RunInputs
from isochron.postprocess.ingest.jobs import jobs_of
from isochron.stats.job_components import forecast
from isochron.stats.launches import Index, Values

#: Jobs for a forecast, and runs without one, below which a result has no reference.
FEWEST = 3
#: How probably a job is outside of a forecast, half of it on either side.
FALSE_ALARMS = round(1 - PROBABILITY, 6)
#: Runs without a value that are named as the reason why a result has no reference.
NAMED = 3


@dataclass(frozen=True)
class References:
    """`rows`: RESULT_KEY, value_us, lower, upper (relative to it), jobs (0: the bounds are from runs) and runs, of the
    results with a reference; `left_out`: RESULT_KEY and reason, of the others.

    `judged`: jobs that were held against what the others give; of these `alarmed` have a result outside of its bounds.
    """

    rows: pd.DataFrame
    left_out: pd.DataFrame
    judged: int
    alarmed: int


def references(runs: list[RunInputs]) -> References:
    """What runs give, in the order of time. Threshold: the newest run's. Raises FileError for one without a store."""
    threshold = runs[-1].campaign.analysis.threshold
    values = pd.concat([frame for some in NOWHERE.values([each.layout for each in runs]) for frame in some])
    results = values[RESULT_KEY].drop_duplicates(ignore_index=True)
    number = pd.MultiIndex.from_frame(results)
    values, level = (
        table.assign(case=number.get_indexer(pd.MultiIndex.from_frame(table[RESULT_KEY])))
        for table in (values, _level(history([inputs.layout for inputs in runs])))
    )
    logs, groups = _logs(runs, level, number), pooling(results)
    jobs = np.isfinite(logs).sum(axis=0)
    centre, lower, upper = _bounds(logs, groups, threshold)
    lines, left_out = [], []
    measured, on_level = dict(tuple(values.groupby("case"))), dict(tuple(level.groupby("case")))
    for case, keys in enumerate(results.itertuples(index=False, name=None)):
        present = on_level.get(case, level.iloc[:0])
        if jobs[case] >= FEWEST:
            lines.append((*keys, centre[case], lower[case], upper[case], jobs[case], len(present)))
        elif len(present) >= FEWEST:
            medians = present["median_us"].to_numpy(dtype=np.float64)
            value = float(np.median(medians))
            away = max(threshold, float(np.max(np.abs(medians / value - 1))))
            lines.append((*keys, value, -away, away, 0, len(present)))
        else:
            left_out.append((*keys, _why(present, measured[case])))
    return References(
        pd.DataFrame(lines, columns=pd.Index([*RESULT_KEY, "value_us", "lower", "upper", "jobs", "runs"])),
        pd.DataFrame(left_out, columns=pd.Index([*RESULT_KEY, "reason"])),
        *_held_against_others(logs, groups, threshold),
    )


def _level(table: pd.DataFrame) -> pd.DataFrame:
    """The lines of `history` on the present level of their results: those since the last change that was confirmed."""
    table = table[(table["verdict"] != "unconfirmed") & table["median_us"].notna()]
    last = table.groupby(RESULT_KEY, sort=False, dropna=False)["changed_at"].transform("last").fillna("")
    return table[table["run_id"] >= last]


def _logs(runs: list[RunInputs], level: pd.DataFrame, number: pd.MultiIndex) -> Values:
    """Logarithms of the median over a job's launches, (jobs, results), NaN if missing; of runs on the level alone."""
    frames = []
    for inputs in runs:
        here = level.loc[level["run_id"] == inputs.layout.run_id, "case"]
        rows = usable(stored_rows(inputs)[1])
        rows = rows.assign(
            case=number.get_indexer(pd.MultiIndex.from_frame(rows[RESULT_KEY])),
            job=rows["launch_id"].map(jobs_of(inputs.layout, rows["launch_id"].unique())),
        )
        frames.append(rows.loc[rows["case"].isin(here) & (rows["job"] != ""), ["job", "case", "median_us"]])
    medians = pd.concat(frames).groupby(["job", "case"], sort=False)["median_us"].median().unstack("case")
    found: Values = np.log(medians.reindex(columns=range(len(number))).to_numpy(dtype=np.float64))
    return found


def _bounds(logs: Values, groups: Index, threshold: float) -> tuple[Values, Values, Values]:
    """Centre in µs, lower and upper relative to it, of each result; NaN without a forecast."""
    found = forecast(logs, PROBABILITY, groups)
    lower = np.minimum(np.expm1(found.low - found.centre), -threshold)
    upper = np.maximum(np.expm1(found.high - found.centre), threshold)
    return np.exp(found.centre), lower, upper


def _held_against_others(logs: Values, groups: Index, threshold: float) -> tuple[int, int]:
    """How many jobs were held against the bounds that the others give, and how many have a result outside."""
    judged = alarmed = 0
    for job, own in enumerate(logs):
        others = np.delete(logs, job, axis=0)
        known: NDArray[np.bool_] = np.isfinite(own) & (np.isfinite(others).sum(axis=0) >= FEWEST)
        if known.any():
            centre, lower, upper = _bounds(others, groups, threshold)
            away = (np.exp(own) / centre - 1)[known]
            judged += 1
            alarmed += bool(((away < lower[known]) | (away > upper[known])).any())
    return judged, alarmed


def _why(present: pd.DataFrame, measured: pd.DataFrame) -> str:
    """Why a result has no reference: how many runs there are on its level, and the runs that have no value of it.

    `measured`: its values in all runs.
    """
    since = "" if present.empty else str(present["changed_at"].fillna("").iloc[-1])
    told = f"{len(present)} of {FEWEST} runs with a reliable value" + (f" since its change in {since}" if since else "")
    without = measured[~measured["reliable"].astype(bool) & (measured["run_id"] >= since)]
    named = [f"{run}: {verdict}" for run, verdict in zip(without["run_id"], without["verdict"], strict=True)]
    return "; ".join([told, *named[-NAMED:]])
