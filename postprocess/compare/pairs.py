# SPDX-License-Identifier: BSD-3-Clause
"""Two stacks in one case: their ratio with its interval, and the rank tests that their launches allow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Literal

import numpy as np

from isochron.postprocess.compare.samples import REPLICATES, Sample
from isochron.postprocess.statistics.bootstrap import block_ratios, drawn_blocks, median_ratio, ratio_interval
from isochron.postprocess.statistics.exact_ranks import Strata, sizes, smallest_p
from isochron.postprocess.statistics.launches import Interval

#: Fewer common blocks than this say nothing about how a ratio differs from block to block.
FEWEST_BLOCKS = 3

#: Strata of the rank test: the common blocks, or all launches as one.
Test = Literal["blocks", "launches"]


@dataclass(frozen=True)
class Rules:
    """What the comparison goes by."""

    threshold: float
    confidence: float
    seed: int = 1

    @property
    def alpha(self) -> float:
        """Level of the tests."""
        return 1 - self.confidence


@dataclass(frozen=True)
class Pair:
    """Candidate / baseline. `blocks`: number of common ones. `strata`: (candidate, baseline) of each possible test."""

    ratio: float = nan
    interval: Interval = field(default=Interval(nan, nan, nan))
    blocks: int = 0
    within_blocks: bool = False
    strata: Mapping[Test, Strata] = field(default_factory=dict)

    def smallest_p(self, test: Test) -> float:
        """The smallest p that the test can give; 1 where it is not possible."""
        return smallest_p(sizes(self.strata[test])) if test in self.strata else 1.0

    def testable(self, rules: Rules) -> bool:
        """Whether some test can be significant, uncorrected."""
        return min(self.smallest_p("blocks"), self.smallest_p("launches")) <= rules.alpha

    def test(self, tests: int, rules: Rules) -> Test | None:
        """Which test is made, where `tests` are made in all: the numbers of launches decide, never their times.

        Within blocks wherever that can be significant at the first step of Holm's correction; else
        over all launches, which reaches smaller p from as many launches, but in which whatever
        differs between blocks is noise; none where that cannot be significant even uncorrected.
        """
        if self.smallest_p("blocks") * max(tests, 1) <= rules.alpha:
            return "blocks"
        return "launches" if self.testable(rules) else None


def pair(baseline: Sample, candidate: Sample, rules: Rules) -> Pair:
    """Compare two rows of a case: within the blocks that hold both where there are enough, else as a whole."""
    if not (baseline.measured and candidate.measured):
        return Pair()
    common = sorted(baseline.launches.keys() & candidate.launches.keys())
    strata: dict[Test, Strata] = {"launches": [(candidate.medians, baseline.medians)]}
    if len(common) < FEWEST_BLOCKS:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = float(np.divide(candidate.value, baseline.value))
            ratios = candidate.replicates / baseline.replicates
        units = min(len(candidate.medians), len(baseline.medians))
        return Pair(ratio, ratio_interval(ratios, units, rules.confidence), len(common), False, strata)
    strata["blocks"] = [(candidate.by_block[block], baseline.by_block[block]) for block in common]
    ratios = block_ratios(
        candidate.block_replicates(common),
        baseline.block_replicates(common),
        drawn_blocks(len(common), REPLICATES, rules.seed),
    )
    ratio = float(median_ratio(candidate.values(common), baseline.values(common)))
    return Pair(ratio, ratio_interval(ratios, len(common), rules.confidence), len(common), True, strata)
