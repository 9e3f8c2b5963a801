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
    access = ["-pe mpi {processes}", "-q all.q"]
    assert scheduler.request([], access, processes=8, per_node=4) == ["-r n", "-pe mpi 8", "-q all.q"]
