# SPDX-License-Identifier: BSD-3-Clause
"""The campaigns of a search for cliffs; what they measure is played by a curve."""

from __future__ import annotations

from math import log
from pathlib import Path
from typing import Any, cast

import pytest

from isochron.common.files import FileError
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.cliffs import experiments as module
from isochron.workflows.cliffs.experiments import FOLDER, Axis, Curve
from isochron.workflows.planning.plan import make_plan

CAMPAIGN = Campaign.model_validate(
    {
        "schema": 1, "name": "mine", "stacks": ["mpich-4.3", "fast"], "operations": ["barrier", "bcast"],
        "sizes": [8, 64], "processes": [2, 4], "processes_per_node": [1, 2], "seed": 5,
        "variants": {"fast": {"stack": "mpich-5.0", "environment": {"MPIR_CVAR_X": "1"}}},
        "question": {"baseline": "mpich-4.3", "candidate": "fast"}, "contrasts": {"loop": {"scheme": "loop"}},
        "sizes_by_operation": {"bcast": [8]}, "site": {"nodes": 600, "cores_per_node": 2},
    }
)  # fmt: skip


def curve_of(axis: Axis, results: Path, stack: str = "fast") -> Curve:
    at = 10_000 if axis == "block_length" else 64
    return Curve(CAMPAIGN, stack, "alltoall", axis, at, 4, results, cast(Any, None), quiet=True)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """What each experiment asked for. The time is the point, and half of it below 100."""
    experiments: list[list[int]] = []

    def levels(run: RunLayout) -> list[dict[str, Any]]:
        campaign = load_campaign(run.campaign)
        if campaign.engine.datatype != "auto":
            length = int(campaign.engine.datatype.split(":")[2])
            experiments.append([length])
            return [{"bytes": campaign.sizes[0], "log_us": log(length * (0.5 if length < 100 else 1)), "half": 0.01}]
        axis, many = ("processes", campaign.processes) if campaign.sizes == [64] else ("bytes", campaign.sizes)
        experiments.append(many)
        return [{axis: one, "log_us": log(one * (0.5 if one < 100 else 1)), "half": 0.01} for one in many]

    monkeypatch.setattr(module, "measure", lambda *_, **__: None)
    monkeypatch.setattr(module, "levels_of", levels)
    return experiments


@pytest.mark.parametrize("axis", ["bytes", "processes"])
def test_a_cliff_is_found_in_fresh_blocks(axis: Axis, tmp_path: Path, measured: list[list[int]]) -> None:
    curve = curve_of(axis, tmp_path)
    [cliff] = curve.cliffs(16, 1024, 0.2, 40)
    assert (cliff.before, cliff.after) == (99, 100)
    assert measured[-1] == [99, 100] and measured[0] == [16, 32, 64, 128, 256, 512, 1024]
    assert set(curve.points) == {point for asked in measured for point in asked}
    assert len({run.name for run in (tmp_path / FOLDER / "cliffs-alltoall-fast").glob("2*")}) == len(measured)


def test_an_experiment_is_of_one_stack_and_one_operation(tmp_path: Path) -> None:
    curve = curve_of("bytes", tmp_path)
    first, second = curve.campaign_of([8, 16]), curve.campaign_of([8, 16])
    assert (first.stacks, list(first.variants), first.operations) == (["fast"], ["fast"], ["alltoall"])
    assert (first.sizes, first.processes, first.processes_per_node) == ([8, 16], [4], [2])
    assert not first.contrasts and not first.sizes_by_operation
    assert make_plan(first).digest != make_plan(second).digest
    assert len(make_plan(first).launches) == 4
    by_processes = curve_of("processes", tmp_path).campaign_of([5, 6])
    assert (by_processes.sizes, by_processes.processes) == ([64], [5, 6])


def test_a_block_length_at_which_it_jumps(tmp_path: Path, measured: list[list[int]]) -> None:
    [cliff] = curve_of("block_length", tmp_path).cliffs(16, 1024, 0.2, 40)
    assert (cliff.before, cliff.after) == (99, 100)
    assert [100] in measured and all(len(asked) == 1 for asked in measured)


def test_an_experiment_of_a_block_length_is_of_whole_datatypes(tmp_path: Path) -> None:
    campaign = curve_of("block_length", tmp_path).campaign_of([24])
    assert (campaign.engine.datatype, campaign.sizes) == ("vector:8:24:48", [9984])
    assert len(make_plan(campaign).launches) == 4


def test_what_cannot_be_measured_is_said(tmp_path: Path, measured: list[list[int]]) -> None:
    with pytest.raises(FileError, match=r"processes 1625: needs 813 nodes; site\.nodes is 600"):
        curve_of("processes", tmp_path).cliffs(16, 4096, 0.2, 40)
    assert not measured
