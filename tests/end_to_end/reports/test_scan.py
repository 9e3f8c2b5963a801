# SPDX-License-Identifier: BSD-3-Clause
"""A scan of a simulated machine in which one node is far from the others: it is named, and no other place."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest
import yaml

from tests.end_to_end.conftest import Place
from tests.end_to_end.test_simulated_results import ENGINE
from tests.engine.support import needs_simgrid

pytestmark = needs_simgrid

#: Five nodes behind one switch and a sixth behind another: 2 µs more to it, and a twentieth of the bandwidth.
MACHINE: dict[str, Any] = {
    "schema": 1,
    "name": "one-apart",
    "nodes": 6,
    "cores": 2,
    "latency_us": 2,
    "stream_mb_per_s": 5000,
    "node_mb_per_s": 5000,
    "memory": {"latency_us": 0.5, "mb_per_s": 6000},
    "topology": {"kind": "direct", "nodes_per_group": 5, "trunk_mb_per_s": 250, "trunk_latency_us": 2},
}
SCAN: dict[str, Any] = {
    "stacks": ["smpi-default"],
    "operations": ["ping-pong"],
    "sizes": [8, "1MiB"],
    "processes": [2],
    "processes_per_node": [1],
    "scan": "pairs",
    "replication": {"blocks": 4, "launches_per_block": 1},
    "engine": ENGINE,
    "site": {"machine": "one-apart.yaml", "parallel_blocks": 2},
}


@pytest.mark.slow
def test_the_node_that_is_far_is_named_and_the_map_shows_it(place: Place) -> None:
    (place.folder / "one-apart.yaml").write_text(yaml.safe_dump(MACHINE))
    place.write(**SCAN)
    done = place.isochron("run", "mini.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    table = pd.read_csv(place.run.tables / "scan.csv")
    assert table.groupby(["unit", "bytes"]).size().to_dict() == {
        ("link", 8): 15, ("link", 2**20): 15, ("node", 8): 6, ("node", 2**20): 6,
    }  # fmt: skip
    slow = table[table["verdict"] == "slow"]
    assert slow[["unit", "host", "bytes"]].to_numpy().tolist() == [["node", "n5", 8], ["node", "n5", 2**20]]
    links = table[table["unit"] == "link"].set_index(["host", "peer", "bytes"])
    assert links.loc[("n0", "n5", 8), "ratio"] == pytest.approx(2.0, rel=0.05)
    assert links.loc[("n0", "n5", 2**20), "mb_per_s"] == pytest.approx(250, rel=0.05)
    assert links.loc[("n0", "n1", 2**20), "mb_per_s"] > 4000
    (finding,) = [
        each for each in json.loads((place.run.tables / "findings.json").read_text())["findings"]
        if each["kind"] == "scan"
    ]  # fmt: skip
    assert finding["severity"] == "warning" and "node n5" in finding["text"]
    assert "<svg" in (place.run.figures / "scan.svg").read_text()
    assert 'id="scan"' in place.run.report.read_text()
