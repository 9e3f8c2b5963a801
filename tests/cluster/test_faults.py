# SPDX-License-Identifier: BSD-3-Clause
"""Faults of a cluster, really caused: a clear state of the block, nothing lost, and the next run completes."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

import pytest

from isochron.schemas.run.state import BlockState
from tests.cluster.conftest import Place
from tests.end_to_end.conftest import assert_every_launch_is_stored_once, processes_of

pytestmark = [pytest.mark.mpi, pytest.mark.slow]

#: Three launches of about four seconds: time for something to happen.
LONG = {"max_reps": 100000, "min_valid": 2, "wait": "sleep", "clock_sync": "linear", "stop": "time", "time_budget": 4}


#: Blocks whose jobs wait at the same time.
QUEUED = 24

#: Seconds for the end of a run.
PATIENCE = 900


@pytest.fixture
def long(place: Place) -> Place:
    """A campaign of one block with three launches, of which something can become in the middle."""
    place.write(operations=["barrier"], engine=LONG, replication={"blocks": 1, "launches_per_block": 3})
    return place


def first_launch_done(place: Place) -> bool:
    return any((place.folder / "results").glob("virtual/*/attempts/b001/01/*.exit"))


def job_of(place: Place) -> str:
    (job,) = place.cluster.jobs("%i")
    return job


def outcome(place: Place, block: str = "b001") -> BlockState:
    return BlockState.load(place.run.attempt(block, 1) / "outcome.json")


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
    assert driver.wait(PATIENCE) == 1
    state = outcome(long)
    assert (state.state, state.reason) == ("failed", "the job was cancelled")
    assert state.launches[0].accepted
    assert state.launches[-1].reason == "the launch was not started: the job was cancelled"
    assert_completes(long)


def test_a_controller_that_is_killed_and_comes_back(long: Place) -> None:
    """The call waits for the end of the job. Slurm holds the step that ended meanwhile for running: the launches after
    it may not start before their time is up.
    """
    long.write(
        operations=["barrier"], engine=LONG, replication={"blocks": 1, "launches_per_block": 3},
        limits={"launch_seconds": 60, "retries": 0},
    )  # fmt: skip
    driver = long.start("run", "virtual.yaml")
    long.wait_until(lambda: first_launch_done(long))
    long.cluster.kill("login", "slurmctld")
    time.sleep(10)
    long.cluster.start("login")
    assert driver.wait(PATIENCE) in (0, 1)
    accepted = [launch.name for launch in outcome(long).launches if launch.accepted]
    assert accepted, "what was measured before is kept"
    assert_completes(long)


def test_a_scheduler_that_does_not_answer(long: Place) -> None:
    """The block under way is given up, the next one cannot be submitted; both say so, and the next run has both."""
    long.write(
        operations=["barrier"], engine=LONG, replication={"blocks": 2, "launches_per_block": 2},
        limits={"launch_seconds": 60, "retries": 0, "scheduler_seconds": 20},
    )  # fmt: skip
    driver = long.start("run", "virtual.yaml")
    long.wait_until(lambda: first_launch_done(long))
    long.cluster.kill("login", "slurmctld")
    assert driver.wait(PATIENCE) == 1
    assert outcome(long).state == "failed"
    assert "the scheduler has not answered for 20 s; job 1 may still be running" in outcome(long).reason
    assert outcome(long, "b002").state == "failed"
    assert "Unable to contact slurm controller" in outcome(long, "b002").reason
    assert_completes(long)


def test_a_job_that_is_held_and_the_other_block(place: Place) -> None:
    """It is cancelled after limits.queue_hours, says that it was held, and the next block is measured."""
    place.write(
        operations=["barrier"], replication={"blocks": 2, "launches_per_block": 1},
        limits={"launch_seconds": 180, "retries": 0, "queue_hours": 60 / 3600},
    )  # fmt: skip
    place.cluster.on("login", "sbatch", "--nodes=4", "--exclusive", "--wrap=sleep 1000")
    place.wait_until(lambda: place.cluster.jobs("%i %T") == ["1 RUNNING"])
    driver = place.start("run", "virtual.yaml")
    place.wait_until(lambda: "2 PENDING" in place.cluster.jobs("%i %T"))
    place.cluster.on("login", "scontrol", "uhold", "2")
    place.cluster.on("login", "scancel", "1")
    assert driver.wait(PATIENCE) == 1
    assert outcome(place).state == "failed"
    assert outcome(place).reason == (
        "the job was cancelled before it started (limits.queue_hours is 0.0167); "
        "the scheduler's reason for the wait: JobHeldUser"
    )
    assert (place.run.root / "blocks" / "b002.json").exists()
    assert_completes(place)


def test_a_node_whose_daemon_is_killed(long: Place) -> None:
    """Slurm declares the node down and ends the job."""
    driver = long.start("run", "virtual.yaml")
    long.wait_until(lambda: first_launch_done(long))
    long.cluster.on("a2", "pkill", "-KILL", "-f", "slurm(d|stepd)")
    long.cluster.on("login", "scontrol", "update", "NodeName=a2", "State=DOWN", "Reason=gone")
    assert driver.wait(PATIENCE) == 1
    assert outcome(long).reason == "a node of the job failed"
    assert_completes(long)


def test_a_job_that_reaches_its_time_limit(long: Place) -> None:
    long.write(
        operations=["barrier"],
        engine={**LONG, "time_budget": 60},
        replication={"blocks": 1, "launches_per_block": 3},
        limits={"launch_seconds": 100, "retries": 0},
    )
    driver = long.start("run", "virtual.yaml")
    long.wait_until(lambda: long.cluster.jobs("%T") == ["RUNNING"])
    long.cluster.on("login", "scontrol", "update", f"JobId={job_of(long)}", "TimeLimit=1")
    assert driver.wait(PATIENCE) == 1
    assert outcome(long).state == "failed"
    assert outcome(long).reason == "the job reached its time limit"
    assert outcome(long).launches[-1].reason.endswith(": the job reached its time limit")


def test_a_job_that_is_preempted(long: Place) -> None:
    driver = long.start("run", "virtual.yaml")
    long.wait_until(lambda: first_launch_done(long))
    long.cluster.on("login", "srun", "--partition=urgent", "--nodes=4", "--exclusive", "hostname")
    assert driver.wait(PATIENCE) == 1
    assert outcome(long).reason in ("the job was preempted", "the job was cancelled")
    assert_completes(long)


def test_a_rejected_job_and_the_other_blocks(place: Place) -> None:
    place.write("nowhere", operations=["barrier"], replication={"blocks": 2, "launches_per_block": 1})
    done = place.isochron("run", "virtual.yaml")
    assert done.returncode == 1
    for block in ("b001", "b002"):
        assert outcome(place, block).state == "failed"
        assert "invalid partition specified: nowhere" in outcome(place, block).reason


def test_a_drained_node_fails_the_blocks_that_need_it_and_no_other(place: Place) -> None:
    place.write(
        operations=["barrier"], processes=[4], processes_per_node=[1, 2],
        replication={"blocks": 1, "launches_per_block": 1},
        limits={"launch_seconds": 180, "retries": 0, "queue_hours": 60 / 3600},
    )  # fmt: skip
    place.cluster.on("login", "scontrol", "update", "NodeName=b2", "State=DRAIN", "Reason=test")
    done = place.isochron("run", "virtual.yaml")
    assert done.returncode == 1
    assert (place.run.root / "blocks" / "b001.json").exists()
    assert "Nodes required for job are DOWN, DRAINED" in outcome(place, "b002").reason
    assert_completes(place)


def test_a_killed_driver_with_many_jobs_in_the_queue_loses_and_doubles_none(place: Place) -> None:
    """All blocks wait for the nodes; the next call ends their jobs and submits each block once."""
    place.write(
        operations=["barrier"], replication={"blocks": QUEUED, "launches_per_block": 1},
        site={"parallel_blocks": QUEUED},
    )  # fmt: skip
    other = place.cluster.occupy()

    def queued() -> set[str]:
        return set(place.cluster.jobs("%i")) - {other}

    place.start("run", "virtual.yaml")
    place.wait_until(lambda: len(queued()) == QUEUED, PATIENCE)
    first = queued()
    for pid in processes_of(place.run.root, 0) - {0}:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    assert queued() == first, "the jobs outlive the processes that submitted them"
    driver = place.start("run", "virtual.yaml")
    place.wait_until(lambda: len(queued() - first) == QUEUED, PATIENCE)
    assert not first & queued(), "no block has two jobs"
    place.cluster.on("login", "scancel", other)
    assert driver.wait(PATIENCE) == 0
    assert_every_launch_is_stored_once(place.run)
