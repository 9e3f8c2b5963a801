# SPDX-License-Identifier: BSD-3-Clause
"""The design `turns`: what a campaign must be for it."""

from typing import NamedTuple

from isochron.schemas.input.keys import Keys

#: Largest number of stacks in a session: the engine admits 32 residents, and one is the standard candle.
MAX_STACKS = 31

#: Passes of a launch, and sessions in a block, if the campaign does not state `engine.passes` and
#: `replication.launches_per_block`: the block is the unit of every ratio, so further blocks are worth more.
PASSES, SESSIONS = 12, 1


def turn_passes(passes: int) -> int:
    """Return how many of the passes of a launch are made in each of its turns.

    Two if their number is even: the second shows what the other launches leave behind, which slows only the first.
    """
    return 2 if passes % 2 == 0 else 1


class Obstacle(NamedTuple):
    """The reason why launches cannot measure in turns, and what would permit it."""

    reason: str
    remedy: str


def obstacle_to_turns(campaign: Keys) -> Obstacle | None:
    """Return the key of a campaign that excludes turns, as a reason with its remedy; None if there is none."""
    if campaign.site.machine is not None:
        return Obstacle("simulated launches do not share a machine", "remove `turns`")
    if len(campaign.stacks) < 2:
        return Obstacle("one stack has nobody to take turns with", "add a stack, or remove `turns`")
    if len(campaign.stacks) > MAX_STACKS:
        return Obstacle(f"at most {MAX_STACKS} stacks can take turns", "remove some, or remove `turns`")
    if campaign.engine.probes == "gate":
        return Obstacle("`engine.probes: gate` would hold a turn while it waits", "write `probes: record`")
    if campaign.engine.buffers == "cold":
        return Obstacle(
            "`engine.buffers: cold` would use all buffers first in every turn",
            "write `buffers: warm`, or remove `turns`",
        )
    return None
