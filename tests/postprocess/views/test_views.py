# SPDX-License-Identifier: BSD-3-Clause
"""The views of MSU and PMB in a run of three processes, against numbers worked out again from the raw files."""

from __future__ import annotations

import json
from collections import defaultdict
from statistics import median
from typing import Any

import pandas as pd
import pytest
import yaml

from isochron.postprocess.__main__ import main
from isochron.postprocess.analysis.kept import read_again
from isochron.postprocess.reading.inputs import RunInputs, load_inputs
from isochron.postprocess.report.section import Source
from isochron.postprocess.report.sections.details.section import TABLES, build
from isochron.postprocess.tables.declaration import Table
from isochron.postprocess.tables.views.msu import MSU_TOPOLOGIES, MSU_TRANSFERS
from isochron.postprocess.tables.views.pmb import PMB_VIEW
from isochron.schemas.engine.operations import TOPOLOGIES, TRANSFERS
from tests.postprocess.synthetic import Spec, write_run

pytestmark = pytest.mark.heavy

MESSAGES = ["ping-pong", "multi-ping-pong", "ping-ping", "sendrecv", "exchange", "alltoall", "bcast"]
SPEC = Spec(
    stacks=["mpich-5.0"], operations=[*MESSAGES, *TRANSFERS, *TOPOLOGIES], sizes=[0, 1024, 2**22], processes=[3],
    processes_per_node=[3], launches=3, runs=12, truth=lambda _operation, size, _point: 250.0 + size / 900,
    analysis={"views": ["pmb", "msu"]},
)  # fmt: skip
Times = dict[tuple[str, int], float]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunInputs:
    folder = write_run(tmp_path_factory.mktemp("views") / "run", SPEC)
    for verb in ("ingest", "analyse"):
        assert main([verb, str(folder)]) == 0
    return load_inputs(folder)


@pytest.fixture(scope="module")
def times(run: RunInputs) -> Times:
    """Median over launches of the medians in the raw files, µs, there and back where that is a run."""
    found: dict[tuple[str, int], list[float]] = defaultdict(list)
    for path in run.layout.launches.glob("*.jsonl"):
        for record in map(json.loads, path.read_text().splitlines()):
            if record["record"] == "measurement":
                found[record["operation"], record["bytes"]].append(record["median_ns"] / 1e3)
    return {key: median(values) for key, values in found.items()}


def rows_of(run: RunInputs, table: Table, name: str) -> dict[tuple[Any, Any], dict[Any, Any]]:
    """The rows of a view by a column and the size."""
    found = pd.read_csv(run.layout.tables / table.file).to_dict("records")
    return {(row[name], row["bytes"]): row for row in found}


def test_pmb(run: RunInputs, times: Times) -> None:
    view = rows_of(run, PMB_VIEW, "benchmark")
    for name, operation, counted, part, active in (
        ("PingPong", "ping-pong", 1, 0.5, 2), ("Multi-PingPong", "multi-ping-pong", 1, 0.5, 2),
        ("PingPing", "ping-ping", 1, 1, 2), ("Sendrecv", "sendrecv", 2, 1, 3), ("Exchange", "exchange", 4, 1, 3),
        ("Alltoall", "alltoall", 9, 1, 3),
    ):  # fmt: skip
        for size in SPEC.sizes:
            row, time = view[name, size], times[operation, size] * part
            assert row["time_us"] == pytest.approx(time, rel=1e-6)
            assert row["mib_per_s"] == pytest.approx(counted * size / (1.048576 * time), rel=1e-6)
            assert row["active"] == active and row["processes"] == 3
    assert [view["PingPong", size]["repetitions"] for size in SPEC.sizes] == [1000, 1000, 10]
    assert all(pd.isna(view["Bcast", size]["mib_per_s"]) for size in SPEC.sizes)


def test_msu_transfers(run: RunInputs, times: Times) -> None:
    view = rows_of(run, MSU_TRANSFERS, "transfer")
    assert len(view) == 15
    for number in range(1, 6):
        run_us = times[f"transfer-{number}", 1024]
        assert view[number, 1024]["mib_per_s"] == pytest.approx(2 * 1024 / run_us * 1e6 / 2**20, rel=1e-6)
        latency = times[f"transfer-{number}", 0] * (0.5 if number == 1 else 1)
        assert view[number, 0]["latency_us"] == pytest.approx(latency, rel=1e-6)
        assert pd.isna(view[number, 0]["mib_per_s"]) and pd.isna(view[number, 1024]["latency_us"])


def test_msu_topologies(run: RunInputs, times: Times) -> None:
    """Of three processes star has 2 channels, both at the centre; ring and chaos have 3, two at each."""
    view = pd.read_csv(run.layout.tables / MSU_TOPOLOGIES.file).set_index("bytes")
    names = ["star", "chaos", "ring", "istar", "ichaos", "iring"]
    assert list(view.columns)[4:10] == names
    for name in names:
        average = 2 * 1024 / times[name, 1024] * 1e6 / 2**20
        assert view.loc[1024, name] == pytest.approx(average, rel=1e-6)
        assert view.loc[1024, f"{name}_local"] == pytest.approx(2 * average, rel=1e-6)
        assert view.loc[1024, f"{name}_total"] == pytest.approx((2 if "star" in name else 3) * average, rel=1e-6)


def test_views_are_there_on_request_only(run: RunInputs) -> None:
    campaign = yaml.safe_load(run.layout.campaign.read_text())
    assert campaign["analysis"]["views"] == ["pmb", "msu"]
    shown = {part.file for part in build(Source(run, read_again(run.layout, TABLES), [], [])) or []}
    for table in (PMB_VIEW, MSU_TRANSFERS, MSU_TOPOLOGIES):
        assert table.file in shown
        without = run.campaign.model_copy(update={"analysis": run.campaign.analysis.model_copy(update={"views": []})})
        assert not table.files(without)
