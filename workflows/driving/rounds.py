# SPDX-License-Identifier: BSD-3-Clause
"""After what is planned is measured: whether a further round or stage is due, and adding it to the run's plan."""

from __future__ import annotations

from isochron.bookkeeping.budget import usage
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.interim import Looks
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.remeasure import Flagged
from isochron.schemas.run.state import RunState
from isochron.workflows.driving.comparison import look_at
from isochron.workflows.planning.remeasure import next_round, rounds
from isochron.workflows.planning.stages import next_stage


def append_round(run: RunLayout, campaign: Campaign) -> str:
    """Add a round for what is in doubt, as far as rounds and node hours are left.

    Returns a sentence for people, empty where nothing is in doubt or no round was asked for. Whether one was
    added is seen from the plan: some launches are then missing.
    """
    plan = Plan.load(run.plan)
    if rounds(plan) >= campaign.remeasure.rounds or not run.flagged.exists():
        return ""
    flagged = Flagged.load(run.flagged)
    if not flagged.rows:
        return ""
    spent = usage(run, plan)
    limit = campaign.limits.node_hours
    left = None if limit is None else limit - spent.committed
    fresh, unaffordable = next_round(campaign, plan, flagged, left, spent.estimate)
    said = f"{_count(len(flagged.rows), 'row')} at {_count(len(flagged.points), 'point')} need remeasurement"
    if unaffordable:
        said += f"; {len(unaffordable)} of these points exceed limits.node_hours = {limit:g}"
    if len(fresh.blocks) == len(plan.blocks):
        return said
    fresh.save_sealed(run.plan)
    RunState.load(run.state).model_copy(update={"planned_launches": len(fresh.launches)}).save_sealed(run.state)
    return f"{said}: round {rounds(fresh)} adds {_count(len(fresh.blocks) - len(plan.blocks), 'block')}"


def append_stage(run: RunLayout, campaign: Campaign) -> str:
    """Look at a sequential campaign whose blocks so far are measured and stored, and add those that it still needs.

    Returns a sentence for people. What was decided is written before the plan: a run that is cut off in between goes on
    from that, and does not look again.
    """
    plan = Plan.load(run.plan)
    looks = Looks.load(run.looks).looks if run.looks.exists() else []
    if len(looks) <= plan.stage:
        looks = [*looks, look_at(run)]
        Looks(looks=looks).save_sealed(run.looks)
    now = looks[plan.stage]
    spent = usage(run, plan)
    limit = campaign.limits.node_hours
    fresh, left_out = next_stage(
        campaign, plan, now.open, None if limit is None else limit - spent.committed, spent.estimate
    )
    fresh.save_sealed(run.plan)
    RunState.load(run.state).model_copy(update={"planned_launches": len(fresh.launches)}).save_sealed(run.state)
    decided = sum(len(look.decided) for look in looks[: plan.stage + 1])
    said = f"after {_count(now.blocks, 'block')} per node count {_count(decided, 'comparison')} decided"
    said += f", {len(now.open)} inconclusive at {_count(len({each.point for each in now.open}), 'point')}"
    if left_out:
        said += f"; {left_out} of these points exceed limits.node_hours = {limit:g}"
    added = len(fresh.blocks) - len(plan.blocks)
    return f"{said}: {_count(added, 'block')} more" if added else f"{said}: no more blocks"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
