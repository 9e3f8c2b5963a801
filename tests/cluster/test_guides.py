# SPDX-License-Identifier: BSD-3-Clause
"""The files of sites with Slurm run on two nodes of a real one, by ReFrame's back end that asks `sacct`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster.conftest import Place
from tests.cluster.test_campaign import assert_distinct_hosts
from tests.cluster.virtual import HERE, VirtualCluster
from tests.end_to_end.conftest import assert_every_launch_is_stored_once
from tests.sites.guides import copy_for_here
from tests.sites.libraries import Modules, reported

pytestmark = [pytest.mark.slow, pytest.mark.mpi, pytest.mark.campaign]

#: Launcher and library of each stack.
FOUND = {
    "slurm": {
        "mpich-x": ("srun", "MPICH Version:      5.0.2"),
        "openmpi-4.x": ("srun", "Open MPI v4.1.8"),
        "openmpi-5.x": ("srun", "Open MPI v5.0.11"),
    },
    "cray": {
        "current": ("srun", "MPI VERSION    : CRAY MPICH version 8.1.30.17 (ANL base 3.4a2)"),
        "next": ("srun", "MPI VERSION    : CRAY MPICH version 8.1.32.110 (ANL base 3.4a2)"),
    },
}


@pytest.mark.parametrize("name", FOUND)
def test_a_guide(name: str, cluster: VirtualCluster, tmp_path: Path) -> None:
    modules = Modules(tmp_path / "site")
    modules.real()
    programs = [HERE / "programs", *([HERE / "programs" / "cray"] if name == "cray" else [])]
    path = ":".join([*map(str, programs), cluster.environment["PATH"]])
    cluster.environment |= {**modules.variables, "PATH": path}
    campaign = copy_for_here(name, tmp_path)
    place = Place(tmp_path, cluster)
    done = place.isochron("run", campaign.name, "--until", "store")
    assert done.returncode == 0, done.stdout + done.stderr
    run = place.run_of("first")
    assert_every_launch_is_stored_once(run)
    assert_distinct_hosts(run)
    assert reported(run) == FOUND[name]
