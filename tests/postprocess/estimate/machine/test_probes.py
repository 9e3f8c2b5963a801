# SPDX-License-Identifier: BSD-3-Clause
"""Interference launch by launch, and its course along the run."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.estimate.machine.probes import (
    MAX_OF_A_LAUNCH,
    MOST,
    PROBE_COLUMNS,
    PROBE_SERIES_COLUMNS,
    probe_series,
    probe_table,
)
from isochron.postprocess.ingest.ingest import ingest
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.postprocess.ingest.store import read_table
from tests.postprocess.synthetic import Spec, write_run


def launches(count: int) -> pd.DataFrame:
    """Launches of one point, ten seconds apart, that take ten seconds."""
    numbers = range(count)
    return pd.DataFrame(
        {
            "launch_id": [f"r.{number}" for number in numbers],
            "stack": "mpich-5.0", "processes": 2, "processes_per_node": 2, "placement": "packed",
            "block": [number + 1 for number in numbers], "attempt": 1, "launch": 1,
            "started_at": [pd.Timestamp("2026-05-04T08:00:00Z") + pd.Timedelta(seconds=10 * n) for n in numbers],
            "duration_s": 10.0, "gate_limit_ns": [250.0 if n == 2 else float("nan") for n in numbers],
            "gate_extra_s": [2.0 if n == 2 else float("nan") for n in numbers], "network_by": "",
        }
    )  # fmt: skip


def readings(launch: int, cache_line_ns: Sequence[float | None], network_us: float = nan, by: str = "") -> pd.DataFrame:
    """Readings of a launch, evenly over its ten seconds."""
    count = len(cache_line_ns)
    return pd.DataFrame(
        {
            "launch_id": f"r.{launch}", "t_s": [10.0 * index / count for index in range(count)],
            "cache_line_ns": np.array(cache_line_ns, dtype=np.float64), "compute_ns": 970.0, "copy_gbs": 20.0,
            "switches": 1.0, "waited_us": 1000.0, "steal_ms": 10.0, "frequency_mhz": nan,
            "network_us": network_us, "network_by": by,
        }
    )  # fmt: skip


def test_a_launch_is_compared_with_all_of_its_point() -> None:
    probes = pd.concat([readings(0, [100.0] * 4), readings(2, [300.0] * 3 + [None]), readings(1, [100.0] * 4)])
    table = probe_table(launches(4), probes, pd.Series({"r.2": 40}))
    assert list(table.columns) == list(PROBE_COLUMNS)
    assert table["block"].tolist() == [1, 2, 3]
    assert table["readings"].tolist() == [4, 4, 3]
    assert table["cache_line_ratio"].tolist() == [1.0, 1.0, 3.0]
    assert table["switches"].tolist() == [4.0] * 3
    assert table["waited_share"].tolist() == pytest.approx([4e-4] * 3)
    assert table["steal_share"].tolist() == pytest.approx([4e-3] * 3)
    assert table["frequency_mhz"].isna().all()
    assert table["disturbed_reps"].tolist() == [0, 0, 40]
    assert table["extra_share"].fillna(-1).tolist() == [-1, -1, 0.2]


def test_the_network_of_a_launch_is_compared_with_what_was_read_alike() -> None:
    """By datagrams with all launches of the point, by a library itself with those of that stack."""
    all_launches = launches(5).assign(network_by=["udp", "udp", "mpi", "mpi", "mpi"])
    all_launches["stack"] = ["a", "b", "a", "a", "b"]
    trips = [30.0, 90.0, 4.0, 8.0, 20.0]
    by = all_launches["network_by"]
    probes = pd.concat([readings(n, [100.0] * 3, trip, by[n]) for n, trip in enumerate(trips)])
    table = probe_table(all_launches, probes, pd.Series(dtype="int64"))
    assert table["network_us"].tolist() == trips == table["network_low_us"].tolist()
    assert table["network_ratio"].tolist() == pytest.approx([0.5, 1.5, 4 / 6, 8 / 6, 1.0])


def test_the_course_of_the_network_is_that_of_datagrams() -> None:
    """Where no processes share a cache line, too; what a library has read itself is no interference."""
    probes = pd.concat([readings(0, [None] * 4, 30.0, "udp"), readings(1, [None] * 4, 5.0, "mpi")])
    course = probe_series(launches(2), probes)
    assert set(course["launch_id"]) == {"r.0"}
    assert course["network_us"].tolist() == [30.0] * 4 and course["cache_line_ns"].isna().all()
    assert not course["gated"].any()


def test_the_course_has_few_points_in_the_order_of_time() -> None:
    many = [100.0] * 5000 + [300.0] * 5000
    course = probe_series(launches(2), pd.concat([readings(1, many), readings(0, [50.0])]))
    assert list(course.columns) == list(PROBE_SERIES_COLUMNS)
    assert course["launch_id"].tolist() == ["r.0"] + ["r.1"] * MAX_OF_A_LAUNCH
    assert course["cache_line_ns"].tolist() == [50.0] + [100.0] * 10 + [300.0] * 10
    assert course["at_s"].is_monotonic_increasing and course["at_s"].between(0, 20).all()


def test_the_course_says_what_was_gated() -> None:
    """Above the launch's own limit; a launch without a gate has none."""
    course = probe_series(launches(3), pd.concat([readings(1, [300.0] * 4), readings(2, [100.0, 300.0, 300.0])]))
    gated = course.groupby("launch_id")["gated"].apply(list)
    assert (gated["r.1"], gated["r.2"]) == ([False] * 4, [False, True, True])


def test_many_launches_are_a_point_each() -> None:
    all_of_them = launches(2 * MOST)
    names = all_of_them["launch_id"]
    probes = pd.concat([readings(0, [100.0, 110.0])] * len(names)).assign(launch_id=names.repeat(2).to_numpy())
    assert probe_series(all_of_them, probes)["launch_id"].tolist() == names.tolist()


def test_without_readings_there_is_nothing(tmp_path: Path) -> None:
    old = load_inputs(write_run(tmp_path / "run", Spec(launches=1, probes=False)))
    ingest(old)
    frames = read_table(old.layout, "launches"), read_table(old.layout, "probes")
    assert probe_table(*frames, pd.Series(dtype="int64")).empty and probe_series(*frames).empty


def test_of_a_run(small: RunInputs) -> None:
    """Every third block was made slow."""
    ingest(small)
    table = probe_table(
        read_table(small.layout, "launches"), read_table(small.layout, "probes"), pd.Series(dtype="int64")
    )
    assert len(table) == 16
    ratio = table.groupby("block")["cache_line_ratio"].unique()
    assert {block: found.tolist() for block, found in ratio.items()} == {1: [1.0], 2: [1.0], 3: [3.0], 4: [1.0]}
