# SPDX-License-Identifier: BSD-3-Clause
"""Curves that grow faster than the process count: which are named, and how far their intervals reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.random import Generator

from isochron.postprocess.estimate.models import growth as module
from isochron.postprocess.estimate.models.growth import GROWTH_COLUMNS, growth
from isochron.postprocess.estimate.models.results import models
from isochron.postprocess.ingest.inputs import RESULT_KEY
from isochron.schemas.input.analysis import ModelOptions

COUNTS = [4, 8, 16, 32, 64, 128]


def launches(rng: Generator, power: float, spread: float = 0.02, simulated: bool = False) -> pd.DataFrame:
    """Ten blocks of a curve 5 + 0.1 p^power in µs, all counts in each block; one launch of a simulated one."""
    lines: list[dict[str, Any]] = []
    for block in range(1 if simulated else 10):
        of_block = rng.normal(0, 0.3)
        for count in COUNTS:
            time = (5 + 0.1 * count**power) * (1 if simulated else np.exp(of_block + rng.normal(0, spread)))
            key = dict(zip(RESULT_KEY, ("a", "alltoall", 64, count, 4, "packed"), strict=True))
            lines.append(key | {"block": block, "attempt": 1, "median_us": time, "simulated": simulated})
    return pd.DataFrame(lines)


def grown(rows: pd.DataFrame) -> pd.DataFrame:
    summary = rows.groupby(RESULT_KEY, sort=False, as_index=False)["median_us"].median()
    summary = summary.assign(reliable=True, median_low_us=summary["median_us"], median_high_us=summary["median_us"])
    return growth(rows, summary, models(summary, ModelOptions()).forms, 0.95, 1)


def test_a_superlinear_curve_is_extrapolated_with_its_interval() -> None:
    table = grown(launches(np.random.default_rng(1), 1.5))
    assert list(table.columns) == list(GROWTH_COLUMNS)
    (row,) = table.to_dict("records")
    truth = 5 + 0.1 * 256**1.5
    assert (row["largest"], row["at_processes"], row["refits"]) == (128, 256, "allocations")
    assert row["superlinear"] and row["growth"] == pytest.approx(truth / (5 + 0.1 * 128**1.5), rel=0.03)
    assert row["expected_low_us"] < row["expected_us"] < row["expected_high_us"]
    assert 2 < row["growth_low"] < row["growth"] < row["growth_high"]


@pytest.mark.parametrize("power", [0.5, 1.0])
def test_linear_growth_and_less_is_not_superlinear(power: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REFITS", 39)
    for seed in range(6):
        assert not grown(launches(np.random.default_rng(seed), power))["superlinear"].any()


def test_a_simulated_curve_has_the_range_of_its_refits() -> None:
    (row,) = grown(launches(np.random.default_rng(2), 1.5, simulated=True)).to_dict("records")
    assert row["refits"] == "count"
    assert row["superlinear"] and row["expected_us"] == pytest.approx(5 + 0.1 * 256**1.5)
    assert row["expected_low_us"] == pytest.approx(row["expected_high_us"])


def test_five_counts_cannot_be_refitted_without_one() -> None:
    rows = launches(np.random.default_rng(3), 1.5)
    assert len(grown(rows[rows["processes"] > 4])) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("power", "least"), [(1.5, 0.9), (2.0, 0.9)])
def test_the_interval_covers_the_expected_growth(power: float, least: float) -> None:
    """Of 200 curves: the growth, since what a block does to all counts is no part of it."""
    truth = (5 + 0.1 * 256**power) / (5 + 0.1 * 128**power)
    rows = [grown(launches(np.random.default_rng(seed), power)).iloc[0] for seed in range(200)]
    covered = np.mean([row["growth_low"] <= truth <= row["growth_high"] for row in rows])
    assert covered >= least


@pytest.mark.slow
def test_linear_curves_are_rarely_called_superlinear() -> None:
    found = [grown(launches(np.random.default_rng(seed), 1.0))["superlinear"].any() for seed in range(200)]
    assert np.mean(found) <= 0.05
