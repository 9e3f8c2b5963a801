# SPDX-License-Identifier: BSD-3-Clause
"""How often everything is measured; and after how many blocks a sequential campaign is looked at, at which level.

The level of the tests is spent over looks that the design fixes before anything is measured (Slud and Wei 1982; Lan and
DeMets 1983). Its shares add up to it, so it holds at any stop, whatever the looks have in common. Most is kept for the
last look (Haybittle 1971; Peto et al. 1976): what goes on to the end then has nearly the power of a single look.
"""

from __future__ import annotations

from math import comb
from typing import Annotated, Literal

from pydantic import Field

from isochron.common.detectable import smallest_p
from isochron.schemas.base import Section

#: No campaign has more of anything: what is larger is a slip of the pen.
MOST = 10_000_000

Count = Annotated[int, Field(ge=1, le=MOST, strict=True)]

#: Of the level, what looks before the last one share.
EARLY = 0.1
#: Where those are, as parts of all blocks.
PLACES = (0.4, 0.5, 0.7)


class Replication(Section):
    """How often everything is repeated. The launch is the replication unit of every statistic."""

    blocks: Count = Field(10, description="number of allocations for each node count")
    launches_per_block: Count = Field(
        2,
        description="number of launches of each stack and point in a block; two let stacks be compared within blocks "
        "(with one, take twenty blocks)",
    )
    sequential: bool = Field(
        False,
        description="stop early: `blocks` is then the maximum; after interim analyses, decided comparisons are no "
        "longer measured",
    )
    design: Literal["random", "turns"] = Field(
        "random",
        description="order of the launches of a block: `random`: one after another, in random order; `turns`: the "
        "launches of all stacks are started together and measure in turns, one case at a time, the others asleep "
        "meanwhile. `engine.passes` is then the number of rounds",
    )
    solo_rounds: int = Field(
        4,
        ge=0,
        le=1000,
        strict=True,
        description="with `turns`: rounds that one launch of a session measures alone when the others have ended, "
        "another stack in each block: they show what company costs; 0: none",
    )
    allocation: Literal["exact", "largest"] = Field(
        "exact",
        description="`exact`: one allocation per node count; `largest`: one for all points (some nodes stay idle)",
    )


class Remeasure(Section):
    """Remeasurement of unreliable results after all blocks are measured."""

    rounds: int = Field(
        0,
        ge=0,
        le=10,
        strict=True,
        description="number of further rounds for points with a row that needs remeasurement",
    )
    blocks: Count = Field(3, description="number of blocks per node count in a round")


def interim_blocks(blocks: int, per_block: int, stacks: int, alpha: float) -> list[int]:
    """Blocks after which looks are taken before the last one; empty where none could establish a difference.

    A look has to be able to: the smallest p that launches exchanged within so many blocks can give, times the pairs of
    stacks, is within its level.
    """
    places = sorted({min(max(3, round(place * blocks)), blocks) for place in PLACES} - {blocks})
    families = max(1, comb(stacks, 2))
    while places and families * smallest_p([(per_block, per_block)] * places[0]) > claim_levels(places, alpha)[0]:
        places = places[1:]
    return places


def claim_levels(early: list[int], alpha: float) -> list[float]:
    """Levels at which looks establish differences; the last look's own follows those of `early`, and all add up.

    In proportion to 1/blocks: in few blocks p values are coarse.
    """
    whole = sum(1 / blocks for blocks in early)
    shares = [EARLY * alpha / blocks / whole for blocks in early]
    return [*shares, alpha - sum(shares)]
