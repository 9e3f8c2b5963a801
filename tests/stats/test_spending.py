# SPDX-License-Identifier: BSD-3-Clause
"""Levels of looks: they add up, and the last look loses nothing that its interval could have had."""

from __future__ import annotations

import numpy as np
import pytest

from isochron.schemas.input.replication import claim_levels, interim_blocks
from isochron.stats.shift import shifts
from isochron.stats.spending import equal_levels


def reached(blocks: int, per_block: int, level: float) -> float:
    """The confidence that the exact interval at `level` really has."""
    rows = np.arange(blocks * 2 * per_block).reshape(blocks, 2, per_block)
    values = np.random.default_rng(1).normal(size=(rows.size, 1))
    return shifts(values, values, [(one[0], one[1]) for one in rows], 1 - level).confidence


@pytest.mark.parametrize(
    ("blocks", "per_block", "stacks", "early"),
    [
        (10, 2, 2, [4, 5, 7]),
        (10, 2, 5, [5, 7]),  # 10 pairs · 2/6^4 is more than the level of a look at 4
        (5, 2, 2, [4]),
        (20, 1, 2, [10, 14]),  # one launch of each in a block: 2/2^8 is too coarse
        (10, 1, 2, []),
        (4, 2, 2, []),
    ],
)
def test_looks_are_where_they_can_decide_and_spend_the_level(
    blocks: int, per_block: int, stacks: int, early: list[int]
) -> None:
    assert interim_blocks(blocks, per_block, stacks, 0.05) == early
    for levels in (claim_levels(early, 0.05), equal_levels(early, blocks, per_block, 0.05)):
        assert len(levels) == len(early) + 1
        assert sum(levels) == pytest.approx(0.05)
        assert all(level > 0 for level in levels)
        assert levels[-1] >= 0.7 * 0.05


@pytest.mark.parametrize(("blocks", "per_block"), [(10, 2), (12, 2), (8, 2)])
def test_the_last_look_shows_equality_as_a_single_one_would(blocks: int, per_block: int) -> None:
    """Ten blocks of 2 + 2 have no interval between 96.4 % and 93.6 %: what is spent before costs nothing."""
    early = interim_blocks(blocks, per_block, 2, 0.05)
    levels = equal_levels(early, blocks, per_block, 0.05)
    assert reached(blocks, per_block, levels[-1]) == reached(blocks, per_block, 0.05)
    for look, level in zip(early, levels, strict=False):
        assert reached(look, per_block, level) >= 1 - level, "an interval of that confidence exists"
