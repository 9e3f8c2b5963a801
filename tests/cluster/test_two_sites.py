# SPDX-License-Identifier: BSD-3-Clause
"""Host orders across a real wide-area link: the paradox of a rotating root, and the report that names it."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.cluster.conftest import Place
from tests.cluster.test_campaign import PATIENT, assert_distinct_hosts, assert_finished
from tests.cluster.virtual import VirtualCluster, WideArea

pytestmark = [pytest.mark.mpi, pytest.mark.slow, pytest.mark.alone]

#: What no message from one half to the other can beat. Long, so that eight processes on two cores are not what is seen.
ONE_WAY_US = 8000.0


@pytest.mark.timeout(1800)
def test_what_seems_faster_than_the_link_is_flagged(obstacles: dict[bool, str | None], tmp_path: Path) -> None:
    """Half and half, a loop with a rotating root crosses the link twice in eight operations.

    Two processes, one a core, show what a message needs, and can start together unless the machine is busy. Eight share
    the cores: they are late in the window, whose rows say so, but a loop has no start to be late for.
    """
    if reason := obstacles[True]:
        pytest.skip(reason)
    with VirtualCluster(tmp_path / "cluster", WideArea(delay_us=ONE_WAY_US, rate_mbit=1000)) as cluster:
        place = Place(tmp_path, cluster)
        campaign_over_host_orders(place)
    table = pd.read_csv(place.run.tables / "bounds.csv")
    print(table.to_string())
    bcast = table[table["operation"] == "bcast"].set_index(["scheme", "processes", "processes_per_node", "placement"])
    assert bcast["bound_us"]["window", 2, 1, "alternating"] >= ONE_WAY_US
    across = bcast.loc["window"].drop(index=(2, 1, "half-and-half"))["median_us"].dropna()
    assert (across >= ONE_WAY_US).all()
    assert not table[table["scheme"] == "window"]["below"].any()
    assert bcast["below"]["rotating-root", 8, 2, "half-and-half"]
    assert not bcast["below"]["rotating-root", 8, 2, "alternating"]

    findings = json.loads((place.run.tables / "findings.json").read_text())["findings"]
    found = {each["numbers"]["scheme"]: each["numbers"] for each in findings if each["kind"] == "bound"}
    assert found["rotating-root"]["rows_below"] == 1 and found["window"]["rows_below"] == 0
    assert "below the physical bound" in place.run.report.read_text()


def campaign_over_host_orders(place: Place) -> None:
    place.write(
        stacks=["intel-mpi-2021"],
        operations=["ping-pong", "bcast"],
        processes=[2, 8],
        processes_per_node=[1, 2],
        placements=["half-and-half", "alternating"],
        node_lists={"half-and-half": ["a1", "a2", "b1", "b2"], "alternating": ["a1", "b1", "a2", "b2"]},
        replication={"blocks": 1, "launches_per_block": 1, "allocation": "largest"},
        engine={"clock_sync": "ring", "batch": 32, "min_valid": 16, "max_reps": 128},
        contrasts={"rotating-root": {"scheme": "rotating-root"}},
        limits=PATIENT | {"launch_seconds": 400},
    )
    assert_finished(place)
    assert_distinct_hosts(place.run)
