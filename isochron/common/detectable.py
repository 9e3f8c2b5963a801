# SPDX-License-Identifier: BSD-3-Clause
"""The smallest detectable difference between two stacks for a design of blocks and launches.

An approximation by normal errors; the simulations of docs/validation.md agree with it within two percentage points.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import comb, exp, log, log1p, pi, prod, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

#: Probability with which a detectable difference is detected.
POWER = 0.9
#: With fewer blocks the variation of a ratio between blocks is unknown, and stacks are compared over all launches.
MIN_BLOCKS = 3


@dataclass(frozen=True)
class Design:
    """Blocks, launches of each stack in a block, pairs of stacks in the family of tests, and cases of each pair.

    `threshold`: the practical threshold, as a share; `confidence`: 1 minus the familywise error rate. `in_turns`: the
    unit is the ratio of a block, whatever the number of its launches.
    """

    blocks: int
    launches: int
    pairs: int
    cases: int
    threshold: float
    confidence: float
    in_turns: bool = False

    def with_blocks(self, blocks: int) -> Design:
        """Return the same design with another number of blocks."""
        return replace(self, blocks=blocks)

    @property
    def alpha(self) -> float:
        """The familywise error rate."""
        return 1 - self.confidence

    @property
    def smallest_p(self) -> float:
        """The smallest p that permutations of launches can give, within blocks or over all; in turns, of blocks."""
        if self.in_turns:
            return smallest_p([(1, 1)] * self.blocks)
        total = self.launches * self.blocks
        within = smallest_p([(self.launches, self.launches)] * self.blocks) if self.blocks >= MIN_BLOCKS else 1.0
        return min(within, smallest_p([(total, total)]))

    @property
    def can_establish(self) -> bool:
        """Whether the smallest p is within the level of one pair."""
        return self.smallest_p * self.pairs <= self.alpha

    def standard_error(self, spread: float) -> float:
        """Return the standard error of the logarithm of a ratio.

        `spread`: standard deviation of the logarithms of a stack's launches within a block, or of a block's ratio
        `in_turns`.
        """
        if self.in_turns:
            return spread * sqrt(1 / self.blocks / efficiency(2))
        return spread * sqrt(2 / (self.blocks * self.launches) / efficiency(2 * self.launches))


def ratio_spreads(comparison: pd.DataFrame, pairs: Iterable[tuple[str, str]]) -> pd.DataFrame:
    """Return the comparisons of these pairs in turns that have an interval, with the `spread` of a block's ratio.

    `spread`: the standard deviation of its logarithm that the interval shows. So whatever makes the interval narrower
    or wider counts: regimes, the standard candle, and blocks that are correlated. `comparison`: baseline, candidate,
    in_turns, ratio_low, ratio_high, blocks, confidence.
    """
    asked = set(pairs)
    known = comparison[comparison["in_turns"] & (comparison["ratio_low"] > 0) & (comparison["blocks"] > 1)]
    known = known.loc[[pair in asked for pair in zip(known["baseline"], known["candidate"], strict=True)]]
    intervals = known[["ratio_low", "ratio_high", "blocks", "confidence"]].itertuples(index=False, name=None)
    return known.assign(spread=[_spread(*interval) for interval in intervals]).astype({"spread": "float64"})


def _spread(low: float, high: float, blocks: int, confidence: float) -> float:
    quantile = student(NormalDist().inv_cdf((1 + confidence) / 2), blocks - 1)
    return log(high / low) / 2 / quantile * sqrt(blocks * efficiency(2))


def student(quantile: float, freedom: int) -> float:
    """Return the quantile of Student's t for that of the normal distribution (Abramowitz and Stegun 1964, 26.7.5)."""
    return quantile + (quantile**3 + quantile) / (4 * freedom)


def smallest_p(strata: Iterable[tuple[int, int]]) -> float:
    """Return the smallest two-sided p of a test that permutes the labels of two samples within strata.

    `strata`: the sizes (n, m) of the samples in each stratum. There are ∏ C(n + m, n) permutations, of which at
    least two are as extreme as the observed one: p = 2 / ∏ C(n + m, n).
    """
    return min(1.0, 2 / prod(comb(first + second, first) for first, second in strata))


def efficiency(block_launches: int) -> float:
    """Return the efficiency of ranks within blocks of N launches relative to means, for normal errors.

    It is 3/π · N/(N + 1) (van Elteren 1960). With one launch of each stack in a block, the ranks are those of the
    differences of the blocks: 3/π.
    """
    return 3 / pi * (block_launches / (block_launches + 1) if block_launches > 2 else 1.0)


def detectable(design: Design, spread: float) -> float | None:
    """Return the ratio of two stacks in one case that is detected with probability `POWER`; None if there is none.

    Detected means: shown to be beyond the practical threshold after the correction over all cases and pairs of the
    question. The correction assumed is Bonferroni's; the one that is used is less strict.
    `spread`: as in Design.standard_error.
    """
    if not design.pairs or not design.can_establish:
        return None
    tests = 2 * design.pairs * design.cases
    normal = NormalDist()
    quantile = normal.inv_cdf(1 - design.alpha / tests)
    if design.in_turns:  # few blocks show their spread
        quantile = student(quantile, design.blocks - 1)
    needed = quantile + normal.inv_cdf(POWER)
    return exp(log1p(design.threshold) + design.standard_error(spread) * needed)
