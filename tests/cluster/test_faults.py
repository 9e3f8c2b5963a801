# SPDX-License-Identifier: BSD-3-Clause
"""Faults of a cluster, really caused: a clear state of the block, nothing lost, and the next run completes."""

from __future__ import annotations

import pytest

from tests.cluster.conftest import Place
from tests.end_to_end.conftest import assert_every_launch_is_stored_once
from workflows.schemas.state import BlockState

pytestmark = pytest.mark.mpi

#: Three launches of about four seconds: time for something to happen.
LONG = {"max_runs": 100000, "min_valid": 2, "wait": "sleep", "clock_sync": "linear", "stop": "time", "time_budget": 4}


@pytest.fixture
def long(place: Place) -> Place:
    """A campaign of one block with three launches, of which something can become in the middle."""
    place.write(operations=["barrier"], engine=LONG, repetition={"blocks": 1, "launches_per_block": 3})
    return place


def first_launch_done(place: Place) -> bool:
    return any((place.folder / "results").glob("virtual/*/attempts/b001/01/*.exit"))


def job_of(place: Place) -> str:
    (job,) = place.cluster.jobs("%i")
    return job


def outcome(place: Place, attempt: int = 1) -> BlockState:
    return BlockState.load(place.run.attempt("b001", attempt) / "outcome.json")


def assert_completes(place: Place) -> None:
    """One more `isochron run`, and the store holds every planned launch exactly once."""
    place.cluster.repair()
    done = place.isochron("run", "virtual.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert_every_launch_is_stored_once(place.run)


def test_a_job_that_was_cancelled(long: Place) -> None:
    driver = long.start("run", "virtual.yaml")
    long.wait_until(lambda: first_launch_done(long))
    long.cluster.on("login", "scancel", job_of(long))
    assert driver.wait(120) == 1
    state = outcome(long)
    assert (state.state, state.reason) == ("failed", "the job was cancelled")
    assert state.launches[0].accepted
    assert state.launches[-1].reason == "the launch was interrupted: the job was cancelled"
    assert_completes(long)


@pytest.mark.slow
def test_a_controller_that_is_killed_and_comes_back(long: Place) -> None:
    """The call waits for the end of the job; a launch that needed the controller meanwhile may fail."""
    driver = long.start("run", "virtual.yaml")
    long.wait_until(lambda: first_launch_done(long))
    long.cluster.kill("login", "slurmctld")
    long.wait_until(lambda: len(list(long.run.attempt("b001", 1).glob("*.jsonl"))) >= 2)
    long.cluster.start("login")
    assert driver.wait(240) in (0, 1)
    accepted = [launch.name for launch in outcome(long).launches if launch.accepted]
    assert accepted, "what was measured before is kept"
    assert_completes(long)


@pytest.mark.slow
def test_a_node_whose_daemon_is_killed(long: Place) -> None:
    """Slurm declares the node down and ends the job."""
    driver = long.start("run", "virtual.yaml")
    long.wait_until(lambda: first_launch_done(long))
    long.cluster.on("a2", "pkill", "-KILL", "-f", "slurm(d|stepd)")
    long.cluster.on("login", "scontrol", "update", "NodeName=a2", "State=DOWN", "Reason=gone")
    assert driver.wait(180) == 1
    assert outcome(long).reason == "a node of the job failed"
    assert_completes(long)


@pytest.mark.slow
def test_a_job_that_reaches_its_time_limit(long: Place) -> None:
    long.write(
        operations=["barrier"],
        engine={**LONG, "time_budget": 60},
        repetition={"blocks": 1, "launches_per_block": 3},
        limits={"launch_seconds": 100, "retries": 0},
    )
    driver = long.start("run", "virtual.yaml")
    long.wait_until(lambda: long.cluster.jobs("%T") == ["RUNNING"])
    long.cluster.on("login", "scontrol", "update", f"JobId={job_of(long)}", "TimeLimit=1")
    assert driver.wait(240) == 1
    assert outcome(long).reason == "the job reached its time limit"


@pytest.mark.slow
def test_a_job_that_is_preempted(long: Place) -> None:
    driver = long.start("run", "virtual.yaml")
    long.wait_until(lambda: first_launch_done(long))
    long.cluster.on("login", "srun", "--partition=urgent", "--nodes=4", "--exclusive", "hostname")
    assert driver.wait(120) == 1
    assert outcome(long).reason in ("the job was preempted", "the job was cancelled")
    assert_completes(long)


def test_a_rejected_job_and_the_other_blocks(place: Place) -> None:
    place.write("nowhere", operations=["barrier"], repetition={"blocks": 2})
    done = place.isochron("run", "virtual.yaml")
    assert done.returncode == 1
    for block in ("b001", "b002"):
        state = BlockState.load(place.run.attempt(block, 1) / "outcome.json")
        assert state.state == "failed"
        assert "invalid partition specified: nowhere" in state.reason


@pytest.mark.slow
def test_a_drained_node_fails_the_blocks_that_need_it_and_no_other(place: Place) -> None:
    place.write(
        operations=["barrier"], processes=[4], processes_per_node=[1, 2], repetition={"blocks": 1},
        limits={"launch_seconds": 60, "retries": 0, "queue_hours": 10 / 3600},
    )  # fmt: skip
    place.cluster.on("login", "scontrol", "update", "NodeName=b2", "State=DRAIN", "Reason=test")
    done = place.isochron("run", "virtual.yaml")
    assert done.returncode == 1
    assert (place.run.root / "blocks" / "b001.json").exists()
    assert "cancelled" in BlockState.load(place.run.attempt("b002", 1) / "outcome.json").reason
    assert_completes(place)
