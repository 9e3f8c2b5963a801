# SPDX-License-Identifier: BSD-3-Clause
"""The effect over all cases of a stack against another, and the stack that is best over all of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import exp, isfinite, log, nan, sqrt

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from isochron.postprocess.estimate.compare.pairs import differences_in_turns
from isochron.postprocess.estimate.compare.rows import Rows, Side
from isochron.postprocess.ingest.inputs import CASE, POINT
from isochron.schemas.input.question import Question
from isochron.stats.block_correlation import block_correlation, widening
from isochron.stats.groups import gap
from isochron.stats.launches import known_medians


@dataclass(frozen=True)
class Effect:
    """`ratio`: weighted geometric mean over cases of the factors between two stacks; `low`, `high`: its interval.

    `blocks`: the fewest of a case; `two_states`: cases that are left out, since their blocks fall into two groups.
    """

    ratio: float
    low: float
    high: float
    cases: int
    blocks: int
    two_states: int = 0

    @property
    def turned(self) -> "Effect":
        """The effect of the other stack against this one."""
        return Effect(1 / self.ratio, 1 / self.high, 1 / self.low, self.cases, self.blocks, self.two_states)


def pooled(baseline: Rows, candidate: Rows, confidence: float, question: Question | None = None) -> Effect:
    """The pooled effect of a stack against another.

    Each case counts as the question says, or all the same. The block is the unit: what a block did to one case it may
    have done to all, so that the spread of the blocks' means is the error, with Student's t of one degree of freedom
    less than a case has blocks. A case whose blocks fall into two groups (`groups.gap`) has no typical ratio: by the
    share of blocks in each state it would move the mean of all others, so it is left out and counted.
    """
    table = block_ratios(baseline, candidate)
    weights = np.array([(question or Question()).weight(str(each[0]), int(each[1])) for each in table.columns])
    matrix, weights = table.to_numpy(dtype=np.float64)[:, weights > 0], weights[weights > 0]
    split = np.array([isfinite(gap(np.exp(column[~np.isnan(column)]))) for column in matrix.T], dtype=bool)
    two_states, matrix, weights = int(split.sum()), matrix[:, ~split], weights[~split]
    if not matrix.size:
        return Effect(nan, nan, nan, 0, 0, two_states)
    weights = weights / weights.sum()
    counts = (~np.isnan(matrix)).sum(axis=0)
    of_cases = np.nanmean(matrix, axis=0)
    centre, blocks = float(of_cases @ weights), int(counts.min())
    half = half_width(matrix, weights, confidence) if blocks > 1 else nan
    return Effect(exp(centre), exp(centre - half), exp(centre + half), len(counts), blocks, two_states)


def block_ratios(baseline: Rows, candidate: Rows) -> pd.DataFrame:
    """The logarithm of candidate / baseline in each block (lines) and case (columns, CASE) that both have.

    Of stacks that measured in turns it is that of their rounds, else that of the medians of their launches in a block.
    """
    tables = []
    points = baseline.launches[POINT].drop_duplicates().merge(candidate.launches[POINT].drop_duplicates())
    for point in points.itertuples(index=False, name=None):
        cases = _cases_at(candidate.launches, point)
        logs, blocks = _in_blocks(baseline.at(point, cases), candidate.at(point, cases))
        columns = pd.MultiIndex.from_tuples([(*case, *point) for case in cases], names=CASE)
        tables.append(pd.DataFrame(logs, index=blocks, columns=columns))
    if not tables:
        return pd.DataFrame(columns=pd.MultiIndex.from_tuples([], names=CASE))
    return pd.concat(tables, axis=1).sort_index().dropna(axis=1, how="all")


def _cases_at(launches: pd.DataFrame, point: tuple[object, ...]) -> pd.MultiIndex:
    """The (operation, bytes) that were measured at a point."""
    at_point = (launches[POINT] == list(point)).all(axis=1)
    return pd.MultiIndex.from_frame(launches.loc[at_point, ["operation", "bytes"]].drop_duplicates())


def _in_blocks(baseline: Side, candidate: Side) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The differences of the sides in each block, (B, C), and the numbers of the blocks, (B,)."""
    turns = differences_in_turns(baseline, candidate)
    if turns is not None:
        return turns.values, turns.blocks
    blocks = np.intersect1d(baseline.blocks, candidate.blocks)
    first, second = (
        np.array([known_medians(side.logs[side.blocks == block].T) for block in blocks])
        for side in (baseline, candidate)
    )
    return (second - first).reshape(len(blocks), candidate.logs.shape[1]), blocks


def half_width(matrix: NDArray[np.float64], weights: NDArray[np.float64], confidence: float) -> float:
    """Half the interval of a weighted sum over cases of their means over blocks; the block is the unit.

    `matrix`: blocks × cases, in order of time, NaN if a block lacks a case; each case is in two blocks at least. If
    neighbouring blocks are correlated, the interval is that of as many blocks as they are worth.
    """
    counts = (~np.isnan(matrix)).sum(axis=0)
    blocks = int(counts.min())
    # What each block adds to the error of the sum; not every block has every case.
    parts = np.nansum((matrix - np.nanmean(matrix, axis=0)) / counts * weights, axis=1)
    error = sqrt((parts**2).sum() * blocks / (blocks - 1))
    widened = widening(block_correlation(matrix), blocks, confidence)
    return float(stdtrit(blocks - 1, (1 + confidence) / 2) * error * widened)


@dataclass(frozen=True)
class Choice:
    """`stack`: the one that leads. `contenders`: those that none is shown to beat over all, the leader among them.

    `nearest`: the stack that comes closest to it, `effect`: the leader against that one.
    """

    stack: str
    contenders: list[str]
    nearest: str
    effect: Effect


def choose(rows: Mapping[str, Rows], stacks: Iterable[str], confidence: float, question: Question) -> Choice | None:
    """The choice among stacks by their pooled effects; None if no two have cases in common.

    All pairs share the level (Bonferroni), so that with `confidence` no contender is left out wrongly.
    """
    measured = [stack for stack in stacks if stack in rows]
    each = 1 - (1 - confidence) / max(1, len(measured) * (len(measured) - 1) // 2)
    effects: dict[tuple[str, str], Effect] = {}
    for one, other in combinations(measured, 2):
        effect = pooled(rows[one], rows[other], each, question)
        if isfinite(effect.ratio):
            effects[other, one], effects[one, other] = effect, effect.turned
    comparable = [stack for stack in measured if any(stack == one for one, _ in effects)]
    if not comparable:
        return None
    beaten = {one for (one, _), effect in effects.items() if effect.low > 1}
    contenders = [stack for stack in comparable if stack not in beaten] or comparable
    leads = {
        stack: {other: log(effect.ratio) for (one, other), effect in effects.items() if one == stack}
        for stack in contenders
    }
    leader = min(contenders, key=lambda stack: sum(leads[stack].values()) / len(leads[stack]))
    nearest = max(leads[leader], key=leads[leader].__getitem__)
    return Choice(leader, contenders, nearest, effects[leader, nearest])
