# SPDX-License-Identifier: BSD-3-Clause
"""Two stacks that measured in turns: one difference for each block, and the standard candle as its covariate."""

from __future__ import annotations

import numpy as np
import pytest

from isochron.postprocess.estimate.compare.pairs import Pair, Rules, Side, pairs
from isochron.postprocess.estimate.values.launches import CANDLE, PROBES

BLOCKS, ROUNDS, CASES = 24, 8, 6
RULES = Rules(threshold=0.05, confidence=0.95)


def sides(seed: int, *, response: float = 1.0, ratio: float = 1.0, cases: int = CASES) -> tuple[Side, Side]:
    """Baseline and candidate under states of the machine; the candidate responds `response` times as strongly.

    The median state is 0, so that `ratio` is the ratio at the usual state.
    """
    rng = np.random.default_rng(seed)
    state = rng.normal(0, 0.4, (BLOCKS, 1, cases)) + rng.normal(0, 0.1, (BLOCKS, ROUNDS, cases))
    state -= np.median(np.median(state, axis=1), axis=0)
    blocks, sessions = np.arange(BLOCKS), np.arange(BLOCKS)
    candle = state + rng.normal(0, 0.03, (BLOCKS, 1, cases))
    made = []
    for level, strength in ((0.0, 1.0), (np.log(ratio), response)):
        own = rng.normal(0, 0.03, (BLOCKS, 1, cases)) + rng.normal(0, 0.03, (BLOCKS, ROUNDS, cases))
        rounds = 2.0 + level + strength * state + own
        made.append(Side(np.median(rounds, axis=1), blocks, None, rounds, sessions, candle))
    return made[0], made[1]


def compared(baseline: Side, candidate: Side) -> Pair:
    (pair,) = pairs(baseline, candidate, RULES, 1)
    return pair


def half_width(pair: Pair) -> float:
    return float(np.median(pair.ratio.high - pair.ratio.low)) / 2


def test_in_turns_the_state_of_the_machine_cancels() -> None:
    baseline, candidate = sides(1, ratio=1.1)
    in_turns = compared(baseline, candidate)
    assert candidate.sessions is not None
    shuffled = Side(candidate.logs, candidate.blocks, None, candidate.rounds, candidate.sessions[::-1])
    alone = compared(Side(baseline.logs, baseline.blocks), Side(candidate.logs[::-1], candidate.blocks))
    assert in_turns.in_turns and not alone.in_turns and in_turns.within_blocks and in_turns.strata == "blocks"
    assert half_width(in_turns) < half_width(alone) / 4
    assert in_turns.ratio.estimate == pytest.approx(np.log(1.1), abs=0.03)
    assert half_width(compared(baseline, shuffled)) > 4 * half_width(in_turns), "by the session, not by the block"


def test_launches_without_company_have_no_part_in_the_ratio() -> None:
    baseline, candidate = sides(2)
    sessions = np.where(np.arange(BLOCKS) < 4, -1, candidate.sessions)
    logs = candidate.logs + np.where(np.arange(BLOCKS) < 4, 5.0, 0.0)[:, None]
    pair = compared(baseline, Side(logs, candidate.blocks, None, candidate.rounds, sessions))
    assert pair.blocks == BLOCKS - 4
    assert np.abs(pair.ratio.estimate).max() < 0.1


def test_a_library_that_answers_more_strongly_is_told_by_the_candle() -> None:
    pair = compared(*sides(3, response=2.0, ratio=1.1))
    assert pair.adjustment is not None and pair.adjusted is not None
    assert (pair.adjustment.chosen == list(PROBES).index(CANDLE)).all()
    assert pair.adjustment.slope == pytest.approx(1.0, abs=0.25)
    adjusted = pair.adjusted.ratio
    assert np.median(adjusted.high - adjusted.low) < np.median(pair.ratio.high - pair.ratio.low) / 3
    assert adjusted.estimate == pytest.approx(np.log(1.1), abs=0.15), "at the usual state of the machine"


def test_a_library_that_answers_less_strongly_has_a_slope_of_the_other_sign() -> None:
    pair = compared(*sides(4, response=0.3))
    assert pair.adjustment is not None
    assert pair.adjustment.slope == pytest.approx(-0.7, abs=0.25)


def test_the_candle_is_not_used_where_both_answer_alike() -> None:
    pair = compared(*sides(5))
    assert pair.adjustment is not None and (pair.adjustment.chosen == -1).mean() > 0.5


@pytest.mark.parametrize("response", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("tables", [40, pytest.param(500, marks=pytest.mark.slow)])
def test_intervals_cover_the_ratio_at_the_median_reading_of_the_candle(response: float, tables: int) -> None:
    plain, adjusted = [], []
    for seed in range(tables):
        baseline, candidate = sides(100 + seed, response=response)
        pair = compared(baseline, candidate)
        plain.append((pair.ratio.low <= 0) & (pair.ratio.high >= 0))
        if pair.adjusted is not None and candidate.candle is not None:
            usual = np.median(np.median(candidate.candle, axis=1), axis=0)[pair.adjusted.cases]
            truth = (response - 1) * usual
            adjusted.append((pair.adjusted.ratio.low <= truth) & (pair.adjusted.ratio.high >= truth))
    assert np.mean(plain) > 0.92
    if response != 1.0:  # else the candle is used in few cases, by chance
        assert np.concatenate(adjusted).mean() > 0.91
