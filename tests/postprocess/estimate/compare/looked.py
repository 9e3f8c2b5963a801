# SPDX-License-Identifier: BSD-3-Clause
"""Made-up campaigns of two stacks at one point, looked at with the levels of sequential ones: no tables, but many."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from isochron.postprocess.estimate.compare.pairs import Rules, pairs
from isochron.postprocess.estimate.compare.rows import Side
from isochron.schemas.input.replication import claim_levels, interim_blocks
from isochron.stats.multiple_tests import step_down
from isochron.stats.spending import equal_levels
from tests.postprocess.estimate.compare.made import RULES, campaign

BLOCKS, PER_BLOCK = 10, 2
WORLDS = ("quiet", "blocks", "dwell-8", "dwell-30", "drift")
#: Blocks and levels (of tests, of intervals) of the looks; of a single one at the end.
EARLY = interim_blocks(BLOCKS, PER_BLOCK, 2, RULES.alpha)
SEQUENTIAL = list(
    zip(
        [*EARLY, BLOCKS],
        claim_levels(EARLY, RULES.alpha),
        equal_levels(EARLY, BLOCKS, PER_BLOCK, RULES.alpha),
        strict=True,
    )
)
AT_ONCE = [(BLOCKS, RULES.alpha, RULES.alpha)]


@dataclass(frozen=True)
class Verdicts:
    """Of each case: 1 slower, -1 faster, 2 equal, 0 open; and the blocks after which it was decided or given up."""

    verdict: np.ndarray
    blocks: np.ndarray


def look(sides: tuple[Side, Side], looks: list[tuple[int, float, float]], seed: int) -> Verdicts:
    """What looks decide; what is decided is measured no more. `sides`: baseline and candidate in all blocks."""
    count = sides[0].logs.shape[1]
    verdict, blocks = np.zeros(count, dtype=int), np.full(count, BLOCKS)
    for now, level, equal_level in looks:
        still = verdict == 0
        if not still.any():
            break
        rules = Rules(RULES.threshold, 1 - equal_level, level=level)
        upto = np.where(still, now, blocks)
        found = list(pairs(_upto(sides[0], upto), _upto(sides[1], upto), rules, families=1))
        for pair, p_values in zip(found, step_down([each.tests for each in found], seed), strict=True):
            slower, faster = np.split(p_values <= level, 2)
            within = np.abs(np.array([pair.ratio.low, pair.ratio.high])).max(axis=0) <= rules.margin
            equal = within & (pair.ratio.confidence >= rules.confidence)
            fresh = np.where(slower, 1, np.where(faster, -1, np.where(equal, 2, 0)))
            verdict[pair.cases] = np.where(still[pair.cases], fresh, verdict[pair.cases])
        blocks[still & (verdict != 0)] = now
    return Verdicts(verdict, blocks)


def _upto(side: Side, blocks: np.ndarray) -> Side:
    """What is measured in the first blocks of each case."""
    there = side.blocks[:, None] < blocks
    any_of = there.any(axis=1)
    return Side(np.where(there, side.logs, np.nan)[any_of], side.blocks[any_of])


def drawn(rng: Generator, world: str, factors: np.ndarray, spread: float) -> tuple[Side, Side]:
    """Two stacks of which the second is slower by a factor in each case."""
    baseline, candidate = campaign(rng, world, BLOCKS, PER_BLOCK, len(factors), spread)
    return baseline, replace(candidate, logs=candidate.logs + np.log(factors))


def mixed(rng: Generator, count: int) -> np.ndarray:
    """Of each case the factor: half are 1, the others from 1.08 to 2, slower or faster."""
    differ = rng.choice([1.08, 1.1, 1.2, 1.5, 2.0], count) ** rng.choice([-1, 1], count)
    return np.where(rng.random(count) < 0.5, 1.0, differ)


@dataclass(frozen=True)
class Told:
    """Of many campaigns. Shares of all launches at worst: of the launches and of the cases that they measured, medians.

    `false`: share of campaigns with a false verdict; `found`, `equivalent`: share of right verdicts where stacks
    differ, and where they do not.
    """

    launches: float
    cases: float
    false: float
    found: float
    equal: float


def tell(ended: list[tuple[np.ndarray, Verdicts]]) -> Told:
    """`ended`: factors and verdicts of each campaign."""
    truth, margin = np.log([factors for factors, _ in ended]), RULES.margin
    verdict = np.array([each.verdict for _, each in ended])
    blocks = np.array([each.blocks for _, each in ended]) / BLOCKS
    beyond = np.where(truth > margin + 1e-9, 1, np.where(truth < -margin - 1e-9, -1, 0))
    wrong = np.where(np.abs(verdict) == 1, verdict != beyond, (verdict == 2) & (beyond != 0))
    return Told(
        launches=float(np.median(blocks.max(axis=1))),
        cases=float(np.median(blocks.mean(axis=1))),
        false=float(wrong.any(axis=1).mean()),
        found=float((verdict == beyond)[beyond != 0].mean()) if (beyond != 0).any() else 1.0,
        equal=float((verdict == 2)[beyond == 0].mean()) if (beyond == 0).any() else 1.0,
    )


def campaigns(count: int, cases: int, worlds: tuple[str, ...] = WORLDS, spread: float = 0.02) -> tuple[Told, Told]:
    """Sequential ones, and the same launches looked at once at the end."""
    rng = np.random.default_rng([count, cases])
    sequential, at_once = [], []
    for number in range(count):
        factors = mixed(rng, cases)
        sides = drawn(rng, worlds[number % len(worlds)], factors, spread)
        sequential.append((factors, look(sides, SEQUENTIAL, number)))
        at_once.append((factors, look(sides, AT_ONCE, number)))
    return tell(sequential), tell(at_once)


def at_the_edge(count: int, factor: float, spread: float = 0.02, cases: int = 1) -> Told:
    """Sequential campaigns in which every case differs by the same factor."""
    rng = np.random.default_rng([count, int(1e4 * factor)])
    factors = np.full(cases, factor)
    return tell([(factors, look(drawn(rng, "quiet", factors, spread), SEQUENTIAL, number)) for number in range(count)])
