# SPDX-License-Identifier: BSD-3-Clause
"""One number for a stack against another over all cases."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, nan, sqrt

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from isochron.postprocess.ingest.inputs__inputs import ALLOCATION, CASE
from isochron.schemas.input.question import Question


@dataclass(frozen=True)
class Effect:
    """`ratio`: weighted geometric mean over cases of the factors between two stacks; `low`, `high`: its interval.

    `blocks`: the fewest of a case.
    """

    ratio: float
    low: float
    high: float
    cases: int
    blocks: int


def pooled(
    rows: pd.DataFrame, baseline: str, candidate: str, confidence: float, question: Question | None = None
) -> Effect:
    """The pooled effect of a stack against another.

    Each case counts as the question says, or all the same. The block is the unit: what a block did to one case it may
    have done to all, so that the spread of the blocks' means is the error, with Student's t of one degree of freedom
    less than a case has blocks.
    `rows`: usable rows of launches with stack, CASE, ALLOCATION and median_us.
    """
    chosen = rows[rows["stack"].isin([baseline, candidate])]
    logs = chosen.assign(log=np.log(chosen["median_us"])).groupby([*ALLOCATION, *CASE, "stack"])["log"].median()
    sides = logs.unstack("stack").reindex(columns=[candidate, baseline])
    table = (sides[candidate] - sides[baseline]).dropna().unstack(CASE)
    weights = np.array([(question or Question()).weight(str(each[0]), int(each[1])) for each in table.columns])
    matrix, weights = table.to_numpy(dtype=np.float64)[:, weights > 0], weights[weights > 0]
    if not matrix.size:
        return Effect(nan, nan, nan, 0, 0)
    weights = weights / weights.sum()
    counts = (~np.isnan(matrix)).sum(axis=0)
    of_cases = np.nanmean(matrix, axis=0)
    centre, blocks = float(of_cases @ weights), int(counts.min())
    if blocks < 2:
        return Effect(exp(centre), nan, nan, len(counts), blocks)
    half = half_width(matrix, weights, confidence)
    return Effect(exp(centre), exp(centre - half), exp(centre + half), len(counts), blocks)


def half_width(matrix: NDArray[np.float64], weights: NDArray[np.float64], confidence: float) -> float:
    """Half the interval of a weighted sum over cases of their means over blocks; the block is the unit.

    `matrix`: blocks × cases, NaN where a block lacks a case; each case is in two blocks at least.
    """
    counts = (~np.isnan(matrix)).sum(axis=0)
    blocks = int(counts.min())
    # What each block adds to the error of the sum; not every block has every case.
    parts = np.nansum((matrix - np.nanmean(matrix, axis=0)) / counts * weights, axis=1)
    return float(stdtrit(blocks - 1, (1 + confidence) / 2) * sqrt((parts**2).sum() * blocks / (blocks - 1)))
