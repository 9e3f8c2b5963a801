# SPDX-License-Identifier: BSD-3-Clause
"""One row for each stack and case: what its launches say together."""

from math import nan

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.postprocess.estimate.values import intervals as regimes
from isochron.postprocess.estimate.values.intervals import INTERVAL_COLUMNS, intervals
from isochron.postprocess.estimate.values.verdicts import USABLE, is_reliable, result_verdicts
from isochron.postprocess.ingest.inputs import ALLOCATION, KEYS, POINT, RESULT_KEY
from isochron.schemas.engine.contract import HALVED
from isochron.stats.groups import gap
from isochron.stats.launches import Values, by_count, known_medians, mean_estimate, median_interval

Index = NDArray[np.intp]

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
    "median_confidence": "the confidence level that this interval really has; empty where `interval_validity` is `no`",
    "mean_us": "mean over launches of the trimmed means",
    "se_us": "its standard error, from launches only",
    "ci_low_us": "lower end of Student's interval of the mean, from launches only",
    "ci_high_us": "upper end of that interval",
    "confidence": "confidence level of Student's interval",
    "rse": "relative standard error of the mean, s/(mean·√L)",
    "min_us": "smallest launch median",
    "max_us": "largest launch median",
    "mode_ratio": "ratio between the two groups into which the launches fall; empty where they do not",
    "modes_by_block": "whether those groups are whole blocks, of the other stacks too: a regime of the machine",
    "clock_error_us": "median over launches of the worst known clock error",
    "overhead_us": "what the engine adds to the value where everybody waits for everybody: median over launches of the "
    "time of an empty operation; empty where a launch did not measure it",
    "overhead_low_us": "what it adds at least: lower end of the interval over launches of the same, counted from the "
    "last start on",
    "overhead_high_us": "what it adds at most: upper end of the interval over launches of `overhead_us`",
}
#: Columns of `summary.csv`.
SUMMARY_COLUMNS = {
    **KEYS,
    **COUNTS,
    **STATISTICS,
    **INTERVAL_COLUMNS,
    "verdict": "`ok`, or why the row is not reliable",
    "reliable": "whether the row is reliable",
    "reason": "why it is not reliable, in words",
}


#: Times of `measurements` that are those of a run, and what bounds their error.
OF_RUN = (
    "first_call_us", "second_call_us", "mean_us", "se_us", "ci_low_us", "ci_high_us", "median_us", "median_low_us",
    "median_high_us", "min_us", "max_us", "local_median_us", "clock_error_us", "overhead_us", "overhead_from_last_us",
    "rank_avg_us", "rank_min_us", "rank_max_us", "rank_zero_us", "late_rank0_first_us", "late_rank0_second_us",
    "late_rank0_later_us",
    "late_slowest_first_us", "late_slowest_second_us", "late_slowest_later_us", "late_span_first_us",
    "from_last_median_us", "from_last_min_us", "from_last_max_us",
    "cold_first_use_us",
)  # fmt: skip


#: What of a launch holds for each of its rows.
OF_LAUNCH = ("file", "simulated", "overhead_us", "overhead_from_last_us")


def joined(launches: pd.DataFrame, measurements: pd.DataFrame) -> pd.DataFrame:
    """`measurements` with what their launch says: RESULT_KEY, ALLOCATION and OF_LAUNCH columns for every row.

    Times are those that are told from here on: of HALVED operations one way, where the store has there and back.
    `launches`: launch_id and those columns.
    """
    rows = measurements.merge(
        launches[["launch_id", "stack", *POINT, *ALLOCATION, *OF_LAUNCH]], on="launch_id", how="left"
    )
    halved = rows["operation"].isin(list(HALVED)).to_numpy()
    return rows.assign(**{name: rows[name].where(~halved, rows[name] / 2) for name in OF_RUN if name in rows})


def usable(rows: pd.DataFrame) -> pd.DataFrame:
    """The launches' rows that statistics rest on: those with a time of the operation.

    A launch that is only `unstable`, or had no quiet time, stays: leaving it out would select the quiet launches.

    `rows`: verdict and median_us of each, and whatever else.
    """
    return rows[is_usable(rows)]


def is_usable(rows: pd.DataFrame) -> NDArray[np.bool_]:
    """Which of the rows `usable` keeps."""
    return np.asarray(rows["verdict"].isin(list(USABLE)) & rows["median_us"].notna(), dtype=np.bool_)


def summarise(planned: pd.DataFrame, rows: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """`SUMMARY_COLUMNS`, one row for each planned row, in the plan's order.

    `planned`: RESULT_KEY and launches_planned. `rows`: `measurements` joined with its launches.
    """
    numbers, count = row_numbers(planned, rows), len(planned)
    rows, numbers = rows[numbers >= 0], numbers[numbers >= 0]
    verdicts, reasons = result_verdicts(rows, numbers, count)
    used = is_usable(rows)
    ok = rows["verdict"].to_numpy() == "ok"
    table = planned[[*RESULT_KEY, "launches_planned"]].reset_index(drop=True)
    table = table.assign(
        launches=np.bincount(numbers, minlength=count),
        launches_ok=np.bincount(numbers[ok], minlength=count),
        launches_used=np.bincount(numbers[used], minlength=count),
        **_statistics(rows[used], numbers[used], count, confidence),
        verdict=verdicts,
        reliable=[is_reliable(verdict) for verdict in verdicts],
        reason=reasons,
        modes_by_block=False,
    )
    table["modes_by_block"] = regimes.by_block(table, rows[used])
    return table.assign(**intervals(table, rows[used], confidence))[list(SUMMARY_COLUMNS)]


def row_numbers(planned: pd.DataFrame, rows: pd.DataFrame) -> Index:
    """Return the index of the planned row of each of `rows`, -1 for none. Both have RESULT_KEY, `planned` once each."""
    numbered = planned[RESULT_KEY].assign(number=np.arange(len(planned)))
    numbers = rows[RESULT_KEY].merge(numbered, on=RESULT_KEY, how="left")["number"]
    return numbers.fillna(-1).to_numpy(dtype=np.intp)


def in_plan_order(table: pd.DataFrame, summary: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """`table` in the order of the summary. Both have the columns `keys`; what the summary lacks is left out."""
    return summary[keys].drop_duplicates().merge(table, on=keys, how="inner")


def _statistics(used: pd.DataFrame, numbers: Index, count: int, confidence: float) -> dict[str, Values]:
    """`STATISTICS` but for `modes_by_block`, shapes (count,), from the launches that they rest on."""
    statistics = {name: np.full(count, nan) for name in STATISTICS if name != "modes_by_block"}
    columns = (
        used["median_us"],
        used["mean_us"].fillna(used["median_us"]),
        used["clock_error_us"],
        used["overhead_us"],
        used["overhead_from_last_us"],
    )
    values, means, clock, most, least = (column.to_numpy(dtype=np.float64) for column in columns)
    for positions, places in by_count(numbers, count):
        each = values[places]
        interval, mean = median_interval(each, confidence), mean_estimate(means[places], confidence)
        for name, numbers_ in {
            "median_us": np.median(each, axis=1),
            "median_low_us": interval.low,
            "median_high_us": interval.high,
            "median_confidence": interval.confidence,
            "mean_us": mean.mean,
            "se_us": mean.se,
            "ci_low_us": mean.low,
            "ci_high_us": mean.high,
            "confidence": confidence,
            "rse": mean.rse,
            "min_us": each.min(axis=1),
            "max_us": each.max(axis=1),
            "mode_ratio": gap(each),
            "clock_error_us": known_medians(clock[places]),
            "overhead_us": np.median(most[places], axis=1),
            "overhead_low_us": _all_known(least[places], median_interval(least[places], confidence).low),
            "overhead_high_us": _all_known(most[places], median_interval(most[places], confidence).high),
        }.items():
            statistics[name][positions] = numbers_
    return statistics


def _all_known(values: Values, of_each: Values) -> Values:
    """`of_each`, shape (R,), but NaN if one of the values of a row, shape (R, n), is."""
    return np.where(np.isnan(values).any(axis=1), nan, of_each)
