# SPDX-License-Identifier: BSD-3-Clause
"""Orders of launches as they are really planned, on a machine that treats the places of a block differently."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from numpy.random import Generator

from isochron.postprocess.estimate.compare.pairs import pairs
from isochron.postprocess.estimate.compare.rows import Side
from isochron.stats import multiple_tests as step_down_module
from isochron.stats.multiple_tests import step_down
from isochron.workflows.planning.plan import make_plan
from tests.postprocess.estimate.compare.made import RULES
from tests.workflows.conftest import campaign

pytestmark = pytest.mark.heavy

STACKS = ["openmpi-5.0", "openmpi-4.1", "mpich-5.0", "mpich-4.3", "intel-mpi-2021"]
BLOCKS, PER_BLOCK, CASES, SPREAD = 12, 2, 20, 0.02
#: What the first and last launch of a block take more than those in its middle, or the last one more than the first.
EXTRA = 0.2


@pytest.fixture(autouse=True)
def fewer_exchanges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_down_module, "DRAWN", 999)


def places(shape: str, launches: int) -> np.ndarray:
    """What each place of a block adds to the logarithm of a time."""
    at = np.linspace(-1, 1, launches)
    return np.log1p(EXTRA) * (at**2 if shape == "u" else (at + 1) / 2)


def planned(seed: int, stacks: int) -> list[list[str]]:
    """The stacks of the launches of each block, in the order of the plan."""
    replication = {"blocks": BLOCKS, "launches_per_block": PER_BLOCK}
    one = campaign(stacks=STACKS[:stacks], processes=[2], processes_per_node=[2], replication=replication, seed=seed)
    return [[launch.stack for launch in block.launches] for block in make_plan(one).blocks]


def measured(rng: Generator, orders: list[list[str]], shape: str, factor: float) -> dict[str, Side]:
    """By stack; the second one is slower by a factor in its first case."""
    stack = np.concatenate(orders)
    blocks = np.repeat(np.arange(BLOCKS), len(orders[0]))
    logs = np.tile(places(shape, len(orders[0])), BLOCKS)[:, None] + rng.normal(0, SPREAD, (len(stack), CASES))
    logs[stack == STACKS[1], 0] += np.log(factor)
    return {name: Side(logs[stack == name], blocks[stack == name]) for name in np.unique(stack)}


@dataclass(frozen=True)
class Told:
    """Of tables of all pairs: the share with a false claim, of intervals that cover, and of found differences."""

    false: float
    covered: float
    found: float


def simulated(stacks: int, shape: str, tables: int, factor: float = 1.0) -> Told:
    rng = np.random.default_rng([stacks, tables, len(shape)])
    names = list(combinations(STACKS[:stacks], 2))
    false, covered, found = [], [], []
    for number in range(tables):
        sides, wrong = measured(rng, planned(number + 1, stacks), shape, factor), False
        for one, other in names:
            truth = np.zeros(CASES)
            truth[0] = np.log(factor) * ((other == STACKS[1]) - float(one == STACKS[1]))
            (pair,) = pairs(sides[one], sides[other], RULES, len(names))
            slower, faster = (step_down([pair.tests], number)[0] * len(names) <= RULES.alpha).reshape(2, CASES)
            wrong |= bool((slower & (truth <= 0)).any() or (faster & (truth >= 0)).any())
            covered.append(((pair.ratio.low <= truth) & (truth <= pair.ratio.high)).mean())
            found += [slower[0] | faster[0]] if truth[0] else []
        false.append(wrong)
    return Told(float(np.mean(false)), float(np.mean(covered)), float(np.mean(found)) if found else 0.0)


@pytest.mark.parametrize("tables", [20, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("shape", ["u", "rising"])
@pytest.mark.parametrize("stacks", [2, pytest.param(5, marks=pytest.mark.slow)])
def test_places_in_a_block_look_like_no_stack(stacks: int, shape: str, tables: int) -> None:
    """At most 5 % of tables of stacks that do not differ have a claim, and intervals cover."""
    told = simulated(stacks, shape, tables)
    assert told.false <= 0.05
    assert told.covered >= 0.93 if tables > 100 else told.covered >= 0.9


@pytest.mark.slow
def test_what_differs_is_found_under_a_drift() -> None:
    """+15 % in one case of twenty, where the last launch of each block takes 20 % more than the first.

    Blocks are taken to be correlated if they seem to be: that costs a fifth of the power where they are not.
    """
    assert simulated(2, "rising", 200, factor=1.15).found >= 0.45
