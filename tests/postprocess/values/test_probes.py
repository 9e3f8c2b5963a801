# SPDX-License-Identifier: BSD-3-Clause
"""What the probes read beside a row, and values in the usual weather."""

from __future__ import annotations

from math import nan

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.reading.inputs import KEYS
from isochron.postprocess.values.adjusted import adjusted_values
from isochron.postprocess.values.probes import beside

POINT = {"processes": 4, "processes_per_node": 4, "placement": "packed"}


def test_readings_of_the_row_itself_and_else_of_the_launch() -> None:
    weather = pd.DataFrame(
        {
            "launch_id": ["one", "one", "one", "one", "two"],
            "operation": ["", "bcast", "bcast", "reduce", "bcast"],
            "bytes": [0, 8, 8, 8, 8],
            "cache_line_ns": [500.0, 100.0, 120.0, 90.0, nan],
            "copy_gbs": [nan, nan, 20.0, 0.0, nan],
        }
    )
    keys = [("one", "bcast", 8), ("one", "barrier", 0), ("two", "bcast", 8), ("three", "bcast", 8)]
    rows = pd.DataFrame(keys, columns=pd.Index(["launch_id", "operation", "bytes"]), index=[5, 3, 4, 9])
    found = beside(rows, weather)
    assert found.index.tolist() == [5, 3, 4, 9]
    assert found["cache_line_ns"].tolist()[:2] == [110, 110]
    assert found["copy_gbs"].tolist()[:2] == [20, 20]
    assert found[["cache_line_ns", "copy_gbs"]].iloc[2:].isna().all(axis=None)


def rows(line: np.ndarray, times: np.ndarray) -> pd.DataFrame:
    """Twelve launches of one row, a block each."""
    number = range(len(times))
    return pd.DataFrame(
        {"stack": "a", "operation": "bcast", "bytes": 8, **POINT, "block": number, "attempt": 1, "simulated": False,
         "launch_id": [f"l{each:02}" for each in number], "median_us": times, "cache_line_ns": line, "copy_gbs": nan}
    )  # fmt: skip


def test_the_value_in_usual_weather() -> None:
    """Half of the launches met a line of 100 ns, three in twelve one of 400: times follow it with a slope of 1/2."""
    rng = np.random.default_rng(2)
    line = 100 * np.r_[np.ones(5), 2, 2, 4, 4, 4, 4, 4] * np.exp(rng.normal(0, 0.01, 12))
    used = rows(line, 10 * np.sqrt(line / 100) * np.exp(rng.normal(0, 0.01, 12)))
    planned = used[list(KEYS)].drop_duplicates()
    found = pd.DataFrame(adjusted_values(planned, used, 0.95)).iloc[0]
    assert found["adjusted_by"] == "cache_line_ns"
    assert found["adjusted_slope"] == pytest.approx(0.5, abs=0.03)
    assert found["adjusted_us"] == pytest.approx(10 * np.sqrt(2), rel=0.03)
    assert found["adjusted_low_us"] < found["adjusted_us"] < found["adjusted_high_us"]
    assert found["adjusted_high_us"] / found["adjusted_low_us"] < 1.05
    assert found["adjusted_rse"] == pytest.approx(0.01 / np.sqrt(12), rel=0.5)
    nothing = pd.DataFrame(adjusted_values(planned, used.drop(columns=["cache_line_ns", "copy_gbs"]), 0.95)).iloc[0]
    assert nothing["adjusted_by"] == "" and np.isnan(nothing["adjusted_us"])


def test_a_probe_that_says_nothing_leaves_the_value_as_it_is() -> None:
    rng = np.random.default_rng(3)
    used = rows(np.exp(rng.normal(0, 1, 12)), 10 * np.exp(rng.normal(0, 0.02, 12)))
    found = pd.DataFrame(adjusted_values(used[list(KEYS)].drop_duplicates(), used, 0.95)).iloc[0]
    assert (found["adjusted_by"], found["adjusted_slope"]) == ("none", 0)
    assert found["adjusted_us"] == pytest.approx(used["median_us"].median())
    times = used["median_us"]
    assert found["adjusted_rse"] == pytest.approx(times.std() / times.mean() / np.sqrt(12))
