# SPDX-License-Identifier: BSD-3-Clause
"""Which launches of NPB a plan has, and which it refuses with the rule of the kernel."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pydantic import ValidationError

from isochron.common.files import FileError
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.programs import accepts
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.planning.earlier import _program_durations
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.planning.programs import npb_seconds

NPB: dict[str, Any] = {"source": "/npb", "kernels": ["EP", "LU"], "classes": ["S", "A"]}


def campaign(npb: dict[str, Any], **changes: Any) -> Campaign:
    document = {
        "schema": 1, "name": "programs", "stacks": ["openmpi-5.0", "mpich-5.0"], "operations": ["barrier"],
        "sizes": [8], "processes": [2], "processes_per_node": [1],
        "replication": {"blocks": 2, "launches_per_block": 2},
        "site": {"nodes": 8, "cores_per_node": 2}, "programs": {"npb": {**NPB, **npb}}, **changes,
    }  # fmt: skip
    return Campaign.model_validate(document)


def runs(plan: Plan, **of: object) -> list[tuple[str, int, int]]:
    """Kernel, processes and processes per node of the planned programs."""
    return [
        (launch.program.kernel, launch.point.processes, launch.point.processes_per_node)
        for launch in plan.launches
        if launch.program is not None and all(getattr(launch, name) == value for name, value in of.items())
    ]


@pytest.mark.parametrize(
    ("kernel", "counts"),
    [
        ("EP", list(range(1, 26))),
        *((kernel, [1, 2, 4, 8, 16]) for kernel in ("IS", "CG", "MG", "FT", "LU")),
        *((kernel, [1, 4, 9, 16, 25]) for kernel in ("SP", "BT")),
    ],
)
def test_each_kernel_takes_its_numbers_of_processes(kernel: str, counts: list[int]) -> None:
    assert [count for count in range(1, 26) if accepts(kernel, count)] == counts


def test_every_kernel_class_and_stack_runs_where_it_can_in_every_block() -> None:
    three = ["EP", "LU", "SP"]
    plan = make_plan(campaign({"kernels": three, "processes": [1, 3, 4], "processes_per_node": [1, 2]}))
    expected = {("EP", 1, 1), ("EP", 3, 1), ("EP", 3, 2), ("EP", 4, 1), ("EP", 4, 2)}
    expected |= {(kernel, count, each) for kernel in ("LU", "SP") for count, each in ((1, 1), (4, 1), (4, 2))}
    found = Counter(runs(plan))
    assert set(found) == expected
    assert set(found.values()) == {2 * 2 * 2}, "stacks, classes, blocks"
    names = [launch.name for launch in plan.launches]
    assert len(set(names)) == len(names)
    assert "openmpi-5.0.p4.n2.packed.LU.A.b001.l1.npb" not in names, "four processes at two a node: another allocation"
    refused = {(item.program, item.point.processes, item.reason) for item in plan.skipped}
    assert ("npb LU", 3, "LU takes a power of two (1, 2, 4, 8 …) of processes, not 3") in refused
    assert ("npb SP", 3, "SP takes a square number (1, 4, 9, 16 …) of processes, not 3") in refused
    assert ("npb", 1, "2 processes per node are more than the 1 processes") in refused


def test_programs_are_no_results_and_stand_among_the_engines_launches() -> None:
    plain, plan = make_plan(campaign({}, programs=None)), make_plan(campaign({"launches_per_block": 2}))
    assert plan.files_of_results == [launch.file for launch in plan.launches if launch.program is None]
    assert Counter(plan.files_of_results) == Counter(plain.files_of_results)
    block = next(block for block in plan.blocks if any(launch.program for launch in block.launches))
    kinds = [launch.program is None for launch in block.launches]
    assert kinds != sorted(kinds) and kinds != sorted(kinds, reverse=True), "interleaved"
    assert {launch.launch for launch in block.launches if launch.program} == {1, 2}
    assert all(launch.cases(["barrier"], [8]) == [] for launch in block.launches if launch.program)


def test_the_placements_of_the_campaign_are_those_of_the_programs() -> None:
    placed = {"placements": ["packed", "chosen"], "node_lists": {"chosen": ["n3", "n1"]}}
    plan = make_plan(campaign({"kernels": ["EP"]}, **placed))
    hosts = {(launch.point.placement, tuple(launch.hosts)) for launch in plan.launches if launch.program}
    assert hosts == {("packed", ()), ("chosen", ("n3", "n1"))}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"kernels": ["SP"], "processes": [2, 8]},
            "SP takes a square number (1, 4, 9, 16 …) of processes, but the campaign has 2, 8",
        ),
        ({"kernels": ["DT"]}, "programs.npb.kernels"),
        ({"classes": ["D"]}, "programs.npb.classes"),
        ({"kernels": ["EP", "EP"]}, "EP is listed twice"),
        ({"node_map": [["a", "b"], ["a"]]}, "node_map: a is listed twice"),
        ({"flags": "-O3; rm x"}, "programs.npb.flags"),
    ],
)
def test_what_cannot_be_is_refused_with_the_key(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as error:
        campaign(changes)
    assert said in str(error.value).replace("\n", ".")


def test_a_source_that_is_no_npb_tree_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    text = "schema: 1\nname: x\nstacks: [openmpi-5.0]\noperations: [barrier]\nsizes: [8]\nprocesses: [2]\n"
    text += "processes_per_node: [2]\nprograms: {npb: {source: tree, kernels: [EP], classes: [S]}}\n"
    (tmp_path / "x.yaml").write_text(text)
    with pytest.raises(FileError, match=r"programs.npb.source: .*tree has no sys/make.common and Makefile"):
        load_campaign(tmp_path / "x.yaml")
    (tmp_path / "tree" / "sys").mkdir()
    for name in ("sys/make.common", "Makefile"):
        (tmp_path / "tree" / name).write_text("")
    assert load_campaign(tmp_path / "x.yaml").npb.source == str(tmp_path / "tree")  # type: ignore[union-attr]


def test_what_was_measured_before_is_the_estimate(tmp_path: Path) -> None:
    keys = {"stack": "mpich-5.0", "program": "npb", "kernel": "LU", "npb_class": "A", "processes": 2}
    keys |= {"processes_per_node": 1, "placement": "packed"}
    run = RunLayout(tmp_path)
    run.table("programs").parent.mkdir()
    pd.DataFrame([{**keys, "elapsed_s": seconds} for seconds in (40.0, 44.0, 90.0)]).to_parquet(run.table("programs"))
    plan = make_plan(campaign({}), _program_durations(run))
    found = {
        (launch.stack, launch.seconds == 45.0)
        for launch in plan.launches
        if launch.program is not None and launch.program.label == "npb.LU.A"
    }
    assert found == {("mpich-5.0", True), ("openmpi-5.0", False)}


def test_an_estimate_is_shorter_on_more_processes_and_longer_in_larger_classes() -> None:
    assert npb_seconds("LU", "A", 4) < npb_seconds("LU", "A", 1) < npb_seconds("LU", "C", 1)
