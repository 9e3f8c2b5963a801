# SPDX-License-Identifier: BSD-3-Clause
"""PBS Professional, OpenPBS, Torque."""

from __future__ import annotations

import pytest

from tests.sites.schedulers.conftest import Job


@pytest.mark.process
@pytest.mark.parametrize("back_end", ["pbs", "pbspro", "torque", "local"])
def test_the_hosts_are_in_a_file_with_a_line_for_each_process(in_a_job: Job, back_end: str) -> None:
    assert in_a_job.hosts(back_end, file=("PBS_NODEFILE", "n2\nn2\nn1\n"), PBS_JOBID="7.server") == "n2 n1"
