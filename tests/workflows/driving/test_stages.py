# SPDX-License-Identifier: BSD-3-Clause
"""The driver of a sequential campaign: looks, blocks that are added, and calls that are cut off in between."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from isochron.common.copies import copy_of
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.next_blocks import Comparison, Decided, InterimAnalysis, InterimFile
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import RunState
from isochron.schemas.run.store import TABLES
from isochron.workflows.driving import run as driver
from isochron.workflows.driving.repair import heal_files
from isochron.workflows.driving.run import append_stage
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run
from tests.workflows.conftest import campaign

REPLICATION = {"blocks": 10, "launches_per_block": 2, "sequential": True}
CAMPAIGN = campaign(replication=REPLICATION, processes=[2])
POINT = make_plan(CAMPAIGN).points[0]
KNOWN: dict[str, Any] = {"baseline": "openmpi-5.0", "candidate": "mpich-5.0", "point": POINT}
OPEN = Comparison(**KNOWN, operation="bcast", bytes=8)
DECIDED = Decided(**KNOWN, operation="bcast", bytes=1024, verdict="equivalent")


def looking(still: list[Comparison]) -> Any:
    """In the place of the look: leaves the same open each time."""

    def analyse(run: RunLayout) -> InterimAnalysis:
        stage = Plan.load(run.plan).stage
        blocks = CAMPAIGN.interim_blocks[stage]
        return InterimAnalysis(stage=stage, blocks=blocks, level=0.01, equal_level=0.01, decided=[DECIDED], open=still)

    return analyse


@pytest.fixture
def planned(tmp_path: Path) -> RunLayout:
    return create_run(tmp_path, CAMPAIGN, make_plan(CAMPAIGN))


def test_a_look_adds_the_blocks_of_what_is_open(planned: RunLayout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "take_interim_analysis", looking([OPEN]))
    said = append_stage(planned, CAMPAIGN)
    assert said == "after 4 blocks per node count 1 comparison decided, 1 inconclusive at 1 point: 1 block more"
    plan = Plan.load(planned.plan)
    assert (len(plan.blocks), plan.stage) == (5, 1)
    assert plan.blocks[-1].launches[0].operations == ["bcast"]
    assert RunState.load(planned.state).planned_launches == len(plan.launches) == 20
    assert [look.open for look in InterimFile.load(planned.interim).analyses] == [[OPEN]]


def test_a_run_that_was_cut_off_after_its_look_does_not_look_again(
    planned: RunLayout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record decides how a run goes on, and it is restored where it is damaged."""

    def cut_off(self: Plan, path: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as first:
        first.setattr(driver, "take_interim_analysis", looking([OPEN]))
        first.setattr(Plan, "save_sealed", cut_off)
        with pytest.raises(KeyboardInterrupt):
            append_stage(planned, CAMPAIGN)
    assert Plan.load(planned.plan).stage == 0
    planned.interim.write_bytes(b"")
    assert heal_files(planned) == [f"{planned.interim}: damaged or lost; restored from its copy"]
    assert copy_of(planned.interim).exists()

    def not_again(run: RunLayout) -> InterimAnalysis:
        raise AssertionError("looked twice")

    monkeypatch.setattr(driver, "take_interim_analysis", not_again)
    append_stage(planned, CAMPAIGN)
    plan = Plan.load(planned.plan)
    assert (plan.stage, len(plan.blocks)) == (1, 5)


def test_what_does_not_fit_into_the_budget_is_left_open(planned: RunLayout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "take_interim_analysis", looking([OPEN]))
    poor = CAMPAIGN.model_copy(update={"limits": CAMPAIGN.limits.model_copy(update={"node_hours": 1e-6})})
    assert append_stage(planned, poor).endswith("1 of these points exceed limits.node_hours = 1e-06: no more blocks")
    assert not Plan.load(planned.plan).later


@pytest.mark.parametrize(("still", "calls"), [([], [True, False]), ([OPEN], [True, True, True, False])])
def test_the_report_is_made_once_nothing_is_left_for_later(
    planned: RunLayout, monkeypatch: pytest.MonkeyPatch, still: list[Comparison], calls: list[bool]
) -> None:
    """Until then what is made of the blocks ends at the store."""
    seen = []

    def touched(files: list[Path]) -> None:
        for path in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()

    def snakemake(on: driver.Drive, plan: Plan) -> int:
        touched([planned.launch(launch.name) for launch in plan.launches])
        return 0

    def report(on: driver.Drive, plan: Plan, until_store: bool) -> bool:
        seen.append(until_store)
        touched([planned.table(name) for name in TABLES] + ([] if until_store else [planned.report, planned.summary]))
        return True

    monkeypatch.setattr(driver, "take_interim_analysis", looking(still))
    monkeypatch.setattr(driver, "_snakemake", snakemake)
    monkeypatch.setattr(driver, "_report", report)
    on = driver.Drive(planned, CAMPAIGN, driver.RunOptions(), Console(quiet=True), True, None)  # type: ignore[arg-type]
    assert driver._measure(on).state.state == "complete"
    assert seen == calls
    assert not Plan.load(planned.plan).later
