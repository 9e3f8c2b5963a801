# SPDX-License-Identifier: BSD-3-Clause
"""The key `groups`: each grouping is a contrast, measured where there are enough processes for it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from isochron.reframe_checks.launch.command import engine_options
from isochron.schemas.engine.groups import smallest_group
from isochron.schemas.run.plan import Point
from isochron.spack_envs.declarations import load_declaration
from isochron.workflows.planning.parts import contrast_parts
from tests.workflows.conftest import campaign

GROUPS = ["halves", "active:4", "strided:2"]
COUNTS = {"processes": [2, 8], "processes_per_node": [2]}


def test_each_grouping_is_a_contrast() -> None:
    made = campaign(**COUNTS, groups=GROUPS)
    assert made.all_contrasts == {name.replace(":", "-"): {"groups": name} for name in GROUPS}
    assert made.engine.groups == "all" and made.engine_of("active-4").groups == "active:4"
    words = engine_options(made)
    assert words[words.index("--groups") + 1] == "all"


def test_a_grouping_is_measured_where_there_are_enough_processes() -> None:
    made, stack = campaign(**COUNTS, groups=GROUPS), load_declaration("openmpi-5.0")
    for processes, launches in ((2, 0), (8, 1)):
        point = Point(processes=processes, processes_per_node=2, placement="packed")
        parts, skipped = contrast_parts(made, "active-4", stack, point, {})
        assert len(parts) == launches
        reasons = {item.reason for item in skipped}
        assert reasons == (set() if launches else {"contrasts.active-4: 2 processes are too few for these groups"})
        assert len(skipped) == (0 if launches else len(made.chosen))


@pytest.mark.parametrize(
    ("groups", "smallest"),
    [("all", 9), ("halves", 4), ("strided:2", 4), ("strided:10", 0), ("size:4", 4), ("active:9", 9), ("size:10", 0),
     ("node", None)],
)  # fmt: skip
def test_the_smallest_of_nine_processes(groups: str, smallest: int | None) -> None:
    assert smallest_group(groups, 9) == smallest


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"groups": ["thirds"]}, "groups.0"),
        ({"groups": ["active:0"]}, "groups.0"),
        ({"groups": ["all"]}, "'all' is what the results are measured with"),
        ({"groups": ["halves", "halves"]}, "listed twice"),
        ({"groups": ["active:9"]}, "groups: active:9 needs more than the 8 of processes"),
        (
            {"groups": ["active:2"], "engine": {"root": 2}, "processes": [8]},
            "smallest of the groups has 2 processes",
        ),
        ({"groups": ["halves"], "contrasts": {"halves": {"root": 1}}}, "contrasts.halves: `groups` defines"),
        ({"contrasts": {"few": {"groups": "size:9"}}}, "contrasts.few.groups: size:9 needs more"),
        (
            {"groups": ["halves"], "operations": ["ring"], "processes": [4, 8]},
            "halves has a group of 2 processes",
        ),
        ({"engine": {"groups": "halves"}}, "list 'halves' in the key `groups`"),
        ({"engine": {"group_size": 2}}, "engine.group_size 2: bcast has no groups of messages and would ignore it"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        campaign(**{**COUNTS, "operations": ["bcast"], **keys})
    problems = refused.value.errors()
    where = ".".join(map(str, problems[0]["loc"]))
    assert message in f"{where}: {problems[0]['msg']}"
