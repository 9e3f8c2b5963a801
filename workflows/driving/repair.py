# SPDX-License-Identifier: BSD-3-Clause
"""Raw files that have been damaged or taken away since they were accepted: their launches are run again."""

from __future__ import annotations

from isochron.schemas.launch_file import damage
from isochron.schemas.layout import RunLayout
from isochron.schemas.plan import Block, Plan, PlannedLaunch


def damaged(run: RunLayout, plan: Plan) -> list[tuple[Block, PlannedLaunch]]:
    """Launches whose block is done, but whose raw file is not (any more) what the engine wrote."""
    return [
        (block, launch)
        for block in plan.blocks
        if run.block(block.name).exists()
        for launch in block.launches
        if damage(run.launch(launch.name))
    ]


def set_aside(run: RunLayout, plan: Plan) -> int:
    """Move such files to the attempts of their block and let the block run again. Returns how many there were.

    The damaged bytes are kept as `attempts/<block>/<launch>.damaged`, for whoever wants to know what happened.
    """
    found = damaged(run, plan)
    for block, launch in found:
        raw = run.launch(launch.name)
        if raw.exists():
            raw.replace(run.attempts(block.name) / f"{launch.name}.damaged")
        run.block(block.name).unlink(missing_ok=True)
    return len(found)
