# SPDX-License-Identifier: BSD-3-Clause
"""One row for each stack and case: what its launches say together."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.reading.inputs import ALLOCATION, KEYS, POINT, ROW
from isochron.postprocess.statistics.groups import gap
from isochron.postprocess.statistics.launches import mean_estimate, median_interval
from isochron.postprocess.values import regimes
from isochron.postprocess.values.intervals import INTERVAL_COLUMNS, intervals
from isochron.postprocess.values.verdicts import USABLE, verdict_of
from isochron.schemas.engine.operations import HALVED

#: Columns that say what rows rest on.
COUNTS = {
    "launches_planned": "launches in the plan",
    "launches": "launches measured",
    "launches_ok": "launches whose verdict is `ok`",
    "launches_used": "launches that the statistics rest on: all with a time of the operation",
}
#: Statistics over launches; times in µs.
STATISTICS = {
    "median_us": "the value of the row: median over launches of the launch medians; of ping-pong and transfer-1, which "
    "go there and back, half of that, as all times here",
    "median_low_us": "lower end of its exact binomial interval, or of the range of the launches; see `interval_basis`",
    "median_high_us": "upper end of that interval",
    "median_confidence": "the confidence level that this interval really has; empty where `interval_holds` is `no`",
    "mean_us": "mean over launches of the trimmed means",
    "se_us": "its standard error, from launches only",
    "ci_low_us": "lower end of Student's interval of the mean, from launches only",
    "ci_high_us": "upper end of that interval",
    "confidence": "confidence level of Student's interval",
    "rse": "relative standard error of the mean, s/(mean·√L)",
    "min_us": "smallest launch median",
    "max_us": "largest launch median",
    "gap": "ratio between the two groups into which the launches fall; empty where they do not",
    "gap_by_block": "whether those groups are whole blocks, of the other stacks too: a regime of the machine",
    "clock_error_us": "median over launches of the worst known clock error",
    "overhead_us": "median over launches of the bound of the engine's own cost in a run",
}
#: Columns of `summary.csv`.
SUMMARY_COLUMNS = {
    **KEYS,
    **COUNTS,
    **STATISTICS,
    **INTERVAL_COLUMNS,
    "verdict": "`ok`, or why the row is not believed",
    "believed": "whether the row can be believed",
    "reason": "why it cannot be believed, in words",
}


#: Times of `measurements` that are those of a run, and what bounds their error.
OF_RUN = (
    "first_call_us", "second_call_us", "mean_us", "se_us", "ci_low_us", "ci_high_us", "median_us", "median_low_us",
    "median_high_us", "min_us", "max_us", "local_median_us", "clock_error_us", "overhead_us",
    "rank_avg_us", "rank_min_us", "rank_max_us", "from_last_median_us", "from_last_min_us", "from_last_max_us",
)  # fmt: skip


def joined(launches: pd.DataFrame, measurements: pd.DataFrame) -> pd.DataFrame:
    """`measurements` with what their launch says: ROW and ALLOCATION columns, `file` and `simulated` for every row.

    Times are those that are told from here on: of HALVED operations one way, where the store has there and back.
    `launches`: launch_id and those columns.
    """
    rows = measurements.merge(
        launches[["launch_id", "stack", *POINT, *ALLOCATION, "file", "simulated"]], on="launch_id", how="left"
    )
    halved = rows["operation"].isin(list(HALVED)).to_numpy()
    return rows.assign(**{name: rows[name].where(~halved, rows[name] / 2) for name in OF_RUN if name in rows})


def usable(rows: pd.DataFrame) -> pd.DataFrame:
    """The launches' rows that statistics rest on: those with a time of the operation.

    A launch that is only `unstable`, or had no quiet time, stays: leaving it out would select the quiet launches.

    `rows`: verdict and median_us of each, and whatever else.
    """
    return rows[rows["verdict"].isin(list(USABLE)) & rows["median_us"].notna()]


def summarise(planned: pd.DataFrame, rows: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """`SUMMARY_COLUMNS`, one row for each planned row, in the plan's order.

    `planned`: ROW and launches_planned. `rows`: `measurements` joined with its launches.
    """
    groups = dict(list(rows.groupby(ROW, sort=False)))
    none = rows.iloc[:0]
    records = [
        {
            **dict(zip([*ROW, "launches_planned"], row, strict=True)),
            **_statistics(groups.get(tuple(row[:-1]), none), confidence),
        }
        for row in planned[[*ROW, "launches_planned"]].itertuples(index=False, name=None)
    ]
    table = pd.DataFrame(records, columns=list(SUMMARY_COLUMNS))
    table["gap_by_block"] = regimes.by_block(table, usable(rows))
    return table.assign(**intervals(table, usable(rows), confidence))


def in_plan_order(table: pd.DataFrame, summary: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """`table` in the order of the summary. Both have the columns `keys`; what the summary lacks is left out."""
    return summary[keys].drop_duplicates().merge(table, on=keys, how="inner")


def _statistics(group: pd.DataFrame, confidence: float) -> dict[str, Any]:
    """Statistics of one row from its launches."""
    verdict = verdict_of(group)
    used = usable(group)
    medians = used["median_us"].to_numpy(dtype=np.float64)
    counts = {
        "launches": len(group),
        "launches_ok": int((group["verdict"] == "ok").sum()),
        "launches_used": len(used),
        "verdict": verdict.verdict,
        "believed": verdict.believed,
        "reason": verdict.reason,
    }
    if not len(medians):
        return {**dict.fromkeys(STATISTICS, nan), **counts}
    median = median_interval(medians, confidence)
    mean = mean_estimate(used["mean_us"].fillna(used["median_us"]).to_numpy(dtype=np.float64), confidence)
    return {
        **counts,
        "median_us": float(np.median(medians)),
        "median_low_us": median.low,
        "median_high_us": median.high,
        "median_confidence": median.confidence,
        "mean_us": mean.mean,
        "se_us": mean.se,
        "ci_low_us": mean.low,
        "ci_high_us": mean.high,
        "confidence": confidence,
        "rse": mean.rse,
        "min_us": float(medians.min()),
        "max_us": float(medians.max()),
        "gap": gap(medians),
        "clock_error_us": float(used["clock_error_us"].median()),
        "overhead_us": float(used["overhead_us"].median()),
    }
