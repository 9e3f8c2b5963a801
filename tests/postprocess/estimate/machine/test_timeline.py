# SPDX-License-Identifier: BSD-3-Clause
"""The launches in order of time: load, regimes and where they change, what was gated."""

from __future__ import annotations

from math import nan

import pandas as pd

from isochron.postprocess.estimate.machine.probes import PROBE_COLUMNS
from isochron.postprocess.estimate.machine.provenance import Observation
from isochron.postprocess.estimate.machine.timeline import TIMELINE_COLUMNS, timeline

POINT = {"processes": 2, "processes_per_node": 2, "placement": "packed"}
#: Cache line against its usual time, launch after launch; NaN where nothing was read.
RATIOS = [1.0, 1.2, 3.0, nan, 2.5, 0.9, 0.4]
REGIMES = ["usual", "usual", "slow", "", "slow", "usual", "fast"]


def made() -> tuple[pd.DataFrame, pd.DataFrame]:
    start = pd.Timestamp("2026-05-04T08:00:00Z")
    key = [{**POINT, "stack": "a", "block": number, "attempt": 1, "launch": 1} for number in range(len(RATIOS))]
    launches = pd.DataFrame(
        [
            {
                **own,
                "launch_id": f"run.b{number}",
                "started_at": start + pd.Timedelta(seconds=10 * number),
                "duration_s": 4.0,
            }
            for number, own in enumerate(key)
        ]
    )
    probes = pd.DataFrame(
        [
            {**own, "cache_line_ratio": ratio, "disturbed_reps": 7 * (number == 2)}
            for number, (own, ratio) in enumerate(zip(key, RATIOS, strict=True)) if ratio == ratio  # noqa: PLR0124
        ]
    )  # fmt: skip
    return launches.iloc[::-1], probes.reindex(columns=list(PROBE_COLUMNS))


def test_regimes_and_their_changes_are_those_that_were_put_in() -> None:
    launches, probes = made()
    observed = [
        Observation("b1", "a", host, "load_average", value)
        for host, value in (("n0", "0.5"), ("n1", "3.2"), ("n2", "not known"))
    ]
    factors = pd.DataFrame({"launch_id": ["run.b4"], "factor": [2.4]})
    found = timeline(launches, observed, factors, probes, "run")
    assert list(found.columns) == list(TIMELINE_COLUMNS)
    assert found["block"].tolist() == list(range(len(RATIOS)))
    assert found["at_s"].tolist() == [10.0 * number for number in range(len(RATIOS))]
    assert found["regime"].tolist() == REGIMES
    assert found.loc[found["regime_change"], "block"].tolist() == [2, 5, 6]
    assert found["load"].dropna().to_dict() == {1: 3.2}
    assert found["factor"].dropna().to_dict() == {4: 2.4}
    assert found["gated_reps"].tolist() == [0, 0, 7, 0, 0, 0, 0]


def test_a_run_without_probes_has_no_regimes() -> None:
    launches, probes = made()
    found = timeline(launches, [], pd.DataFrame({"launch_id": [], "factor": []}), probes.iloc[:0], "run")
    assert set(found["regime"]) == {""} and not found["regime_change"].any() and found["load"].isna().all()
