# SPDX-License-Identifier: BSD-3-Clause
"""Both stages of an upgrade on made-up campaigns in turns: one case of 1,500 is found, and nothing false is claimed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.estimate.compare.rows import Rows, Side
from isochron.postprocess.estimate.compare.screened import SCREENED_COLUMNS, screened, wrong_operations
from isochron.postprocess.ingest.inputs import CASE
from isochron.schemas.run.screening import ScreenedCase, seconds_of
from isochron.stats import multiple_tests
from isochron.workflows.upgrade.selection import choose
from isochron.workflows.upgrade.stages import ERROR, FOLLOWED
from tests.postprocess.estimate.compare.sessions import SessionRows, compared, sides

#: Cases: so many operations of so many sizes; the one that is slower; operations that are followed.
OPERATIONS, SIZES, SLOWER, MOST = 125, 12, 700, 20
CASES = OPERATIONS * SIZES
#: Blocks and rounds of the first stage, with its repetitions; rounds of the second.
SCREENED, ROUNDS = (8, 2), 6
RULES = Rules(threshold=0.05, confidence=1 - ERROR)


def part_of(side: Side, blocks: int, rounds: int) -> Side:
    """The first blocks and rounds of a side."""
    assert side.rounds is not None and side.sessions is not None
    kept = side.rounds[:blocks, :rounds]
    return Side(np.median(kept, axis=1), side.blocks[:blocks], None, kept, side.sessions[:blocks])


def turns_of(summary: pd.DataFrame) -> pd.DataFrame:
    """Turns of two stacks in two sessions, each of half a second, of which 157.8 ms without the verification."""
    turns = summary[["operation", "bytes"]].assign(turn_us=5e5, reps=20, warmup_reps=80, median_us=784.0)
    return pd.concat([turns.assign(session=session) for session in (0, 1) for _ in "ab"])


def screening(rng: np.random.Generator, factors: np.ndarray) -> list[ScreenedCase]:
    """The first stage of cases with these ratios."""
    summary = pd.DataFrame(
        [(f"operation-{number // SIZES}", number, 2, 2, "packed") for number in range(len(factors))],
        columns=pd.Index(CASE),
    )
    pair = (part_of(side, *SCREENED) for side in sides(rng, "quiet", factors))
    rows = {name: SessionRows(summary, summary.iloc[:0], None, side) for name, side in zip("ab", pair, strict=True)}
    table = screened(rows, "a", "b", 0.95, turns_of(summary))
    assert list(table.columns) == list(SCREENED_COLUMNS) and len(table) == len(factors)
    assert (table["seconds"] == 1.0).all() and (table["unverified_seconds"] == pytest.approx(0.3156)).all()
    return [ScreenedCase.model_validate(row) for row in table.to_dict("records")]


def claims(rng: np.random.Generator, factors: np.ndarray) -> tuple[bool, int]:
    """Whether the slower case is claimed, and how many claims are false."""
    cases = screening(rng, factors)
    followed = choose(cases, RULES.threshold, seconds_of(cases), MOST * SIZES)
    chosen = [case.bytes for case in followed if case.followed]
    if not chosen:
        return False, 0
    pair = sides(rng, "quiet", factors[chosen])
    table = compared((part_of(pair[0], FOLLOWED, ROUNDS), part_of(pair[1], FOLLOWED, ROUNDS)), RULES)
    claimed = {chosen[row] for row, verdict in enumerate(table["verdict"]) if verdict in ("slower", "faster")}
    return SLOWER in claimed, len(claimed - {SLOWER})


@pytest.mark.heavy
@pytest.mark.parametrize("count", [5, pytest.param(200, marks=pytest.mark.slow)])
def test_a_loss_of_a_tenth_in_one_of_many_cases_is_claimed(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The acceptance: in at least 80 % of 200 upgrades, and at most 5 % of them with a false claim."""
    monkeypatch.setattr(multiple_tests, "DRAWN", 999)
    factors = np.ones(CASES)
    factors[SLOWER] = 1.1
    rng = np.random.default_rng(count)
    outcomes = [claims(rng, factors) for _ in range(count)]
    print(f"found in {sum(found for found, _ in outcomes)}, false in {sum(wrong > 0 for _, wrong in outcomes)}")
    assert sum(found for found, _ in outcomes) >= 0.8 * count
    assert sum(wrong > 0 for _, wrong in outcomes) <= max(0.05 * count, 1)


def test_stacks_that_were_alone_have_no_ratio() -> None:
    summary = pd.DataFrame([("bcast", 8, 2, 2, "packed")], columns=pd.Index(CASE))
    side = Side(np.zeros((3, 1)), np.arange(3))
    rows = {name: SessionRows(summary, summary.iloc[:0], None, side) for name in "ab"}
    assert screened(rows, "a", "b", 0.95, turns_of(summary)).empty


def test_a_turn_without_verification_takes_no_longer_than_with_it() -> None:
    summary = pd.DataFrame([("bcast", 8, 2, 2, "packed"), ("bcast", 64, 2, 2, "packed")], columns=pd.Index(CASE))
    side = Side(np.zeros((3, 2)), np.arange(3), None, np.zeros((3, 2, 2)), np.arange(3))
    rows = {name: SessionRows(summary, summary.iloc[:0], None, side) for name in "ab"}
    table = screened(rows, "a", "b", 0.95, turns_of(summary).assign(median_us=1e4))
    assert (table["unverified_seconds"] == 1.0).all()


def test_operations_with_wrong_data_are_listed_by_stack() -> None:
    verdicts = [("bcast", "ok"), ("scan", "failed-check"), ("scan", "failed-check"), ("gather", "unstable")]
    summary = pd.DataFrame(verdicts, columns=["operation", "verdict"])
    rows = {"a": Rows(summary, summary.iloc[:0]), "b": Rows(summary[summary["operation"] != "scan"], summary.iloc[:0])}
    assert wrong_operations(rows) == {"a": ["scan"]}
