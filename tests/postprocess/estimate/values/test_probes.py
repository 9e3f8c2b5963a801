# SPDX-License-Identifier: BSD-3-Clause
"""What the probes read beside a row, and values in the usual interference."""

from __future__ import annotations

from math import nan

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.estimate.values.adjusted import adjusted_values
from isochron.postprocess.estimate.values.launches import PROBES, beside
from isochron.postprocess.ingest.inputs import KEYS

POINT = {"processes": 4, "processes_per_node": 4, "placement": "packed"}


def test_readings_of_the_row_itself_and_else_of_the_launch() -> None:
    probes = pd.DataFrame(
        {
            "launch_id": ["one", "one", "one", "one", "two"],
            "operation": ["", "bcast", "bcast", "reduce", "bcast"],
            "bytes": [0, 8, 8, 8, 8],
            "cache_line_ns": [500.0, 100.0, 120.0, 90.0, nan],
            "copy_gbs": [nan, nan, 20.0, 0.0, nan],
            "network_us": [nan, nan, 30.0, nan, nan],
            "network_by": "udp",
        }
    )
    keys = [("one", "bcast", 8), ("one", "barrier", 0), ("two", "bcast", 8), ("three", "bcast", 8)]
    rows = pd.DataFrame(keys, columns=pd.Index(["launch_id", "operation", "bytes"]), index=[5, 3, 4, 9])
    found = beside(rows, probes)
    assert found.index.tolist() == [5, 3, 4, 9]
    assert found["cache_line_ns"].tolist()[:2] == [110, 110]
    assert found["copy_gbs"].tolist()[:2] == [20, 20]
    assert found["network_us"].tolist()[:2] == [30, 30]
    assert found[list(PROBES)].iloc[2:].isna().all(axis=None)


def test_what_the_library_has_read_itself_is_no_probe() -> None:
    """Of the network, beside a row: what datagrams have read, never the library's own ping-pong, which stays away."""
    probes = pd.DataFrame(
        {"launch_id": ["one", "two"], "operation": "bcast", "bytes": 8, "cache_line_ns": 100.0, "copy_gbs": nan,
         "network_us": 30.0, "network_by": ["udp", "mpi"]}
    )  # fmt: skip
    keys = pd.DataFrame({"launch_id": ["one", "two"], "operation": "bcast", "bytes": 8})
    found = beside(keys, probes)
    assert found["network_us"].tolist()[0] == 30 and np.isnan(found["network_us"].tolist()[1])
    assert found["cache_line_ns"].tolist() == [100, 100]


def test_a_library_that_is_slow_in_its_own_ping_pong_is_not_excused() -> None:
    """Twelve launches whose times follow the network: by datagrams that is taken out, by the library's own never."""
    rng = np.random.default_rng(4)
    trip = 30 * np.r_[np.ones(6), 2, 2, 2, 4, 4, 4] * np.exp(rng.normal(0, 0.01, 12))
    plain = rows(np.full(12, nan), 10 * trip / 30 * np.exp(rng.normal(0, 0.01, 12)))
    for by, adjusted in (("udp", "network_us"), ("mpi", "")):
        probes = plain[["launch_id", "operation", "bytes"]].assign(
            cache_line_ns=nan, copy_gbs=nan, network_us=trip, network_by=by
        )
        used = beside(plain.drop(columns=list(PROBES)), probes)
        found = pd.DataFrame(adjusted_values(used[list(KEYS)].drop_duplicates(), used, 0.95)).iloc[0]
        assert found["adjusted_by"] == adjusted
        assert np.isnan(found["adjusted_us"]) == (by == "mpi")


def rows(line: np.ndarray, times: np.ndarray) -> pd.DataFrame:
    """Twelve launches of one row, a block each."""
    number = range(len(times))
    return pd.DataFrame(
        {"stack": "a", "operation": "bcast", "bytes": 8, **POINT, "block": number, "attempt": 1, "simulated": False,
         "launch_id": [f"l{each:02}" for each in number], "median_us": times, "cache_line_ns": line, "copy_gbs": nan,
         "network_us": nan, "candle_us": nan}
    )  # fmt: skip


def test_the_value_adjusted_for_interference() -> None:
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
    nothing = pd.DataFrame(adjusted_values(planned, used.drop(columns=list(PROBES)), 0.95)).iloc[0]
    assert nothing["adjusted_by"] == "" and np.isnan(nothing["adjusted_us"])


def test_the_value_of_the_quiet_regime() -> None:
    """Three of twelve launches met a line of 500 ns, and took as long as they liked: the others are the value."""
    rng = np.random.default_rng(5)
    line, noise = 100 * np.r_[np.ones(9), 5, 5, 5], np.exp(rng.normal(0, 0.01, 12))
    used = rows(line, 10 * noise * np.r_[np.ones(9), 1.6, 4, 2.5])
    found = pd.DataFrame(adjusted_values(used[list(KEYS)].drop_duplicates(), used, 0.95)).iloc[0]
    assert found["adjusted_by"] == "quiet" and np.isnan(found["adjusted_slope"])
    assert found["adjusted_us"] == pytest.approx(np.median(10 * noise[:9]))
    assert found["adjusted_rse"] == pytest.approx(0.01 / 3, rel=0.6)
    assert found["adjusted_low_us"] < 10 < found["adjusted_high_us"] < 10.2


def test_the_regime_is_that_of_all_stacks() -> None:
    """A stack with two launches in the regime that most others met is not told by its own other one."""
    times = 10 * np.exp(np.random.default_rng(6).normal(0, 0.01, 12))
    usual = rows(np.full(12, 100.0), times)
    unlucky = rows(100 * np.r_[1, 1, np.full(10, 5.0)], times * np.r_[1, 1, np.full(10, 3.0)])
    used = pd.concat([usual, unlucky.assign(stack="b", launch_id="b" + unlucky["launch_id"])], ignore_index=True)
    found = pd.DataFrame(adjusted_values(used[list(KEYS)].drop_duplicates(), used, 0.95))
    assert "quiet" not in set(found["adjusted_by"])


def test_a_probe_that_says_nothing_leaves_the_value_as_it_is() -> None:
    rng = np.random.default_rng(3)
    used = rows(np.exp(rng.normal(0, 1, 12)), 10 * np.exp(rng.normal(0, 0.02, 12)))
    found = pd.DataFrame(adjusted_values(used[list(KEYS)].drop_duplicates(), used, 0.95)).iloc[0]
    assert (found["adjusted_by"], found["adjusted_slope"]) == ("none", 0)
    assert found["adjusted_us"] == pytest.approx(used["median_us"].median())
    times = used["median_us"]
    assert found["adjusted_rse"] == pytest.approx(times.std() / times.mean() / np.sqrt(12))
