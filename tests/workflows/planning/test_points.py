# SPDX-License-Identifier: BSD-3-Clause
"""Points, allocations and scans of nodes."""

from __future__ import annotations

import itertools
from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from pydantic import ValidationError

from isochron.common.files import FileError
from isochron.schemas.run.plan import Plan
from isochron.workflows.planning.plan import make_plan
from tests.workflows.conftest import campaign

FOUR: dict[str, Any] = {"site": {"nodes": 4, "cores_per_node": 4}, "processes": [4]}
LARGEST = {"blocks": 12, "allocation": "largest"}


def hosts(plan: Plan, placement: str) -> list[list[tuple[str, ...]]]:
    """The nodes that each launch of a placement is to take, by block."""
    return [
        [tuple(launch.hosts) for launch in block.launches if launch.point.placement == placement]
        for block in plan.blocks
    ]


def test_one_process_on_each_node_or_packed() -> None:
    plan = make_plan(campaign(**FOUR, processes_per_node=[1, 2, 4], replication={"blocks": 1}))
    assert [(block.nodes, block.launches[0].point.processes_per_node) for block in plan.blocks] == [
        (1, 4),
        (2, 2),
        (4, 1),
    ]


def test_the_largest_allocation_holds_the_points_of_fewer_nodes() -> None:
    plan = make_plan(campaign(**FOUR, processes_per_node=[1, 2, 4], replication={"blocks": 2, "allocation": "largest"}))
    assert [block.nodes for block in plan.blocks] == [4, 4]
    assert [sorted({launch.point.nodes for launch in block.launches}) for block in plan.blocks] == [[1, 2, 4]] * 2


def test_random_nodes_are_drawn_anew_for_each_block_and_are_the_same_for_all_stacks() -> None:
    """A point of two nodes in allocations of four: each pair of nodes in one order or the other."""
    replication = {"blocks": 60, "allocation": "largest"}
    plan = make_plan(campaign(**FOUR, processes_per_node=[1, 2], placements=["random"], replication=replication))
    drawn = []
    for block in plan.blocks:
        (nodes,) = {tuple(launch.hosts) for launch in block.launches if launch.point.nodes == 2}
        drawn.append(nodes)
    assert {tuple(sorted(nodes)) for nodes in drawn} == set(itertools.combinations(["@0", "@1", "@2", "@3"], 2))
    assert len(set(drawn)) > 6


def test_a_list_of_nodes_has_an_allocation_of_its_own_that_holds_them_in_this_order() -> None:
    lists = {"near": ["n1", "n2"], "far": ["n9", "n1", "n5"]}
    plan = make_plan(
        campaign(**FOUR, placements=["packed", "near", "far"], node_lists=lists, replication={"blocks": 1})
    )
    assert sorted((block.nodes, *block.hosts) for block in plan.blocks) == [(2,), (2, "n1", "n2"), (2, "n9", "n1")]
    assert set(hosts(plan, "far")[[block.hosts for block in plan.blocks].index(["n9", "n1"])]) == {("n9", "n1")}


def test_the_largest_allocation_holds_every_node_that_a_list_names() -> None:
    lists = {"near": ["n1", "n2"], "far": ["n9", "n1"]}
    plan = make_plan(campaign(**FOUR, placements=["near", "far"], node_lists=lists, replication=LARGEST))
    assert {(block.nodes, *block.hosts) for block in plan.blocks} == {(3, "n1", "n2", "n9")}


def test_what_a_placement_cannot_have_is_said() -> None:
    short = campaign(**FOUR, placements=["packed", "one"], node_lists={"one": ["n1"]})
    assert "needs 2 nodes; node_lists.one names 1" in {item.reason for item in make_plan(short).skipped}
    many = {"a": ["n1", "n2", "n3"], "b": ["n4", "n5"]}
    crowd = campaign(**FOUR, placements=["packed", "a", "b"], node_lists=many, replication=LARGEST)
    assert "the node lists name 5 nodes; site.nodes is 4" in {item.reason for item in make_plan(crowd).skipped}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"placements": ["nearby"]}, "unknown placement 'nearby'; choose from packed, round-robin, reversed, random"),
        ({"node_lists": {"random": ["n1"]}}, "'random' is the name of a built-in placement; choose another name"),
        ({"node_lists": {"near": ["n1", "n1"]}}, "node_lists.near: must name at least one node, and each once"),
        ({"node_lists": {"near": []}}, "node_lists.near: must name at least one node, and each once"),
    ],
)
def test_what_a_campaign_file_may_not_say_of_nodes(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        campaign(**changes)


def test_every_node_is_launched_on_in_every_block() -> None:
    plan = make_plan(campaign(scan="nodes", processes=[2], site={"nodes": 5, "cores_per_node": 2}))
    assert [(block.nodes, block.hosts) for block in plan.blocks] == [(5, [])] * 3
    for block in plan.blocks:
        count = Counter((launch.stack, tuple(launch.hosts)) for launch in block.launches)
        assert count == {(stack, (f"@{place}",)): 2 for stack in campaign().stacks for place in range(5)}
    assert max(Counter(launch.name for launch in plan.launches).values()) == 1
    whole = campaign(processes=[2], site={"nodes": 5, "cores_per_node": 2})
    assert plan.seconds == pytest.approx(5 * make_plan(whole).seconds)
    assert plan.digest != make_plan(whole).digest


def test_every_pair_of_the_named_nodes() -> None:
    names = ["x1", "x2", "x3", "x4"]
    asked = campaign(
        scan="pairs", processes=[2], processes_per_node=[1], node_lists={"scan": names},
        site={"nodes": 8, "cores_per_node": 2},
    )  # fmt: skip
    plan = make_plan(asked)
    assert {(block.nodes, tuple(block.hosts)) for block in plan.blocks} == {(4, tuple(names))}
    hosts = Counter(tuple(launch.hosts) for launch in plan.launches)
    assert hosts == dict.fromkeys(combinations(names, 2), 2 * 2 * 3)


@pytest.mark.parametrize("changes", [{"engine": {"threads": 3}}, {"contrasts": {"more": {"threads": 3}}}])
def test_threads_need_cores(changes: dict[str, Any]) -> None:
    reason = r"2 processes of 3 threads \(engine.threads\) on a node with 4 cores"
    with pytest.raises(FileError, match=reason):
        make_plan(campaign(**FOUR, **changes))
    assert not make_plan(campaign(**FOUR, engine={"threads": 2})).skipped


def test_threads_may_share_cores_where_processes_may() -> None:
    plan = make_plan(
        campaign(**FOUR, stacks=["openmpi-5.0", "mpich-5.0"], engine={"threads": 3}, allow_oversubscription=True)
    )
    assert {launch.stack for launch in plan.launches} == {"openmpi-5.0"}
    assert [item.stack for item in plan.skipped] == ["mpich-5.0"] and "threads; " not in plan.skipped[0].reason
    assert plan.skipped[0].reason.endswith("lower processes_per_node or threads")
