# SPDX-License-Identifier: BSD-3-Clause
"""Made-up campaigns in turns: two stacks and a standard candle, in sessions on machines that behave in eight ways."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from isochron.postprocess.estimate.compare.comparison import compare
from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.estimate.compare.rows import Rows, Side
from isochron.postprocess.ingest.inputs import CASE

BLOCKS, ROUNDS = 24, 12
#: By what the disturbed regime slows the candle and both stacks.
SLOW = 2.5
#: Standard deviations of logarithms: of a stack in a block, in a round, and of a reading of the candle. Two versions of
#: a library had 0.02 to 0.03 between blocks in a real campaign of this size.
OF_BLOCKS, OF_ROUNDS, OF_CANDLE = 0.018, 0.03, 0.08
WORLDS = ("quiet", "blocks", "dwell-3", "dwell-30", "dwell-100", "drift", "factors", "heavy")
#: Worlds in which a stack's deviation in a block, or in a round, resembles the one before by this correlation.
RESEMBLING = ("blocks-0.2", "blocks-0.5", "rounds-0.9")


def machine(rng: Generator, world: str) -> NDArray[np.float64]:
    """What the machine adds to the logarithm of each round, which the candle reads, too. (BLOCKS, ROUNDS).

    `blocks` have a regime each; `dwell-N`: a regime changes after N rounds on average, so that blocks meet both;
    `drift`: slower by 30 % from the first round to the last. In the other worlds there is one regime.
    """
    rounds = BLOCKS * ROUNDS
    if world == "blocks":
        slow = rng.integers(0, 2, BLOCKS).repeat(ROUNDS)
    elif world.startswith("dwell"):
        slow = (rng.integers(0, 2) + np.cumsum(rng.random(rounds) < 1 / int(world.removeprefix("dwell-")))) % 2
    else:
        slow = np.zeros(rounds)
    drift = np.linspace(0, np.log(1.3), rounds) if world == "drift" else 0.0
    return np.asarray(np.log(SLOW) * slow + drift).reshape(BLOCKS, ROUNDS)


def noise(rng: Generator, world: str, cases: int) -> NDArray[np.float64]:
    """What else a stack varies by: between blocks, and between rounds. (BLOCKS, ROUNDS, cases).

    `factors`: each launch as a whole takes 0.93 or 1.18 times as long, which nothing else shows; `heavy`: tails of
    Student's t with two degrees of freedom, of blocks and of rounds; `RESEMBLING`: autoregressive of order one.
    """
    blocks, rounds = (BLOCKS, 1, cases), (BLOCKS, ROUNDS, cases)
    if world == "heavy":
        return OF_BLOCKS * rng.standard_t(2, blocks) + OF_ROUNDS * rng.standard_t(2, rounds)
    if world in RESEMBLING:
        of, correlation = world.split("-")
        block_deviations = resembling(rng, BLOCKS, cases, float(correlation) if of == "blocks" else 0.0)
        round_deviations = resembling(rng, BLOCKS * ROUNDS, cases, float(correlation) if of == "rounds" else 0.0)
        return OF_BLOCKS * block_deviations[:, None] + OF_ROUNDS * round_deviations.reshape(rounds)
    factors = rng.choice(np.log([0.93, 1.18]), (BLOCKS, 1, 1)) if world == "factors" else 0.0
    return factors + rng.normal(0, OF_BLOCKS, blocks) + rng.normal(0, OF_ROUNDS, rounds)


def resembling(rng: Generator, length: int, cases: int, correlation: float) -> NDArray[np.float64]:
    """Deviations of variance 1, of which each resembles the one before. (length, cases)."""
    drawn = rng.normal(0, 1, (length, cases))
    for number in range(1, length):
        drawn[number] = correlation * drawn[number - 1] + np.sqrt(1 - correlation**2) * drawn[number]
    return drawn


def sides(
    rng: Generator,
    world: str,
    factors: NDArray[np.float64],
    response: tuple[float, float] = (1.0, 1.0),
    wide: float = 1.0,
) -> tuple[Side, Side]:
    """Baseline, and a candidate that is slower by `factors`, one for each case; by what power of the machine each is.

    `wide`: how many times as much a stack varies in the disturbed regime. No two cases take the candle as long.
    """
    cases = len(factors)
    state, number = machine(rng, world)[..., None], np.arange(BLOCKS)
    candle = state + rng.normal(0, OF_CANDLE, (BLOCKS, ROUNDS, cases)) + np.linspace(0, 3, cases)
    made = []
    for slower, power in zip((np.zeros(cases), np.log(factors)), response, strict=True):
        varying = np.where(state > np.log(SLOW) / 2, wide, 1.0) * noise(rng, world, cases)
        rounds = 2.0 + slower + power * state + varying
        made.append(Side(np.median(rounds, axis=1), number, None, rounds, number, candle))
    return made[0], made[1]


@dataclass(frozen=True)
class SessionRows(Rows):
    """Rows that have one side, whatever the point."""

    side: Side | None = None

    def at(self, point: object, cases: pd.MultiIndex) -> Side:
        """The side."""
        assert self.side is not None and len(cases) == self.side.logs.shape[1], point
        return self.side


def compared(pair: tuple[Side, Side], rules: Rules, verdict: str = "ok") -> pd.DataFrame:
    """The comparison of stacks `a` and `b`, both with a verdict on their values."""
    cases = [("bcast", 8 * (number + 1), 2, 2, "packed") for number in range(pair[0].logs.shape[1])]
    summary = pd.DataFrame(cases, columns=pd.Index(CASE)).assign(
        median_us=1.0, launches_used=BLOCKS, reliable=verdict == "ok", verdict=verdict
    )
    rows = {name: SessionRows(summary, summary.iloc[:0], None, side) for name, side in zip("ab", pair, strict=True)}
    return compare(rows, ["a", "b"], rules)
