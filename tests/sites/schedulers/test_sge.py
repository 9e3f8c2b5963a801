# SPDX-License-Identifier: BSD-3-Clause
"""Grid Engine."""

from __future__ import annotations

import pytest

from tests.sites.schedulers.conftest import Job


@pytest.mark.process
def test_the_hosts_are_the_first_column_of_a_file(in_a_job: Job) -> None:
    file = "n2.site.org 4 all.q@n2.site.org UNDEFINED\nn1 4 all.q@n1 <NULL>\n"
    assert in_a_job.hosts("sge", file=("PE_HOSTFILE", file)) == "n2.site.org n1"
