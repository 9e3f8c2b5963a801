# SPDX-License-Identifier: BSD-3-Clause
"""`isochron doctor --site` with a real Slurm: its launcher, those of libraries, and a partition that is not there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cluster.conftest import Place


def doctor(place: Place, code: int) -> dict[str, dict[str, Any]]:
    """What it prints about the only stack, by check."""
    done = place.isochron("doctor", "--site", "virtual.yaml", "--format", "json")
    assert done.returncode == code, done.stdout + done.stderr
    return {row["check"]: row for row in json.loads(done.stdout)}


@pytest.mark.slow
@pytest.mark.mpi
@pytest.mark.campaign
def test_a_stack_on_two_nodes(place: Place) -> None:
    place.write("srun", replication={"blocks": 1, "launches_per_block": 1, "design": "random"})
    found = doctor(place, 0)
    works = ("launch", "overlapping", "library", "clocks")
    assert {check: found[check]["level"] for check in works} == dict.fromkeys(works, "ok"), found
    assert found["launch"]["finding"].startswith("4 ranks by srun: 0-1 on ")
    assert "drift at most" in found["clocks"]["finding"]


@pytest.mark.slow
@pytest.mark.mpi
@pytest.mark.campaign
@pytest.mark.parametrize("stack", ["openmpi-4.1", "openmpi-5.0", "mpich-5.0"])
def test_the_launchers_of_libraries(place: Place, stack: str) -> None:
    place.write("mpiexec", stacks=[stack])
    found = doctor(place, 0)
    assert {found[check]["level"] for check in ("launch", "overlapping", "library")} == {"ok"}, found
    assert found["launch"]["finding"].startswith("4 ranks by its own launcher: 0-1 on ")


@pytest.mark.slow
@pytest.mark.campaign
def test_an_unknown_partition(place: Place) -> None:
    place.write("nowhere")
    found = doctor(place, 1)
    assert set(found) == {"job"}
    assert found["job"]["write"].startswith("ReFrame configuration: partition, access:"), found
