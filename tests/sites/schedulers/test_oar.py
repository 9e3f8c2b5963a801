# SPDX-License-Identifier: BSD-3-Clause
"""OAR."""

from __future__ import annotations

import pytest

from tests.sites.schedulers.conftest import Job


@pytest.mark.process
@pytest.mark.parametrize("variable", ["OAR_NODEFILE", "OAR_NODE_FILE"])
def test_the_hosts_are_in_a_file_with_a_line_for_each_core(in_a_job: Job, variable: str) -> None:
    assert in_a_job.hosts("oar", file=(variable, "n1\nn1\nn3\nn3\n"), OAR_JOB_ID="7") == "n1 n3"
