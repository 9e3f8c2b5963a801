# SPDX-License-Identifier: BSD-3-Clause
"""The campaigns of an upgrade: what they measure, and that their claims share one level."""

from __future__ import annotations

import pytest

from isochron.schemas.engine.contract import cases
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.upgrade.stages import ERROR, FOLLOWED, MORE, PARTS, Part, Versions

VERSIONS = Versions(["mpich@4.3.2", "mpich@5.0.2"], {"processes": [2], "processes_per_node": [2]})


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_a_part_is_screened_as_a_whole_in_turns(part: Part) -> None:
    campaign = VERSIONS.screening(part, 3)
    plan = make_plan(campaign)
    assert campaign.stacks == ["mpich-4.3.2", "mpich-5.0.2"]
    assert [len(block.launches) for block in plan.blocks] == [2, 2, 2]
    assert all(launch.session for launch in plan.launches) and not plan.skipped
    assert len(cases(campaign.operations, campaign.sizes)) == part.cases
    assert campaign.engine.datatype == part.datatype


def test_all_kinds_of_data_are_screened() -> None:
    assert sum(part.cases for part in PARTS) > 800
    names = [VERSIONS.screening(part, 3).name for part in PARTS] + [
        VERSIONS.following(part, ["bcast"]).name for part in PARTS
    ]
    assert len(set(names)) == len(names)


def test_what_is_followed_is_measured_at_all_sizes_and_nothing_else() -> None:
    campaign = VERSIONS.following(PARTS[0], ["bcast", "barrier"])
    assert (campaign.operations, campaign.sizes) == (["bcast", "barrier"], list(PARTS[0].sizes))
    assert (campaign.question.baseline, campaign.question.candidate) == ("mpich-4.3.2", "mpich-5.0.2")
    plan = make_plan(campaign)
    assert [len(block.launches) for block in plan.blocks] == [2] * FOLLOWED  # one session for all of them
    assert len(PARTS) * (1 - campaign.analysis.confidence) == pytest.approx(ERROR)
    assert campaign.engine.passes == MORE * VERSIONS.screening(PARTS[0], 3).engine.passes


def test_one_version_under_two_names_is_two_stacks() -> None:
    twice = Versions([{"a": "mpich@5.0.2"}, {"b": "mpich@5.0.2"}], VERSIONS.site)
    campaign = twice.screening(PARTS[1], 3)
    assert campaign.stacks == ["a", "b"] and campaign.name == "screen-a-b-vector-8"


def test_the_site_is_that_of_a_campaign() -> None:
    site = {"processes": [4], "processes_per_node": [2], "limits": {"launch_seconds": 30}}
    campaign = Versions(VERSIONS.stacks, site).following(PARTS[0], ["barrier"])
    assert (campaign.processes, campaign.processes_per_node, campaign.limits.launch_seconds) == ([4], [2], 30)
