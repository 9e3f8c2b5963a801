# SPDX-License-Identifier: BSD-3-Clause
"""An upgrade that is called safe although one case is slower by more than accepted: at the level of one test."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.estimate.answer.decision import decide, oriented
from isochron.postprocess.estimate.compare.comparison import UNKNOWN, compare
from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.estimate.compare.rows import Rows
from isochron.postprocess.ingest.inputs import CASE
from isochron.schemas.input.analysis import Analysis
from isochron.stats import multiple_tests as step_down_module

pytestmark = pytest.mark.heavy

BLOCKS, SIZES = 16, 10
RULES = Rules(threshold=0.05, confidence=0.95)


@pytest.fixture(autouse=True)
def fewer_exchanges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_down_module, "DRAWN", 199)


def stack(name: str, logs: np.ndarray) -> Rows:
    """A stack with a launch in each block. `logs`: (BLOCKS, SIZES)."""
    cases = pd.DataFrame([("bcast", size, 4, 4, "packed") for size in range(SIZES)], columns=CASE)
    summary = cases.assign(median_us=np.exp(np.median(logs, axis=0)), launches_used=BLOCKS, reliable=True, verdict="ok")
    launches = [
        cases.assign(launch_id=f"{name}.{block}", allocation=block, median_us=np.exp(logs[block]))
        for block in range(BLOCKS)
    ]
    return Rows(summary, pd.concat(launches, ignore_index=True))


def safe(rng: np.random.Generator, ratio: float, slow: int, noise: float) -> bool:
    """Whether an upgrade is called safe; `slow` of the cases have this ratio, the others are equal."""
    machine = rng.normal(0, 0.3, (BLOCKS, 1))
    factors = np.where(np.arange(SIZES) < slow, np.log(ratio), 0.0)
    noises = [rng.normal(0, noise, (BLOCKS, 1)) + rng.normal(0, noise, (BLOCKS, SIZES)) for _ in range(2)]
    sides = {"old": stack("old", machine + noises[0]), "new": stack("new", machine + noises[1] + factors)}
    rows = oriented(compare(sides, ["old", "new"], RULES), Analysis())
    return decide(rows[rows["stack"] == "new"].assign(accepted_loss=0.05), RULES.confidence).word == "upgrade"


@pytest.mark.parametrize(
    ("slow", "tables"), [(1, 30), *(pytest.param(slow, 1000, marks=pytest.mark.slow) for slow in (1, SIZES))]
)
def test_a_loss_just_beyond_the_accepted_one_is_hardly_ever_called_safe(slow: int, tables: int) -> None:
    """One such case is the worst: an intersection-union test errs most if all of its other parts are true."""
    rng = np.random.default_rng(11)
    called = np.mean([safe(rng, 1.0501, slow, noise=0.006) for _ in range(tables)])
    assert called <= 0.05


@pytest.mark.parametrize("tables", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_equal_stacks_are_safe_without_a_correction_for_the_number_of_cases(tables: int) -> None:
    rng = np.random.default_rng(12)
    assert np.mean([safe(rng, 1.0, 0, noise=0.012) for _ in range(tables)]) >= 0.9


def test_what_stands_against_a_safe_upgrade_besides_the_interval() -> None:
    """In turns a larger loss in the disturbed regime does, and a price of company in the reason does not."""
    rng = np.random.default_rng(13)
    logs = rng.normal(0, 0.3, (BLOCKS, 1)) + rng.normal(0, 0.001, (2, BLOCKS, SIZES))
    rows = oriented(
        compare({"old": stack("old", logs[0]), "new": stack("new", logs[1])}, ["old", "new"], RULES), Analysis()
    )
    rows = rows[rows["stack"] == "new"].assign(accepted_loss=0.05)
    first = np.arange(SIZES) == 0

    def word(**columns: object) -> str:
        return decide(rows.assign(**columns), RULES.confidence).word

    noted = {"verdict": np.where(first, "inconclusive", "equivalent"), "reason": f"{UNKNOWN}; new in company: 1.2×"}
    assert word() == word(**noted) == "upgrade"
    disturbed = {"in_turns": True, "disturbed_low": np.where(first, 1.0, np.nan), "disturbed_high": 1.2}
    assert word(**disturbed, disturbed_ratio=np.where(first, 1.04, np.nan)) == "upgrade"
    assert word(**disturbed, disturbed_ratio=np.where(first, 1.06, np.nan)) == "undecided"
