# SPDX-License-Identifier: BSD-3-Clause
"""How far starts were apart, and how many runs were discarded because of it."""

from __future__ import annotations

import pandas as pd
import pytest

from isochron.postprocess.ingest.inputs import RESULT_KEY, RunInputs
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.verdicts.table import STARTS, VERDICTS, start_table

KEY = dict(zip(RESULT_KEY, ("mpich-5.0", "bcast", 8, 4, 2, "packed"), strict=True))


def rows(*launches: tuple[int, int, int, float]) -> pd.DataFrame:
    """Launches of one row: runs made, late, overrun; skew in µs."""
    columns = ["reps_made", "invalid_late_start", "invalid_overrun", "start_skew_us"]
    table = pd.DataFrame(launches, columns=pd.Index(columns)).assign(slot_us=30.0, **KEY)
    return table.assign(reps_valid=table["reps_made"] - table["invalid_late_start"] - table["invalid_overrun"])


def test_shares_and_medians() -> None:
    table = start_table(
        rows((100, 5, 0, 1.0), (100, 25, 10, 3.0), (200, 0, 0, 2.0)), pd.DataFrame([KEY | {"median_us": 40.0}])
    )
    (row,) = table.to_dict("records")
    assert (row["launches"], row["reps_made"]) == (3, 400)
    assert row["late_start"] == pytest.approx(30 / 400)
    assert row["overrun"] == pytest.approx(10 / 400)
    assert row["discarded"] == pytest.approx(40 / 400)
    assert (row["slot_us"], row["start_skew_us"], row["skew_share"]) == (30.0, 2.0, 0.05)


def test_no_run_and_no_value_make_no_share() -> None:
    table = start_table(rows((0, 0, 0, float("nan"))), pd.DataFrame([KEY | {"median_us": float("nan")}]))
    assert table[["discarded", "late_start", "overrun", "skew_share"]].isna().all(axis=None)


def test_it_agrees_with_the_verdicts(demo: RunInputs, demo_analysis: Analysis) -> None:
    found = pd.read_csv(demo.layout.tables / STARTS.file).merge(
        demo_analysis[VERDICTS], on=RESULT_KEY, suffixes=("", "_there")
    )
    assert len(found) == len(demo_analysis[VERDICTS])
    assert found["discarded"].to_numpy() == pytest.approx(
        (1 - found["reps_valid"] / found["reps_made_there"]).to_numpy(), abs=1e-6
    )
    assert found["discarded"].between(0.02, 0.15).all()  # made up: one run in twelve
