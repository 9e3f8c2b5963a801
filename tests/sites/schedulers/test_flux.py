# SPDX-License-Identifier: BSD-3-Clause
"""Flux."""

from __future__ import annotations

import pytest

from tests.sites.schedulers.conftest import Job


@pytest.mark.process
@pytest.mark.parametrize("others", [{}, {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[1-9]"}])
def test_the_hosts_are_those_of_the_instance_also_within_a_job_of_another(
    in_a_job: Job, others: dict[str, str]
) -> None:
    assert in_a_job.hosts("local", FLUX_URI="local:///run/flux/local-0", **others) == "n1 n2"
