# SPDX-License-Identifier: BSD-3-Clause
"""The campaigns of an upgrade: what they measure, and at which level they claim."""

from __future__ import annotations

import pytest

from isochron.schemas.engine.contract import cases, datatype_name
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.upgrade.stages import CASES, ERROR, FOLLOWED, MORE, SCREENED, SIZES, Versions

VERSIONS = Versions(["mpich@4.3.2", "mpich@5.0.2"], {"processes": [2], "processes_per_node": [2]})


def test_everything_is_screened_in_turns_by_one_launch_of_each_version() -> None:
    campaign = VERSIONS.screening(3)
    plan = make_plan(campaign)
    assert campaign.stacks == ["mpich-4.3.2", "mpich-5.0.2"] and campaign.name == "screen-mpich-4.3.2-mpich-5.0.2"
    assert [len(block.launches) for block in plan.blocks] == [2, 2, 2]
    assert all(launch.session for launch in plan.launches) and not plan.skipped
    assert len(cases(campaign.operations, campaign.sizes)) == CASES > 800
    assert {datatype_name(operation) for operation in SCREENED} == {"", "vector-8", "vector-32", "indexed"}


def test_what_is_followed_is_measured_at_all_sizes_and_nothing_else() -> None:
    campaign = VERSIONS.following(["bcast", "barrier", "bcast@vector-32"])
    assert (campaign.operations, campaign.sizes) == (["bcast", "barrier", "bcast@vector-32"], list(SIZES))
    assert (campaign.question.baseline, campaign.question.candidate) == ("mpich-4.3.2", "mpich-5.0.2")
    plan = make_plan(campaign)
    assert [len(block.launches) for block in plan.blocks] == [2] * FOLLOWED  # one session for all of them
    assert 1 - campaign.analysis.confidence == pytest.approx(ERROR)
    assert campaign.engine.passes == MORE * VERSIONS.screening(3).engine.passes


def test_one_version_under_two_names_is_two_stacks() -> None:
    campaign = Versions([{"a": "mpich@5.0.2"}, {"b": "mpich@5.0.2"}], VERSIONS.site).screening(3)
    assert campaign.stacks == ["a", "b"] and campaign.name == "screen-a-b"


def test_the_site_is_that_of_a_campaign() -> None:
    site = {"processes": [4], "processes_per_node": [2], "limits": {"launch_seconds": 30}}
    campaign = Versions(VERSIONS.stacks, site).following(["barrier"])
    assert (campaign.processes, campaign.processes_per_node, campaign.limits.launch_seconds) == ([4], [2], 30)
