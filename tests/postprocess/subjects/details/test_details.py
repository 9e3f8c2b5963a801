# SPDX-License-Identifier: BSD-3-Clause
"""Everything that a launch records arrives in store, tables and report with the numbers that it had."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.ingest.store import read_table
from isochron.postprocess.kit.table import Table
from isochron.postprocess.subjects.details.ranks import ARRIVAL, RANK_TIMES, RANKS, STRAGGLERS
from isochron.postprocess.subjects.details.table import BANDWIDTH, COSTS, GROWTH, MEMORY, OVERLAP
from isochron.postprocess.subjects.results.table import SUMMARY
from tests.postprocess.reported import report
from tests.postprocess.subjects.details.made import write_everything

pytestmark = pytest.mark.heavy

Csv = Callable[[Table], pd.DataFrame]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunInputs:
    inputs = write_everything(tmp_path_factory.mktemp("everything"))
    report(inputs.layout.root)
    return inputs


@pytest.fixture(scope="module")
def csv(run: RunInputs) -> Csv:
    return lambda table: pd.read_csv(run.layout.tables / table.file)


def at(frame: pd.DataFrame, **keys: Any) -> pd.DataFrame:
    for name, value in keys.items():
        frame = frame[frame[name] == value]
    return frame


def test_ping_pong_is_half_of_the_round_trip_in_every_table(run: RunInputs, csv: Csv) -> None:
    """The store keeps the run, there and back."""
    measured = at(read_table(run.layout, "measurements"), operation="ping-pong", bytes=65536)
    raw = measured.merge(read_table(run.layout, "launches")[["launch_id", "processes", "processes_per_node"]])
    round_trip = at(raw, processes=2, processes_per_node=2)
    (value,) = at(csv(SUMMARY), operation="ping-pong", bytes=65536, processes=2)["median_us"]
    assert value == pytest.approx(round_trip["median_us"].median() / 2)
    assert value == pytest.approx((20 + 65.536) / 2, rel=0.1)
    (there,) = at(csv(RANK_TIMES), operation="ping-pong", bytes=65536, processes=2)["max_us"]
    assert there == pytest.approx(round_trip["rank_max_us"].median() / 2)
    assert "ping-pong (half round trip)" in run.layout.report.read_text()


def test_bandwidth_is_bytes_over_the_time_of_a_run(run: RunInputs, csv: Csv) -> None:
    found = at(csv(BANDWIDTH), operation="ping-pong", bytes=65536, processes=2)
    stored = at(read_table(run.layout, "measurements"), operation="ping-pong", bytes=65536)
    assert (stored["bandwidth_mb_per_s"] * stored["median_us"]).to_numpy() == pytest.approx(2 * 65536)
    assert found["mb_per_s"].item() * found["time_us"].item() == pytest.approx(65536, rel=1e-5)
    assert found["mb_per_s_low"].item() <= found["mb_per_s"].item() <= found["mb_per_s_high"].item()
    latency = at(csv(BANDWIDTH), operation="ping-pong", bytes=0, processes=2)
    assert latency["time_us"].item() == pytest.approx(10, rel=0.1) and latency["mb_per_s"].item() == 0
    assert found["messages"].isna().all() and found["messages_per_s"].isna().all()


def test_the_message_rate_is_that_of_all_processes(csv: Csv) -> None:
    """Of no bytes too; its interval is that of the time, turned round."""
    found = at(csv(BANDWIDTH), operation="burst-pairs")
    assert set(found["bytes"]) == {0, 65536} and found["messages"].tolist() == (32 * found["processes"]).tolist()
    rate = found["messages_per_s"] * found["time_us"] / 1e6
    assert rate.to_numpy() == pytest.approx(found["messages"].to_numpy(dtype=float), rel=1e-5)
    assert (found["messages_per_s_low"] <= found["messages_per_s"]).all()
    assert (found["messages_per_s"] <= found["messages_per_s_high"]).all()
    long = found[found["bytes"] > 0]
    assert (long["mb_per_s"] / long["messages_per_s"] * 1e6).to_numpy() == pytest.approx(65536, rel=1e-5)


def test_ranks_beside_the_global_time(csv: Csv) -> None:
    found = csv(RANK_TIMES)
    assert set(found["operation"]) == {
        "ping-pong",
        "burst-pairs",
        "ibcast",
        "basic-timer",
        "basic-barrier",
        "basic-bcast-1",
    }
    assert found["avg_share"].to_numpy() == pytest.approx(0.5, rel=0.1)
    assert (found["min_us"] < found["avg_us"]).all() and (found["avg_us"] < found["max_us"]).all()
    ranks = at(csv(RANKS), operation="ibcast", bytes=0, processes=4, processes_per_node=4)
    assert ranks["start_us"].tolist() == [0, 1, 2, 3]
    assert ranks["end_us"].tolist() == [7, 10, 13, 16]
    assert ranks["local_us"].tolist() == [7, 9, 11, 13]
    assert ranks["ends_last"].tolist() == [0, 0, 0, 1]
    assert ranks["launches"].eq(3).all() and ranks["reps"].between(20, 36).all()


def test_costs_overlap_and_arrivals(csv: Csv) -> None:
    (cost,) = at(csv(COSTS), processes=2).to_dict("records")
    assert (cost["operation"], cost["timer_us"], cost["barrier_us"]) == ("basic-bcast-1", 0.03, 0.97)
    assert cost["cost_us"] == pytest.approx(cost["median_us"] - 1, rel=1e-5)
    curve = at(csv(OVERLAP), operation="ibcast", bytes=0, processes=2)
    assert curve["share"].tolist() == [i / 4 for i in range(9)]
    assert curve["overlap"].tolist() == [0, 0.25, 0.5, 0.75, 1, 1, 1, 1, 1]
    arrival = csv(ARRIVAL)
    assert arrival["spread_us"].eq(5).all() and arrival["arrival"].eq("ascending").all()
    (row,) = at(arrival, operation="ibcast", bytes=0, processes=2).to_dict("records")
    assert row["from_last_us"] == pytest.approx(row["median_us"] - 5)
    assert row["left_share"] == pytest.approx(row["from_last_us"] / row["median_us"], rel=1e-5)


def test_stragglers_by_node(csv: Csv) -> None:
    node, rank = csv(STRAGGLERS).sort_values("rank", na_position="first").to_dict("records")
    assert node["host"] == rank["host"] == "node0" and rank["rank"] == 1
    assert (node["launches"], node["rows"], node["batches"]) == (9, 9 * 9, 20 * 9 * 9)
    assert node["late_start"] == 16 * 9 * 9 and node["least_p"] == pytest.approx(1e-7)


def test_memory_by_step_and_its_growth(csv: Csv) -> None:
    own = at(csv(MEMORY), processes=4, processes_per_node=2, figure="pss")
    assert own["step"].tolist() == ["before-init", "init", "comm-dup"]
    assert own["mean_mib"].tolist() == [5, 16, 56]
    assert own["node_mib"].tolist() == [10, 32, 112]
    assert own["step_mib"].fillna(-1).tolist() == [-1, 11, 40]
    growth = at(csv(GROWTH), figure="pss").set_index("step")
    assert growth.loc["init", ["a_mib", "b_mib", "c_mib"]].to_numpy(dtype=float) == pytest.approx([10, 0.5, 2])
    assert growth.loc["comm-dup", ["a_mib", "b_mib", "c_mib"]].to_numpy(dtype=float) == pytest.approx([50, 0.5, 2])
    assert growth["worst_mib"].max() < 1e-5 and growth["points"].eq(3).all()


def test_the_report_has_every_table(run: RunInputs) -> None:
    page = run.layout.report.read_text()
    section = page[page.index('<section id="details"') :]
    section = section[: section.index("</section>")]
    for table in (BANDWIDTH, RANK_TIMES, COSTS, OVERLAP, ARRIVAL, RANKS, STRAGGLERS, MEMORY, GROWTH):
        assert f'href="../tables/{table.file}"' in section
    assert "<td>comm-dup</td><td>pss</td>" in section and "<td>40.00</td>" in section
