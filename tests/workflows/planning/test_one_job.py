# SPDX-License-Identifier: BSD-3-Clause
"""A plan that is made within a job says that its blocks are all of this job, unless they are submitted."""

from __future__ import annotations

from typing import Any

import pytest

from isochron.schemas.input.campaign import Campaign
from isochron.workflows.planning import one_job
from isochron.workflows.planning.one_job import format_one_job
from isochron.workflows.planning.plan import make_plan
from tests.workflows.conftest import SMALL


def sentence(environment: dict[str, str], blocks: int = 4, **site: Any) -> str:
    changes = {"processes": [2], "replication": {"blocks": blocks}, "site": {**SMALL["site"], **site}}
    campaign = Campaign.model_validate({**SMALL, **changes})
    return format_one_job(campaign, make_plan(campaign), environment)


@pytest.mark.parametrize("name", ["SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_URI", "OAR_JOB_ID", "PE_HOSTFILE"])
def test_blocks_within_a_job_are_not_spread_over_jobs(name: str) -> None:
    text = sentence({name: "7"})
    assert text.startswith("all 4 blocks run in the job of this call (" + name)
    assert "call isochron outside of jobs" in text and "`isochron run --new`" in text


def test_outside_of_jobs_or_with_one_block_nothing_is_said() -> None:
    assert sentence({}) == sentence({"SLURM_JOB_ID": ""}) == sentence({"HOME": "/root"}) == ""
    assert sentence({"SLURM_JOB_ID": "7"}, blocks=1) == ""


@pytest.mark.parametrize(("schedulers", "warned"), [(["local"], True), (["slurm"], False), ([], False)])
def test_submitted_blocks_are_jobs(schedulers: list[str], warned: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the scheduler is whose job the call is in; of a configuration that cannot be read nothing is known."""
    monkeypatch.setattr(one_job, "partition_schedulers", lambda _: schedulers)
    text = sentence({"FLUX_URI": "local:///run"}, reframe_config="site.py")
    assert bool(text) == warned
