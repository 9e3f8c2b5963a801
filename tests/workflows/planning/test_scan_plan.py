# SPDX-License-Identifier: BSD-3-Clause
"""The plan of a scan: every node, or every pair, of one allocation, as often as anything else."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from isochron.workflows.planning.plan import make_plan
from tests.workflows.conftest import campaign


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
