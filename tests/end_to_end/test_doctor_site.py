# SPDX-License-Identifier: BSD-3-Clause
"""`isochron doctor --site` on this machine: a stack is tried in turns with itself, and its binding is judged."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.conftest import Place

pytestmark = [pytest.mark.mpi, pytest.mark.campaign]


def doctor(place: Place, *words: str) -> tuple[int, dict[str, dict[str, Any]]]:
    done = place.isochron("doctor", "--site", "mini.yaml", "--format", "json", *words)
    assert done.stdout.startswith("["), done.stdout + done.stderr
    return done.returncode, {row["check"]: row for row in json.loads(done.stdout)}


def test_what_works_and_a_variable_that_switches_binding_off(place: Place) -> None:
    unbound = {"PRTE_MCA_hwloc_default_binding_policy": "none"}
    place.write(stacks=["unbound"], variants={"unbound": {"stack": "openmpi-5.0", "environment": unbound}})
    code, found = doctor(place)
    assert code == 0
    assert {name: found[name]["level"] for name in ("launch", "overlapping", "library")} == dict.fromkeys(
        ["launch", "overlapping", "library"], "ok"
    )
    assert found["library"]["finding"].startswith("Open MPI 5.0.")
    if len(os.sched_getaffinity(0)) > 1:
        assert (found["binding"]["level"], found["binding"]["write"]) == (
            "warning",
            "campaign file: variants.unbound.environment: without PRTE_MCA_hwloc_default_binding_policy",
        )
    assert not list((place.folder / "results" / ".doctor").glob("doctor-*"))


@pytest.mark.slow
def test_two_nodes_on_one_machine_without_a_scheduler(place: Place) -> None:
    place.write(stacks=["mpich-5.0", "openmpi-5.0"], site={"nodes": 2})
    code, found = doctor(place, "--stacks", "mpich-5.0")
    assert code == 1
    assert "--expect-hosts 2" in found["launch"]["finding"]
    assert found["launch"]["write"].startswith("campaign file: site.nodes: 1")
    (run,) = Path(place.folder / "results" / ".doctor" / "doctor-mpich-5.0").glob("20*")
    assert (run / "campaign.yaml").is_file()
