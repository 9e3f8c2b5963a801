# SPDX-License-Identifier: BSD-3-Clause
"""IBM Spectrum LSF."""

from __future__ import annotations

import pytest

from tests.sites.schedulers.conftest import Job


@pytest.mark.process
@pytest.mark.parametrize(
    ("file", "hosts"),
    [
        ("n1\nn1\nn2\n", "n1 n2"),
        ("batch5\nn1\nn1\nn2\n", "n1 n2"),
        ("login1\nn1\nbatch5\n", "n1 batch5"),
    ],
)
def test_the_hosts_without_the_launch_node(in_a_job: Job, file: str, hosts: str) -> None:
    assert in_a_job.hosts("lsf", file=("LSB_DJOB_HOSTFILE", file), LSB_JOBID="7") == hosts
