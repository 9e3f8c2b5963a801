# SPDX-License-Identifier: BSD-3-Clause
"""The summary by arrays is that of a loop over rows, to the last bit."""

from __future__ import annotations

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.values.summary import SUMMARY_COLUMNS, summarise, usable
from isochron.postprocess.estimate.values.verdicts import verdict_of
from isochron.postprocess.ingest.inputs import RESULT_KEY
from isochron.stats.groups import gap
from isochron.stats.launches import mean_estimate, median_interval

VERDICTS = ["ok", "ok", "ok", "ok", "unstable", "clock-limited", "failed-check", "not-supported", "too-few-valid"]


def made(rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Planned rows, and 0 to 12 launches of each in mixed order; some without a time or a clock error."""
    planned = pd.DataFrame(
        [("a", "bcast", size, 4, 4, "packed", 10) for size in range(120)], columns=[*RESULT_KEY, "launches_planned"]
    )
    rows = planned.iloc[np.repeat(np.arange(120), rng.integers(0, 13, 120))].drop(columns="launches_planned")
    count = len(rows)
    values = rng.choice([1.0, 1.0, 5.0], count) * rng.lognormal(sigma=0.05, size=count).round(3)
    kept = rng.random(count) > 0.05
    rows = rows.assign(
        median_us=np.where(kept, values, np.nan),
        mean_us=np.where(rng.random(count) > 0.1, values * 1.01, np.nan),
        clock_error_us=np.where(rng.random(count) > 0.3, rng.random(count), np.nan),
        overhead_us=np.where((rows["bytes"] % 7 == 0) & (rng.random(count) > 0.5), np.nan, rng.random(count)),
        overhead_from_last_us=rng.random(count),
        verdict=np.where(rows["bytes"] % 2, "ok", rng.choice(VERDICTS, count)),
        reason="why",
        simulated=rows["bytes"] % 5 == 0,
        block=1,
        attempt=1,
        launch_id=[str(number) for number in range(count)],
    )
    return planned, rows.sample(frac=1, random_state=1)


def overhead(used: pd.DataFrame) -> list[float]:
    """What the engine adds to the value, and the ends of that; nothing where a launch does not know it."""
    most, least = used["overhead_us"], used["overhead_from_last_us"]
    ends = [median_interval(least.to_numpy(), 0.95).low, median_interval(most.to_numpy(), 0.95).high]
    return [np.nan, float(ends[0]), np.nan] if most.isna().any() else [most.median(), *map(float, ends)]


def test_as_a_loop_over_rows() -> None:
    planned, rows = made(np.random.default_rng(2))
    table = summarise(planned, rows, 0.95)
    assert list(table.columns) == list(SUMMARY_COLUMNS)
    for found in table.to_dict("records"):
        group = rows[rows["bytes"] == found["bytes"]]
        used, verdict = usable(group), verdict_of(group)
        shown = (found["verdict"], found["reliable"], found["reason"])
        assert shown == (verdict.verdict, verdict.reliable, verdict.reason)
        assert (found["launches"], found["launches_used"]) == (len(group), len(used))
        if not len(used):
            assert np.isnan(found["median_us"])
            continue
        medians = used["median_us"].to_numpy()
        means = used["mean_us"].fillna(used["median_us"]).to_numpy()
        interval, mean = median_interval(medians, 0.95), mean_estimate(means, 0.95)
        if not found["interval_validity"]:  # else it may be that over blocks
            ends = [found["median_low_us"], found["median_high_us"], found["median_confidence"]]
            assert ends == [interval.low, interval.high, interval.confidence]
        expected = [np.median(medians), mean.mean, mean.se, mean.rse]
        expected += [gap(medians), used["clock_error_us"].median(), *overhead(used)]
        names = ["median_us", "mean_us", "se_us", "rse"]
        names += ["mode_ratio", "clock_error_us", "overhead_us", "overhead_low_us", "overhead_high_us"]
        assert np.array_equal([found[name] for name in names], np.array(expected, dtype=float), equal_nan=True)
