# SPDX-License-Identifier: BSD-3-Clause
"""Two stacks that measured in turns: one difference for each block, and the standard candle as its covariate."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.estimate.compare.interference import Holds
from isochron.postprocess.estimate.compare.pairs import Pair, Rules, pairs
from isochron.postprocess.estimate.compare.rows import Side, rows_of
from isochron.postprocess.estimate.compare.turns import depends, held_in_turns, note_regime_tests, safe_ends
from isochron.postprocess.estimate.values.launches import CANDLE, PROBES, with_candle_rounds
from isochron.postprocess.estimate.values.verdicts import RESULT_VERDICTS
from isochron.postprocess.ingest.inputs import CASE
from isochron.schemas.run.comparisons import TURNED
from isochron.stats import multiple_tests
from isochron.stats.block_correlation import MIN_EFFECTIVE
from tests.postprocess.estimate.compare.sessions import compared as verdicts_of

BLOCKS, ROUNDS, CASES = 24, 8, 6
RULES = Rules(threshold=0.05, confidence=0.95)


@pytest.fixture(autouse=True)
def fewer_exchanges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiple_tests, "DRAWN", 999)


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


@pytest.mark.heavy
@pytest.mark.parametrize("response", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("tables", [15, pytest.param(500, marks=pytest.mark.slow)])
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


def regimes(
    quiet: float,
    disturbed: float,
    slow_blocks: int = 8,
    blocks: int = BLOCKS,
    noise: float = 0.01,
    seed: int = 0,
    tails: int | None = None,
) -> tuple[Side, Side]:
    """Baseline and candidate with a ratio in each regime of the machine; the first blocks met the disturbed one.

    `tails`: degrees of freedom of the noise of blocks, Student's; normal if None.
    """
    rng = np.random.default_rng([slow_blocks, blocks, seed])
    slow = np.repeat(np.arange(blocks) < slow_blocks, ROUNDS).reshape(blocks, ROUNDS, 1) * np.ones(CASES)
    candle = np.log(3.0) * slow + rng.normal(0, 0.05, slow.shape)
    number, made = np.arange(blocks), []
    for ratio in (np.zeros_like(slow), np.where(slow > 0, np.log(disturbed), np.log(quiet))):
        shape = (blocks, 1, CASES)
        of_blocks = rng.normal(0, noise, shape) if tails is None else noise * rng.standard_t(tails, shape)
        rounds = np.log(3.0) * slow + ratio + of_blocks
        made.append(
            Side(np.median(rounds, axis=1), number, None, rounds + rng.normal(0, noise, slow.shape), number, candle)
        )
    return made[0], made[1]


def judged(pair: tuple[Side, Side], verdict: str = "ok") -> pd.DataFrame:
    return verdicts_of(pair, RULES, verdict)


@pytest.mark.parametrize(
    ("quiet", "disturbed", "verdict", "regime", "reason"),
    [
        (1.3, 1.3, "slower", "", ""),
        (1.3, 2.0, "slower", "quiet", "in the quiet regime of the machine; "),
        (1.3, 0.7, "depends", "quiet", "1."),
        (0.7, 1.3, "depends", "quiet", "0."),
        (1.3, 1.0, "depends", "quiet", "1."),
        (0.7, 1.0, "depends", "quiet", "0."),
        (0.7, 0.4, "faster", "quiet", "in the quiet regime of the machine; "),
        (1.0, 1.0, "equivalent", "", ""),
        (1.02, 2.0, "depends", "quiet", "1."),
        (1.0, 1.04, "equivalent", "quiet", "in the quiet regime of the machine; "),
    ],
)
def test_a_claim_is_of_one_regime_and_names_it_where_the_ratios_differ(
    quiet: float, disturbed: float, verdict: str, regime: str, reason: str
) -> None:
    found = judged(regimes(quiet, disturbed))
    assert found["verdict"].eq(verdict).all() and found["regime"].eq(regime).all()
    assert found["reason"].str.startswith(reason).all() and (found["reason"] == "").all() == (reason == "")
    assert found["ratio"].to_numpy() == pytest.approx(quiet, rel=0.03)
    assert found["adjusted_verdict"].eq(verdict).all()


def test_a_claim_of_a_run_that_hardly_met_the_quiet_regime_is_of_the_disturbed_one() -> None:
    """Three blocks of it are too few for an interval, which need not keep open what all others show."""
    found = judged(regimes(1.6, 2.0, slow_blocks=BLOCKS - 3))
    assert found["verdict"].eq("slower").all() and found["regime"].eq("disturbed").all()
    assert found["reason"].eq("in the disturbed regime of the machine; not known in the quiet one").all()
    assert found["ratio"].to_numpy() == pytest.approx(2.0, rel=0.03)


def test_a_claim_that_few_blocks_of_the_quiet_regime_bear_out_needs_no_exact_test_of_them() -> None:
    """Six of 24: their exact test has no p below 1/32, which is nothing among many cases."""
    found = judged(regimes(1.6, 2.0, slow_blocks=BLOCKS - 6))
    assert found["verdict"].eq("slower").all() and found["regime"].eq("quiet").all()
    assert found["ratio"].to_numpy() == pytest.approx(1.6, rel=0.03)


@pytest.mark.heavy
@pytest.mark.parametrize("tables", [20, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("quiet", [1.0, 1.05])
@pytest.mark.parametrize("slow_blocks", [BLOCKS - 5, BLOCKS - 7])
def test_a_loss_of_the_disturbed_regime_alone_is_not_claimed(quiet: float, slow_blocks: int, tables: int) -> None:
    """Of the few blocks that met the quiet one, with noise of heavy tails: in at most 5 % of tables."""
    wrong = 0
    for seed in range(tables):
        found = judged(regimes(quiet, 1.5, slow_blocks, noise=0.02, seed=seed, tails=3))
        wrong += (found["verdict"].eq("slower") & found["regime"].ne("disturbed")).any()
    print(f"{wrong} of {tables} tables")
    assert wrong <= max(1, 0.05 * tables)


def test_nothing_is_claimed_if_the_ratios_differ_and_no_regime_has_enough_blocks() -> None:
    found = judged(regimes(1.3, 2.0, slow_blocks=5, blocks=10))
    assert found["verdict"].eq("inconclusive").all() and found["reason"].str.contains("regime of the machine").all()


def test_what_all_rounds_show_is_claimed_of_a_regime_if_that_is_shown_within_the_pair() -> None:
    """With 8 pairs of stacks: significant within the pair, not so, an interval of the other regime below, and alone.

    Last: not significant, but shown by the intervals that hold for all cases; and by one of them only.
    """
    columns = {
        "regime": np.array(["quiet", "quiet", "quiet", "", "quiet", "quiet"], dtype=object),
        "quiet_low": np.full(6, 1.1),
        "quiet_high": np.full(6, 1.3),
        "disturbed_low": np.array([2.0, 2.0, 1.0, 2.0, 2.0, 2.0]),
        "disturbed_high": np.full(6, 3.0),
        "quiet_joint_low": np.array([0.9, 0.9, 0.9, 0.9, 1.06, 1.04]),
        "quiet_joint_high": np.full(6, 1.4),
        "disturbed_joint_low": np.full(6, 1.2),
        "disturbed_joint_high": np.full(6, 3.5),
        "p_slower": np.full(6, 0.01),
        "quiet_slower": np.array([0.2, 0.8, 0.2, 0.2, 0.8, 0.8]),
        "disturbed_slower": np.full(6, 0.3),
    }
    for name in ("p", "quiet", "disturbed"):
        columns |= {f"{name}_faster": np.ones(6), f"{name}_not_slower": np.ones(6)}
        columns[f"{name}_not_faster"] = columns[f"{name}_slower"]
    note_regime_tests(columns, 1.05, families=8)
    assert columns["p_slower"] == pytest.approx([0.025, 0.1, 0.2, 0.01, 0.01, 0.1])
    assert columns["p_not_faster"] == pytest.approx([0.025, 0.1, 0.025, 0.01, 0.01, 0.01])  # beyond 1/1.05 in both
    assert (columns["p_faster"] == 1.0).all() and (columns["p_not_slower"] == 1.0).all()


def test_what_depends_on_the_regime_is_shown_by_the_intervals_of_the_case_and_by_those_of_all_together() -> None:
    """Slower and not, faster and not; an interval reaches too far, twice; slower in both; not apart; not known."""
    table = pd.DataFrame(
        {
            "quiet_low": [1.10, 0.80, 1.04, 1.10, 1.10, 1.10, np.nan],
            "quiet_high": [1.20, 0.90, 1.20, 1.20, 1.20, 1.20, np.nan],
            "quiet_joint_low": [1.06, 0.70, 1.06, 1.04, 1.06, 1.06, np.nan],
            "quiet_joint_high": [1.30, 0.94, 1.30, 1.30, 1.30, 1.30, np.nan],
            "disturbed_low": [0.90, 1.00, 0.90, 0.90, 1.05, 0.90, 0.90],
            "disturbed_high": [1.10, 1.20, 1.00, 1.00, 1.06, 1.00, 1.00],
            "disturbed_joint_low": [0.80, 0.96, 0.80, 0.80, 0.80, 0.80, 0.80],
            "disturbed_joint_high": [1.04, 1.30, 1.04, 1.04, 1.04, 1.06, 1.04],
        }
    )
    expected = [True, True, False, False, False, False, False]
    assert depends(table, safe_ends(table), 1.05).tolist() == expected
    swapped = {name: name.replace("quiet", "other").replace("disturbed", "quiet") for name in table}
    turned = table.rename(columns=swapped).rename(columns=lambda name: name.replace("other", "disturbed"))
    assert depends(turned, safe_ends(turned), 1.05).tolist() == expected, "whichever regime it is shown in"


def test_all_rounds_may_be_claimed_of_if_both_regimes_show_it_though_few_blocks_met_one_of_them() -> None:
    """Slower in both, faster in both; then one interval of the case, or of all together, is too wide."""
    joint = {"quiet_joint": [(1.06, 1.4), (0.6, 0.93), (1.06, 1.4), (1.03, 1.4)], "disturbed_joint": [(1.06, 1.4)] * 4}
    joint["disturbed_joint"][1] = (0.6, 0.93)
    single = {"quiet": [(1.1, 1.2), (0.8, 0.9), (1.03, 1.2), (1.1, 1.2)], "disturbed": [(1.1, 1.2)] * 4}
    single["disturbed"][1] = (0.8, 0.9)
    table = pd.DataFrame({"in_turns": [True] * 4, "regime": [""] * 4})
    for name, ends in (joint | single).items():
        table[f"{name}_low"], table[f"{name}_high"] = zip(*ends, strict=True)
    for regime in ("quiet", "disturbed"):
        table[f"{regime}_ratio"] = np.sqrt(table[f"{regime}_low"] * table[f"{regime}_high"])
    nothing = pd.Series([False] * 4)
    held = held_in_turns(table, Holds(*[nothing] * 5), safe_ends(table), 1.05)
    assert held.slower.tolist() == [True, False, False, False]
    assert held.faster.tolist() == [False, True, False, False]


def slow_waves(rng: np.random.Generator, correlation: float, ratio: float, spread: float = 0.02) -> tuple[Side, Side]:
    """Stacks whose ratio in a block resembles that in the block before; without a candle."""
    blocks = rng.normal(size=(BLOCKS, 1, CASES))
    for block in range(1, BLOCKS):
        blocks[block] = correlation * blocks[block - 1] + np.sqrt(1 - correlation**2) * blocks[block]
    number, made = np.arange(BLOCKS), []
    for log in (np.zeros_like(blocks), np.log(ratio) + spread * blocks):
        rounds = 2.0 + log + rng.normal(0, 0.005, (BLOCKS, ROUNDS, CASES))
        made.append(Side(np.median(rounds, axis=1), number, None, rounds, number))
    return made[0], made[1]


def test_correlated_blocks_make_an_interval_wider_and_the_table_states_what_they_are_worth() -> None:
    found = {rho: [judged(slow_waves(np.random.default_rng(seed), rho, 1.3)) for seed in range(5)] for rho in (0, 0.5)}
    widths = {rho: np.mean([np.log(each["ratio_high"] / each["ratio_low"]) for each in found[rho]]) for rho in found}
    assert widths[0.5] > 1.3 * widths[0]
    independent, correlated = (pd.concat(found[rho]) for rho in (0, 0.5))
    assert independent["block_correlation"].mean() < 0.15 and correlated["block_correlation"].mean() > 0.35
    rho = correlated["block_correlation"]
    assert correlated["effective_blocks"].to_numpy() == pytest.approx((BLOCKS * (1 - rho) / (1 + rho)).to_numpy())
    assert found[0.5][0]["block_correlation"].nunique() == 1, "one number for all cases"
    assert independent["verdict"].eq("slower").all()


def test_nothing_is_claimed_of_blocks_that_are_worth_too_few() -> None:
    """The ratio of all cases rises from the first block to the last."""
    baseline, candidate = slow_waves(np.random.default_rng(1), 0.0, 2.0, 0.005)
    assert candidate.rounds is not None
    rising = candidate.rounds + np.linspace(0, 0.2, BLOCKS)[:, None, None]
    found = judged((baseline, Side(candidate.logs, candidate.blocks, None, rising, candidate.sessions)))
    assert (found["effective_blocks"] < MIN_EFFECTIVE).all() and found["verdict"].eq("inconclusive").all()
    reason = (
        r"neighbouring blocks resemble each other \(correlation 0\.\d\d\): 24 blocks are worth \d\.\d "
        "independent ones, and fewer than 5 show nothing"
    )
    assert found["reason"].str.fullmatch(reason).all()


def test_a_change_of_regime_is_no_correlation_of_blocks() -> None:
    found = judged(regimes(1.3, 2.0))
    assert (found["block_correlation"] < 0.3).all() and found["regime"].eq("quiet").all()


def test_the_reason_has_the_ratios_of_both_regimes() -> None:
    found = judged(regimes(1.3, 0.7))
    pattern = r"1\.\d\d \[1\.\d\d; 1\.\d\d\] in the quiet regime, 0\.\d\d \[0\.\d\d; 0\.\d\d\] in the disturbed one"
    assert found["reason"].str.fullmatch(pattern).all()


@pytest.mark.heavy
def test_a_comparison_does_not_depend_on_which_stack_is_the_baseline() -> None:
    for quiet, disturbed in ((1.3, 2.0), (1.3, 0.7), (1.0, 1.3), (1.04, 1.06)):
        baseline, candidate = regimes(quiet, disturbed)
        one, other = judged((baseline, candidate)), judged((candidate, baseline))
        mirrored = other["verdict"].replace(TURNED)
        assert (one["verdict"] == mirrored).all() and (one["regime"] == other["regime"]).all()
        for name in ("ratio", "quiet_ratio", "disturbed_ratio", "adjusted_ratio"):
            assert (one[name] * other[name]).to_numpy() == pytest.approx(1.0)


@pytest.mark.parametrize("verdict", RESULT_VERDICTS)
def test_only_verdicts_on_the_validity_of_a_measurement_keep_a_comparison_in_turns_open(verdict: str) -> None:
    pair = regimes(1.3, 1.3)
    without = [Side(side.logs, side.blocks) for side in pair]
    decided = verdict in ("ok", "disturbed", "unstable")
    in_turns, alone = judged(pair, verdict), judged((without[0], without[1]), verdict)
    assert in_turns["verdict"].eq("slower" if decided else "inconclusive").all()
    assert (in_turns["reason"] == ("" if decided else f"a: {verdict}; b: {verdict}")).all()
    assert alone["verdict"].eq("inconclusive" if verdict == "unstable" else in_turns["verdict"]).all()


def test_a_side_has_the_candle_of_its_session_round_and_case() -> None:
    cases = [("bcast", 8), ("bcast", 64)]
    keys = pd.DataFrame(
        [(session, *case, number) for session in ("s2", "s1") for case in cases for number in range(3)],
        columns=pd.Index(["session", "operation", "bytes", "round"]),
    )
    slices = keys.assign(launch_id="launch of " + keys["session"], median_us=1.0 + np.arange(len(keys)))
    candles = keys.assign(median_us=100.0 + np.arange(len(keys))).iloc[::-1].iloc[1:]  # without the last
    launches = slices[slices["round"] == 0].assign(
        stack="a", processes=2, processes_per_node=2, placement="packed", allocation=0, block=1, attempt=1
    )
    summary = launches[["stack", *CASE]].drop_duplicates()
    (rows,) = rows_of(summary, launches, with_candle_rounds(slices, candles)).values()
    side = rows.at((2, 2, "packed"), pd.MultiIndex.from_tuples(cases))
    assert side.rounds is not None and side.candle is not None
    times, candle = np.exp(side.rounds), np.exp(side.candle)
    assert times[0] == pytest.approx(np.array([[7, 10], [8, 11], [9, 12]])), "launches in the order of their names"
    expected = times + 99
    expected[0, 2, 1] = np.nan
    assert candle == pytest.approx(expected, nan_ok=True)
