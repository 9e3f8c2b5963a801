# SPDX-License-Identifier: BSD-3-Clause
"""The views of a machine in two cities: the published matrix, and rows whose values are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from isochron.common.resources import shipped
from isochron.postprocess.estimate.compare.contrasts import distances
from isochron.postprocess.subjects.published.checks import AGREES, DIFFERS
from isochron.postprocess.subjects.published.quantity import Margins, select
from isochron.postprocess.subjects.published.table import outcomes_of
from isochron.postprocess.subjects.views.two_sites_table import (
    BETWEEN,
    INSIDE,
    MATRIX_COLUMNS,
    matrix,
    order_table,
    paradox_table,
    sites,
)
from isochron.schemas.input.published_findings import findings_path, load_findings, quantities
from isochron.schemas.input.site import Site
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.machine_file import load_machine

CAMPAIGNS = Path(__file__).parents[4] / "workflows" / "campaigns"
ROW: dict[str, Any] = {
    "stack": "a", "operation": "bcast", "bytes": 8, "processes": 8, "processes_per_node": 1, "placement": "half",
}  # fmt: skip


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(shipped("postprocess", "published", "two-sites.yaml").read_text())
    return loaded


def test_the_published_matrix_has_its_published_mean(published: dict[str, Any]) -> None:
    times = published["rotating_root_ms"]
    cells = [
        {**ROW, "rank": rank, "position": position, "time_us": 1e3 * time}
        for position, own in enumerate(times)
        for rank, time in enumerate(own)
    ]
    table = matrix(pd.DataFrame(cells))
    assert list(table.columns[:-8]) == list(MATRIX_COLUMNS)[:-1]
    assert table["root"].tolist() == list(range(8))
    assert (table[[f"rank_{rank}_us" for rank in range(8)]].to_numpy() / 1e3).tolist() == times
    assert round(table["mean_us"].mean() / 1e3, 2) == published["rotating_root_mean_ms"]


def test_the_root_comes_round_again() -> None:
    cells = [{**ROW, "processes": 2, "rank": rank, "position": p, "time_us": 1.0} for rank in (1, 0) for p in range(5)]
    table = matrix(pd.DataFrame(cells))
    assert table["root"].tolist() == [0, 1, 0, 1, 0]
    assert list(table.columns[-2:]) == ["rank_0_us", "rank_1_us"]


def test_a_mean_below_the_bound_is_named() -> None:
    """Of two launches the median counts; a case without a time in the loop has no row."""
    bound = {"bound_us": 1300.0, "between": "n0–n16", "median_us": 560.0, "scheme": "rotating-root"}
    bounds = pd.DataFrame(
        [{**ROW, **bound}, {**ROW, **bound, "placement": "alternating"}, {**ROW, **bound, "bytes": 64}]
    )
    loops = pd.DataFrame(
        [
            {**ROW, "rank_avg_us": avg, "rank_min_us": avg - 1, "rank_max_us": avg + 1, "placement": placement}
            for placement, averages in (("half", (390.0, 410.0)), ("alternating", (2600.0, 2600.0)))
            for avg in averages
        ]
    )
    summary = pd.DataFrame([{**ROW, "placement": each, "median_us": 2700.0} for each in ("half", "alternating")])
    found = paradox_table(bounds, loops, summary).set_index("placement")
    assert found.loc["half", ["results_us", "loop_us", "avg_us", "min_us", "max_us"]].tolist() == [
        2700.0, 560.0, 400.0, 399.0, 401.0,
    ]  # fmt: skip
    assert found["below"].to_dict() == {"half": True, "alternating": False}


def test_orders_are_compared_within_a_case() -> None:
    made = [
        ("bcast", 8, "half", 150.0),
        ("bcast", 8, "one", 50.0),
        ("bcast", 64, "one", 60.0),
        ("ping-pong", 8, "one", 1),
        ("burst", 8, "one", 1),
    ]
    rows = [
        {**ROW, "operation": operation, "bytes": size, "placement": placement, "median_us": time,
         "median_low_us": time, "median_high_us": time, "reliable": True}
        for operation, size, placement, time in made
    ]  # fmt: skip
    assert order_table(pd.DataFrame(rows))["of_fastest"].tolist() == [3.0, 1.0, 1.0]


def test_sites_are_the_groups_of_a_described_machine() -> None:
    site = Site(machine=load_machine("two-sites", Path()))
    assert sites(site, ["n0", "n15", "n16"]) == INSIDE
    assert sites(site, ["n15", "n16"]) == BETWEEN
    assert sites(site, ["n0"]) == sites(site, ["n0", "elsewhere"]) == sites(Site(), ["n0", "n1"]) == ""
    assert sites(site, ["n0", "n32"]) == sites(site, ["n0", "n016"]) == ""
    assert site.trunk_rate == 1250 and Site().trunk_rate is None


def test_sites_of_real_hosts_are_named_by_patterns() -> None:
    site = Site(locations={"here": ["a*"], "there": ["b[0-3]", "c?.lab"]}, trunk_mb_per_s=1000)
    assert sites(site, ["a1", "a27"]) == INSIDE and sites(site, ["b0", "c7.lab", "a1"]) == INSIDE
    assert sites(site, ["a1", "b3"]) == BETWEEN
    assert sites(site, ["a1", "b4"]) == ""
    assert site.trunk_rate == 1000


def test_light_bounds_what_no_ping_pong_does() -> None:
    """From the host of the root to each host at the other site."""
    locations = {"here": ["a*"], "there": ["b*"]}
    site = Site(locations=locations, distance_ms=2.28)
    assert distances(site, [["a1", "a2", "b1"], ["a1", "a2"]], root=1) == {("a2", "b1"): pytest.approx(2280.0)}
    assert distances(Site(locations=locations), [["a1", "b1"]], root=0) == {}


def test_the_campaigns_have_the_hosts_and_operations_of_the_study(published: dict[str, Any]) -> None:
    campaign = load_campaign(CAMPAIGNS / "two-sites.yaml")
    assert set(published["operations"]) <= set(campaign.operations)
    assert campaign.processes == [published["hosts"]]
    sizes = dict(campaign.sizes_by_operation)
    assert max(campaign.sizes) == max(sizes.pop("burst")) == 2**22 and set(sizes) == set(published["operations"])
    assert {max(of_one) for of_one in sizes.values()} == {2**20}
    there = {f"n{index}" for index in range(16, 32)}
    remote = {name: [host in there for host in hosts] for name, hosts in campaign.node_lists.items()}
    assert remote["one-site"] == 16 * [False]
    assert remote["half-and-half"] == 8 * [False] + 8 * [True]
    assert remote["alternating"] == 8 * [False, True]
    assert remote["one-remote"] == [True] + 15 * [False]
    assert remote["one-remote-last"] == 15 * [False] + [True]


def test_a_one_way_stream_is_what_its_messages_have_together() -> None:
    """16 messages of 4 MiB at 10⁹ bit/s, 2.6 ms to the other site, and as much for the answer: 0.542 s, 123.8 MB/s."""
    time_us = 16 * 2**22 / 125 + 2 * 2600
    sentences = {sentence.name: sentence for sentence in load_findings(findings_path("two-sites")).sentences}
    rows = [
        {
            **ROW, "operation": "burst", "stack": stack, "bytes": 2**22, "processes": 16, "placement": "alternating",
            "sites": BETWEEN, "messages": 16, "time_us": factor * time_us,
        }
        for stack, factor in (("smpi-intel", 1.0), ("smpi-openmpi", 1.2), ("smpi-mpich", 1.0))
    ]  # fmt: skip
    assert 16 * 2**22 / time_us == pytest.approx(123.8, abs=0.05)
    reached = {}
    for name in ("intel-before-openmpi", "intel-before-mpich"):
        tables = [select(each, pd.DataFrame(rows), exact=True) for each in quantities(sentences[name].check)]
        ((_, result),) = outcomes_of(sentences[name], tables, Margins(0.05, 0.1))
        reached[name] = (result.outcome, result.number.value)
    assert reached == {"intel-before-openmpi": (AGREES, 1.2), "intel-before-mpich": (DIFFERS, 1.0)}
