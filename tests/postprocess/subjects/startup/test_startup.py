# SPDX-License-Identifier: BSD-3-Clause
"""Start and end of a launch, from the raw file to table, finding and section, with known ratios."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.analysis.analyse import analyse
from isochron.postprocess.ingest.ingest import ingest
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.section import Source
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.startup.finding import beyond, startup
from isochron.postprocess.subjects.startup.section import build
from isochron.postprocess.subjects.startup.table import STARTUP, startup_table
from isochron.schemas.run.next_blocks import Flagged
from tests.postprocess.synthetic import whole

STACKS = ("mpich-5.0", "openmpi-5.0")
STEPS = ("launcher", "loading", "init", "first message", "first barrier", "finalize")


def launches(factors: Mapping[str, float], blocks: int, seed: int = 1) -> pd.DataFrame:
    """One launch of each stack in each block, whose machine is slow or fast as a whole; times by factor."""
    rng = np.random.default_rng(seed)
    lines = []
    for block in range(blocks):
        machine = np.exp(rng.normal(0, 0.5))
        for stack, factor in factors.items():
            time = 1e5 * factor * machine * np.exp(rng.normal(0, 0.01))
            lines.append((stack, 2, 2, "packed", block, 1, "init", 0.5 * time, time))
    names = ["stack", "processes", "processes_per_node", "placement", "block", "attempt", "step"]
    return pd.DataFrame(lines, columns=[*names, "median_us", "all_us"])


def test_the_ratio_is_within_blocks() -> None:
    """The machine changes by more than the stacks differ."""
    table = startup_table(launches({"mpich-5.0": 1.0, "openmpi-5.0": 1.5}, 8), STACKS, 0.95)
    first, second = table.to_dict("records")
    assert np.isnan(first["ratio"]) and first["launches"] == second["launches"] == 8
    assert second["ratio_low"] < second["ratio"] < second["ratio_high"]
    assert second["ratio"] == pytest.approx(1.5, rel=0.02) and second["ratio_confidence"] >= 0.95
    assert first["low_ms"] < first["median_ms"] < first["high_ms"] <= first["max_ms"]
    assert first["process_ms"] == pytest.approx(first["median_ms"] / 2)
    assert list(beyond(table, 0.1)["stack"]) == ["openmpi-5.0"]
    assert not len(beyond(table, 0.6))


@pytest.mark.parametrize("blocks", [1, 2])
def test_few_blocks_have_no_ratio(blocks: int) -> None:
    table = startup_table(launches({"mpich-5.0": 1.0, "openmpi-5.0": 1.5}, blocks), STACKS, 0.95)
    assert table["ratio"].isna().all() and table["launches"].tolist() == [blocks, blocks]


def test_a_time_of_zero_has_no_ratio() -> None:
    """As of programs that are loaded within a step of the kernel's clock."""
    frame = launches({"mpich-5.0": 0.0, "openmpi-5.0": 1.5}, 8)
    assert startup_table(frame, STACKS, 0.95)["ratio"].isna().all()


def test_intervals_cover_the_ratio() -> None:
    """Of equal stacks few intervals lie beyond 0: at most what their confidence allows, and 3 standard errors."""
    worlds = 400
    missed = 0
    for seed in range(worlds):
        row = startup_table(launches({"mpich-5.0": 1.0, "openmpi-5.0": 1.0}, 8, seed), STACKS, 0.95).iloc[1]
        missed += not row["ratio_low"] <= 1 <= row["ratio_high"]
    assert missed / worlds < 0.05 + 3 * np.sqrt(0.05 * 0.95 / worlds)


def add_start(inputs: RunInputs, factor: float) -> None:
    """Write into all raw files how long the start took: with the second stack `factor` times as long."""
    for number, path in enumerate(sorted(inputs.layout.launches.glob("*.jsonl"))):
        records: list[Any] = [json.loads(line) for line in path.read_text().splitlines()[:-1]]
        times = factor if records[0]["launch"]["stack"] == inputs.campaign.stacks[1] else 1.0
        one = int(2e8 * times) + number
        step = {"min_ns": one // 2, "median_ns": one * 0.75, "max_ns": one, "all_ns": one}
        records[0]["startup"] = dict.fromkeys(("loading", "init", "first_message", "first_barrier"), step)
        records[0]["processes_began_ns"] = 1_764_340_000_123_456_789 + one
        records[0]["launch"]["launched_at"] = "1764340000.123456789"
        path.write_bytes(whole(records))


@pytest.mark.heavy
def test_from_raw_files_to_the_section(small: RunInputs) -> None:
    add_start(small, 2.0)
    ingest(small)
    analysis = analyse(small)
    table = analysis[STARTUP]
    assert set(table["step"]) == set(STEPS) - {"finalize"}
    assert set(table["stack"]) == set(small.campaign.stacks)
    assert table["median_ms"].between(199, 401).all()
    findings = startup(small, analysis)
    view = build(Source(small, analysis, findings, []))
    assert view is not None and len(view.rows) == len(table) and view.baseline == small.campaign.stacks[0]
    compared = table["ratio"].notna()
    assert bool(findings) == bool(compared.any())
    assert table.loc[compared, "ratio"].tolist() == pytest.approx([2.0] * int(compared.sum()), rel=1e-3)


@pytest.mark.heavy
def test_without_times_there_is_no_section(small: RunInputs) -> None:
    ingest(small)
    analysis = analyse(small)
    assert not len(analysis[STARTUP])
    assert build(Source(small, analysis, [], [])) is None and not startup(small, analysis)


def test_the_finding_names_the_largest_difference(small: RunInputs) -> None:
    frame = pd.concat(
        [launches({"a": 1.0, "b": 1.5, "c": 0.25}, 8), launches({"a": 1.0, "b": 1.0}, 8).assign(step="loading")]
    )
    stacks = ["a", "b", "c"]
    table = startup_table(frame, stacks, 0.95)
    inputs = replace(small, campaign=small.campaign.model_copy(update={"stacks": stacks}))
    (finding,) = startup(inputs, Analysis(pd.DataFrame(), Flagged(rows=[], points=[]), {STARTUP.name: table}))
    assert "than with a in 2 cases, most of all the MPI_Init of c with 2 processes on one node: 0.2" in finding.text
    assert finding.numbers["stack"] == "c" and finding.numbers["step"] == "init" and len(finding.details) == 2
