# SPDX-License-Identifier: BSD-3-Clause
"""The smallest difference between two stacks that a design of blocks and launches will mostly find.

An approximation by normal errors: what the simulations of docs/validation.md find is within a point or two of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import comb, exp, log1p, pi, prod, sqrt
from statistics import NormalDist

#: With which probability a difference is to be found.
POWER = 0.9
#: Fewer blocks than this do not show how a ratio differs from block to block: stacks are compared over all launches.
MIN_BLOCKS = 3


@dataclass(frozen=True)
class Design:
    """Blocks, launches of each stack in a block, pairs of stacks in the family of tests, and cases of each pair.

    `threshold`: the practical one, as a part; `confidence`: 1 less the level that the family keeps.
    """

    blocks: int
    launches: int
    pairs: int
    cases: int
    threshold: float
    confidence: float

    def with_blocks(self, blocks: int) -> Design:
        """The same with another number of blocks."""
        return replace(self, blocks=blocks)

    @property
    def alpha(self) -> float:
        """The level of the family."""
        return 1 - self.confidence

    @property
    def smallest_p(self) -> float:
        """The smallest p that launches exchanged within blocks, or else over all blocks together, can give."""
        total = self.launches * self.blocks
        within = smallest_p([(self.launches, self.launches)] * self.blocks) if self.blocks >= MIN_BLOCKS else 1.0
        return min(within, smallest_p([(total, total)]))


def smallest_p(strata: Iterable[tuple[int, int]]) -> float:
    """Return the smallest two-sided p of a test that exchanges the names of two samples within strata.

    `strata`: how many values (n, m) the samples have in each. The names can be dealt out in ∏ C(n + m, n) ways, of
    which at best two are as extreme as the observed one: p = 2 / ∏ C(n + m, n).
    """
    return min(1.0, 2 / prod(comb(first + second, first) for first, second in strata))


def efficiency(together: int) -> float:
    """Of ranks within blocks of so many launches, against means, for normal errors: 3/π · N/(N + 1) (van Elteren 1960).

    With one launch of each stack in a block the ranks are those of the blocks' differences: 3/π.
    """
    return 3 / pi * (together / (together + 1) if together > 2 else 1.0)


def detectable(design: Design, spread: float) -> float | None:
    """The ratio of two stacks, in one case of all, that is found with probability `POWER`; None where none can be.

    Found is what is shown to be beyond the practical threshold, after the correction over all cases and all pairs of
    the question, which is taken as if cases were independent (Bonferroni; the correction that is made costs less).
    Launches of both stacks spread by `spread` (standard deviation of logarithms) within a block.
    """
    if not design.pairs or design.smallest_p * design.pairs > design.alpha:
        return None
    tests = 2 * design.pairs * design.cases
    error = spread * sqrt(2 / (design.blocks * design.launches) / efficiency(2 * design.launches))
    normal = NormalDist()
    needed = normal.inv_cdf(1 - design.alpha / tests) + normal.inv_cdf(POWER)
    return exp(log1p(design.threshold) + error * needed)
