# SPDX-License-Identifier: BSD-3-Clause
"""Grid Engine."""

from __future__ import annotations

import pytest

from isochron.schemas.scheduler_kind import scheduler_of
from tests.sites.schedulers.conftest import Job


@pytest.mark.process
def test_the_hosts_are_the_first_column_of_a_file(in_a_job: Job) -> None:
    file = "n2.site.org 4 all.q@n2.site.org UNDEFINED\nn1 4 all.q@n1 <NULL>\n"
    assert in_a_job.hosts("sge", file=("PE_HOSTFILE", file)) == "n2.site.org n1"


def test_the_access_of_the_partition_is_asked_for_with_the_parallel_environment() -> None:
    scheduler = scheduler_of("sge")
    assert scheduler is not None
    access = ["-pe mpi {processes}", "-pe fill {cores}", "-q all.q"]
    options = scheduler.request([], access, processes=8, per_node=4, cores=80)
    assert options == ["-r n", "-pe mpi 8", "-pe fill 80", "-q all.q"]


def test_a_resource_of_the_partition_asks_for_all_cores_of_the_nodes() -> None:
    scheduler = scheduler_of("sge")
    assert scheduler is not None
    resources = {"mpi": ["-pe mpi {num_slots}"], "threads": ["-l threads=2"], "gpu": ["-l gpu={number}"]}
    assert scheduler.slots_of(resources, 80) == {"mpi": {"num_slots": 80}}
