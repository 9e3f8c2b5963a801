# SPDX-License-Identifier: BSD-3-Clause
"""In which operations the program of a stack ended, from the outcomes of a run."""

from __future__ import annotations

from pathlib import Path

from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.state import BlockState, LaunchOutcome
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.upgrade.stages import Versions
from isochron.workflows.upgrade.upgrade import ended_in

ENDED = "exit code 11: isochron-engine: rank 1: signal 11 while measuring allgather_init of 65536 bytes"
TOO_LONG = "exit code 6 (lost its turn): isochron: turn 3 of --turn 0/2 took longer than 10 s while measuring {}; ended"


def run_with(folder: Path, outcomes: dict[str, list[str]]) -> RunLayout:
    """A run of two stacks; `outcomes`: of each stack by block why its launch failed, empty if it is complete."""
    run = RunLayout(folder)
    site = {"processes": [2], "processes_per_node": [2]}
    make_plan(Versions(["mpich@4.0.3", "mpich@4.1.3"], site).screening(3)).save(run.plan)
    for number in range(3):
        launches = [
            LaunchOutcome(name=f"{stack}.p2.n2.packed.b00{number + 1}.l1", accepted=not reasons[number],
                          reason=reasons[number])
            for stack, reasons in outcomes.items()
        ]  # fmt: skip
        state = BlockState(
            block=f"b00{number + 1}", state="failed", attempt=1, started_at="", ended_at="", launches=launches
        )
        path = folder / "attempts" / state.block / "01" / "outcome.json"
        path.parent.mkdir(parents=True)
        state.save(path)
    return run


def test_ended_in_names_operations_of_a_stack_without_complete_launches(tmp_path: Path) -> None:
    reasons = {"mpich-4.0.3": [ENDED, ENDED, TOO_LONG.format("scan of 8 bytes")], "mpich-4.1.3": ["", "", ""]}
    assert ended_in(run_with(tmp_path, reasons)) == {"mpich-4.0.3": ["allgather_init", "scan"]}


def test_ended_in_counts_the_launches_of_an_operation(tmp_path: Path) -> None:
    reasons = {"mpich-4.0.3": [ENDED, ENDED, TOO_LONG.format("scan of 8 bytes")], "mpich-4.1.3": [ENDED, "", ""]}
    assert ended_in(run_with(tmp_path, reasons), 2) == {"mpich-4.0.3": ["allgather_init"]}


def test_ended_in_is_empty_for_a_stack_that_completed_once(tmp_path: Path) -> None:
    reasons = {"mpich-4.0.3": [ENDED, "", ENDED], "mpich-4.1.3": ["", "", ""]}
    assert ended_in(run_with(tmp_path, reasons)) == {}


def test_ended_in_needs_an_operation(tmp_path: Path) -> None:
    reasons = {"mpich-4.0.3": ["exit code 137 (killed)"] * 3, "mpich-4.1.3": [""] * 3}
    assert ended_in(run_with(tmp_path, reasons)) == {}
