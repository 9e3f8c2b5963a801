# SPDX-License-Identifier: BSD-3-Clause
"""The sections `replication` and `remeasure`, and the interim analyses of a sequential campaign with their levels.

The level of the tests is divided among analyses that the design fixes before anything is measured (Slud and Wei 1982;
Lan and DeMets 1983). The shares add up to the level, so it is valid at any stop, however the analyses depend on each
other. Most of it is left for the last analysis (Haybittle 1971; Peto et al. 1976), which therefore has nearly the power
of a single one.
"""

from math import comb
from typing import Annotated, Literal, Self

from pydantic import Field

from isochron.common.detectable import smallest_p
from isochron.schemas.base import Section

#: Largest count in a campaign file; anything larger is a typing error.
MAX_COUNT = 10_000_000

Count = Annotated[int, Field(ge=1, le=MAX_COUNT, strict=True)]

#: Share of the level for all interim analyses together.
EARLY = 0.1
#: Times of the interim analyses, as shares of all blocks.
INTERIM_SHARES = (0.4, 0.5, 0.7)


class Replication(Section):
    """The numbers of blocks and launches. The launch is the replication unit of every statistic, in turns the block."""

    blocks: Count = Field(10, description="number of allocations for each node count")
    launches_per_block: Count = Field(
        2,
        description="number of launches of each stack and point in a block; two let stacks be compared within blocks "
        "(with one launch, use 20 blocks). With `turns` the number of sessions in a block, and the default is 1",
    )
    sequential: bool = Field(
        False,
        description="stop early: `blocks` is then the maximum; after interim analyses, decided comparisons are no "
        "longer measured",
    )
    design: Literal["auto", "random", "turns"] = Field(
        "auto",
        description="order of the launches of a block: `random`: one after another, in random order; `turns`: the "
        "launches of all stacks are started together and measure in turns, all cases in a row in each, the others "
        "asleep meanwhile. Two of the `engine.passes` (default 12) make a turn, one if their number is odd; "
        "`auto`: turns if the campaign and the launcher permit it, else random order. `isochron plan` states which, "
        "and why",
    )
    solo_rounds: int = Field(
        6,
        ge=0,
        le=1000,
        strict=True,
        description="with `turns`: rounds that one launch of a session, of another stack in each block, measures "
        "alone, when the others have ended: they show what company costs; 0: none",
    )
    allocation: Literal["exact", "largest"] = Field(
        "exact",
        description="`exact`: one allocation per node count; `largest`: one for all points (some nodes stay idle)",
    )

    @classmethod
    def in_turns(cls, blocks: int) -> Self:
        """Return a design of so many sessions in turns, without rounds of a launch alone."""
        return cls(blocks=blocks, launches_per_block=1, design="turns", solo_rounds=0)

    @property
    def units_per_block(self) -> int:
        """The number of values of each stack in a block that a test has: its launches; in turns it is one ratio."""
        return 1 if self.design == "turns" else self.launches_per_block


class Remeasure(Section):
    """Remeasurement of unreliable results after all blocks are measured."""

    rounds: int = Field(
        0,
        ge=0,
        le=10,
        strict=True,
        description="number of further rounds for points with a result that needs remeasurement",
    )
    blocks: Count = Field(3, description="number of blocks per node count in a round")


def interim_blocks(blocks: int, per_block: int, stacks: int, alpha: float) -> list[int]:
    """Return the numbers of blocks after which interim analyses are made; empty if none could show a difference.

    An analysis can show one if the smallest p of its permutations, times the number of pairs of stacks, is within its
    level.
    """
    analyses = sorted({min(max(3, round(share * blocks)), blocks) for share in INTERIM_SHARES} - {blocks})
    families = max(1, comb(stacks, 2))
    while analyses and families * smallest_p([(per_block, per_block)] * analyses[0]) > claim_levels(analyses, alpha)[0]:
        analyses = analyses[1:]
    return analyses


def claim_levels(early: list[int], alpha: float) -> list[float]:
    """Return the levels at which the analyses after `early` blocks, and then the last one, show differences.

    The levels of the interim analyses are proportional to 1/blocks, because p values of few blocks are coarse. All
    levels add up to `alpha`.
    """
    total = sum(1 / blocks for blocks in early)
    shares = [EARLY * alpha / blocks / total for blocks in early]
    return [*shares, alpha - sum(shares)]
