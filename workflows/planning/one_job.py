# SPDX-License-Identifier: BSD-3-Clause
"""Blocks that cannot be spread over jobs, since the campaign is called within one and nothing submits others."""

from collections.abc import Mapping

from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.plan import Plan
from isochron.schemas.scheduler_kind import scheduler_kinds
from isochron.workflows.planning.partition import partition_schedulers

#: ReFrame's scheduler of a partition whose launches are started where it runs.
LOCAL = "local"


def format_one_job(campaign: Campaign, plan: Plan, environment: Mapping[str, str]) -> str:
    """Format why the blocks of a plan share the job of this call, with a remedy; empty if they do not.

    A plan of one block asks for no further job.
    """
    within = next((kind.within for kind in scheduler_kinds().values() if environment.get(kind.within)), None)
    if within is None or campaign.site.machine is not None or campaign.replication.blocks < 2:
        return ""
    if campaign.site.reframe_config is not None and set(partition_schedulers(campaign.site)) != {LOCAL}:
        return ""
    return (
        f"all {len(plan.blocks)} blocks run in the job of this call ({within} is set, and no other is submitted), so "
        "what another job would show is not measured; call isochron outside of jobs with a partition whose scheduler "
        "submits them (site.reframe_config), or measure again in further jobs (`isochron run --new`) and see "
        "`isochron history`"
    )
