# SPDX-License-Identifier: BSD-3-Clause
"""The answer of a run: decided by what is established, with what cannot be excluded, and one letter of quality."""

from __future__ import annotations

from math import inf

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.estimate.answer.decision import (
    NONE_DECIDED,
    UNRELIABLE,
    Decision,
    decide,
    objection,
    oriented,
)
from isochron.postprocess.estimate.answer.effect import Effect, half_width, pooled
from isochron.postprocess.estimate.answer.least import at_least
from isochron.postprocess.estimate.answer.quality import (
    CRITERIA,
    Criterion,
    established_price,
    grades,
    with_cautions,
)
from isochron.postprocess.estimate.compare.comparison import UNKNOWN
from isochron.postprocess.estimate.compare.rows import rows_of
from isochron.postprocess.ingest.inputs import ALLOCATION, CASE
from isochron.postprocess.subjects.answer.conditions import quality
from isochron.schemas.input.analysis import Analysis
from isochron.schemas.run.comparisons import TURNED, VERDICTS
from tests.repository.test_structure import ROOT


def cases(*lines: tuple[float, float, float, str], blocks: int = 10, **columns: object) -> pd.DataFrame:
    """Comparisons of bcast at 1, 2, … bytes: ratio, interval, verdict; a loss of 5 % is accepted."""
    table = pd.DataFrame(lines, columns=["ratio", "ratio_low", "ratio_high", "verdict"])
    keys = {"operation": "bcast", "processes": 4, "processes_per_node": 4, "placement": "packed", "blocks": blocks}
    known = {"confidence": 0.951, "other_launches": 10, "reason": UNKNOWN, "accepted_loss": 0.05, **ONE_REGIME}
    both = {"baseline_launches": blocks, "candidate_launches": blocks, "family": "question"}
    table = table.assign(**keys | known | both | columns, bytes=range(1, len(table) + 1))
    return table.assign(least=at_least(table, 0.95, 0.05))


ONE_REGIME = {"in_turns": False, "by_regime": "", "regime": "", "fast_ratio": np.nan, "slow_ratio": np.nan}
ONE_REGIME |= {f"{regime}_{end}": np.nan for regime in ("quiet", "disturbed") for end in ("ratio", "low", "high")}
LOSS = (1.5, 1.4, 1.6, "slower")
GAIN = (0.8, 0.7, 0.9, "faster")
EQUAL = (1.0, 0.98, 1.02, "equivalent")
#: Not shown to be equal or faster, but not slower by more than 5 %.
HARMLESS = (0.97, 0.93, 1.03, "not-slower")
AT_RISK = (1.1, 0.9, 1.3, "inconclusive")
NO_TIME = (np.nan, np.nan, np.nan, "missing")


def decided(*lines: tuple[float, float, float, str], **columns: object) -> Decision:
    return decide(cases(*lines, **columns), 0.95)


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        ([GAIN, EQUAL], "upgrade"),
        ([GAIN, EQUAL, HARMLESS], "upgrade"),
        ([EQUAL], "upgrade"),
        ([HARMLESS], "upgrade"),
        ([GAIN, AT_RISK], "undecided"),
        ([], "undecided"),
        ([GAIN, GAIN, EQUAL, LOSS], "keep-baseline"),
        ([NO_TIME, GAIN], "undecided"),
        ([(1.04, 0.98, 1.07, "not-faster"), GAIN], "undecided"),
        ([(1.1, np.nan, np.nan, "inconclusive"), GAIN], "undecided"),
    ],
)
def test_the_decision(lines: list[tuple[float, float, float, str]], word: str) -> None:
    assert decided(*lines).word == word


def test_nothing_is_lost_where_the_baseline_has_no_time() -> None:
    assert decided(GAIN, NO_TIME, other_launches=[10, 0]).word == "upgrade"
    assert decided(NO_TIME, other_launches=0).word == "undecided", "nothing is known at all"


def test_an_upgrade_is_safe_by_the_accepted_loss_of_each_case() -> None:
    """Equal within 5 % is no proof where 1 % matters; 8 % may be harmless where 10 % do not."""
    worse = (1.04, 1.0, 1.08, "inconclusive")
    assert decided(EQUAL, worse).word == "undecided"
    assert decided(EQUAL, worse, accepted_loss=[0.05, 0.1]).word == "upgrade"
    assert decided(EQUAL, accepted_loss=0.01).word == "undecided"
    assert decided(LOSS, accepted_loss=[0.8]).word == "upgrade", "shown to be slower, and as much is accepted"
    wide = (1.5, 1.2, 1.9, "slower")
    assert decided(wide, accepted_loss=0.05).word == "keep-baseline"
    assert decided(wide, accepted_loss=0.3).word == "undecided", "measured to be beyond, and not shown to be"


def test_an_upgrade_is_not_safe_by_an_interval_that_claims_nothing() -> None:
    """A doubt about a value, too low a confidence, and the quiet regime of the machine stand against it."""
    within = (0.97, 0.93, 1.03, "inconclusive")
    assert decided(within).word == "upgrade"
    assert decided(within, reason="new: unstable").word == "undecided"
    assert decided(within, confidence=0.9).word == "undecided"
    assert decided(within, by_regime="differs").word == "undecided", "not known in the quiet one"
    differs = {"by_regime": "differs", "quiet_ratio": 1.1, "quiet_low": 1.05}
    assert decided(HARMLESS, **differs, quiet_high=1.04).word == "upgrade"
    found = decided(HARMLESS, **differs, quiet_high=1.2)
    assert found.word == "undecided" and found.at_risk["ratio_high"].tolist() == [1.2]


@pytest.mark.parametrize(
    ("quiet", "disturbed", "word"),
    [
        ((1.24, 1.21, 1.27), (0.40, 0.33, 0.48), "undecided"),
        ((0.86, 0.81, 0.94), (2.42, 2.07, 2.81), "undecided"),
        ((0.88, 0.87, 0.90), (1.00, 0.97, 1.03), "upgrade"),
    ],
)
def test_what_is_slower_in_one_regime_is_not_safe_and_no_matter_of_more_blocks(
    quiet: tuple[float, float, float], disturbed: tuple[float, float, float], word: str
) -> None:
    """The largest ratio that is possible is that of the regime in which it is slower."""
    ends = ("ratio", "low", "high")
    regimes = {f"quiet_{end}": value for end, value in zip(ends, quiet, strict=True)}
    regimes |= {f"disturbed_{end}": value for end, value in zip(ends, disturbed, strict=True)}
    known = {"in_turns": True, "by_regime": "differs", "regime": "quiet", **regimes}
    found = decided((*quiet, "depends"), **known)
    assert (found.word, found.dependent, found.decided, found.open) == (word, 1, 1, 0)
    assert found.at_risk["ratio_high"].tolist() == ([max(quiet[2], disturbed[2])] if word == "undecided" else [])
    assert (found.blocks, found.settled) == (0, 0)


def test_what_it_rests_on() -> None:
    not_faster = (1.02, 0.98, 1.04, "not-faster")
    found = decided(EQUAL, (1.2, 1.1, 1.3, "slower"), LOSS, GAIN, AT_RISK, HARMLESS, not_faster, not_faster)
    assert (found.cases, found.decided, found.equal, found.not_slower, found.not_faster) == (8, 4, 1, 1, 2)
    assert found.open == 1
    assert found.slower["ratio"].tolist() == [1.5, 1.2]
    assert found.at_risk["ratio_high"].tolist() == [1.3]


def test_what_it_would_cost_to_settle() -> None:
    """An interval shrinks with the root of the blocks: to half, four times as many."""
    edge, ratio = 1.05, 1.05 * 1.1
    near = (ratio, ratio / 1.1**2, ratio * 1.1**2, "inconclusive")
    assert (decided(near, GAIN).blocks, decided(near, GAIN).settled) == (40, 1)
    hopeless = (edge * 1.001, 0.8, 1.4, "inconclusive")
    found = decided(near, hopeless, GAIN)
    assert (found.blocks, found.settled) == (40, 1)
    assert decided(hopeless).blocks == 0
    faster = (edge / 1.1, edge / 1.1**3, edge * 1.0999, "inconclusive")
    assert decided(faster).blocks == 40, "whether it is faster by more than 5 % is not asked"


def test_an_inverted_comparison_has_the_inverse_verdict() -> None:
    """Both ways round, every comparison has one meaning; twice inverted, it is what it was."""
    columns = [*CASE, "ratio", "ratio_low", "ratio_high", "quiet_ratio", "quiet_low", "quiet_high", "verdict"]
    table = cases(LOSS, GAIN, EQUAL, HARMLESS, AT_RISK, NO_TIME, quiet_low=0.9, quiet_high=1.2, quiet_ratio=1.1)
    table = table.assign(baseline="old", candidate="new", baseline_launches=1, candidate_launches=2, family="question")
    table = table.drop(columns="other_launches")
    both = oriented(table, Analysis())
    back = both[both["stack"] == "old"]
    assert back["verdict"].tolist() == ["faster", "slower", "equivalent", "not-faster", "inconclusive", "new"]
    assert back["quiet_high"].iloc[0] == pytest.approx(1 / 0.9) and set(back["other_launches"]) == {2}
    twice = oriented(
        back.assign(baseline="new", candidate="old", baseline_launches=2, candidate_launches=1), Analysis()
    )
    again = twice[twice["stack"] == "new"]
    pd.testing.assert_frame_equal(again[columns], table[columns])
    assert set(TURNED) | {"equivalent", "depends", "inconclusive"} == set(VERDICTS)


def drawn(rng: np.random.Generator, blocks: int, lacking: bool = False) -> pd.DataFrame:
    """Two stacks in 20 cases; the second is slower by 10 %. What a block does to the ratio it does to all cases."""
    lines = []
    for block in range(blocks):
        shared = rng.normal(0, 0.03)
        for size in range(1, 21):
            for stack, log in (("old", 0.0), ("new", np.log(1.1) + shared)):
                for launch in range(2):
                    value = 3.0 * size * np.exp(log + rng.normal(0, 0.02))
                    lines.append((stack, f"{stack} {block} {launch}", "bcast", size, 4, 4, "packed", block, 1, value))
    table = pd.DataFrame(lines, columns=["stack", "launch_id", *CASE, *ALLOCATION, "median_us"])
    return table[~((table["block"] == 0) & (table["bytes"] > 10))] if lacking else table


def effect(rows: pd.DataFrame, slices: pd.DataFrame | None = None) -> Effect:
    sides = rows_of(pd.DataFrame({"stack": ["old", "new"]}), rows, slices)
    return pooled(sides["old"], sides["new"], 0.95)


@pytest.mark.heavy
@pytest.mark.parametrize("lacking", [False, True])
def test_the_pooled_effect_covers_though_blocks_are_shared(lacking: bool) -> None:
    rng, held, widths = np.random.default_rng(1), 0, []
    for _ in range(60):
        found = effect(drawn(rng, 6, lacking))
        assert (found.cases, found.blocks) == (20, 5 if lacking else 6)
        assert found.low < found.ratio < found.high
        held += found.low <= 1.1 <= found.high
        widths.append(found.high - found.low)
    assert held >= 51, "95 % of 60, and one in a thousand below"
    assert np.median(widths) < 0.15


@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_the_interval_of_the_pooled_effect_covers_over_correlated_blocks(correlation: float) -> None:
    """Of 24 blocks and 20 cases, half of whose variance is that of all together."""
    rng, held, tables = np.random.default_rng(4), 0, 400
    for _ in range(tables):
        blocks = rng.normal(size=(24, 21))
        for block in range(1, 24):
            blocks[block] = correlation * blocks[block - 1] + np.sqrt(1 - correlation**2) * blocks[block]
        values = blocks[:, :1] + blocks[:, 1:]
        held += abs(values.mean()) <= half_width(values, np.full(20, 0.05), 0.95)
    assert held / tables > 0.91


def test_cases_that_jump_between_two_states_have_no_part_in_the_pooled_effect() -> None:
    """Three cases of twenty, slower by a factor of 8 in every third block; all others by 10 %."""
    rows = drawn(np.random.default_rng(4), 12)
    jumps = (rows["stack"] == "new") & (rows["bytes"] <= 3) & (rows["block"] % 3 == 0)
    found = effect(rows.assign(median_us=rows["median_us"] * np.where(jumps, 8.0, 1.0)))
    quiet = effect(rows[rows["bytes"] > 3])
    assert (found.cases, found.two_states) == (17, 3) and quiet.two_states == 0
    assert (found.ratio, found.low, found.high) == pytest.approx((quiet.ratio, quiet.low, quiet.high))
    assert found.turned.two_states == 3


@pytest.mark.parametrize(
    ("lines", "reliable", "word"),
    [
        ([LOSS, EQUAL], [True] * 4, ""),
        ([HARMLESS], [True] * 4, ""),
        ([AT_RISK, AT_RISK], [True] * 4, NONE_DECIDED),
        ([GAIN, EQUAL], [True] * 3 + [False], ""),
        ([GAIN, EQUAL], [True] * 2 + [False] * 2, UNRELIABLE),
        ([GAIN], [], UNRELIABLE),
    ],
)
def test_no_stack_is_taken_by_what_is_unreliable_or_all_inconclusive(
    lines: list[tuple[float, float, float, str]], reliable: list[bool], word: str
) -> None:
    assert objection(decided(*lines), pd.DataFrame({"reliable": reliable})) == word


def test_no_effect_without_pairs() -> None:
    table = drawn(np.random.default_rng(2), 3)
    assert np.isnan(effect(table[table["stack"] == "old"]).ratio)
    one = effect(table[table["block"] == 0])
    assert one.ratio > 1 and np.isnan(one.low)


def test_in_turns_the_pooled_effect_is_of_rounds() -> None:
    """A state of the machine that moves both stacks in a round cancels; in medians of other rounds it does not."""
    rng = np.random.default_rng(3)
    rows = drawn(rng, 6)
    rows = rows[rows["launch_id"].str.endswith("0")]
    states, lines = rng.normal(0, 0.5, (6, 6)), []
    for row in rows.to_dict("records"):
        block, level = row["block"], np.log(3.0 * row["bytes"] * (1.1 if row["stack"] == "new" else 1.0))
        for number in set(range(6)) - ({block} if row["stack"] == "new" else set()):
            time = np.exp(level + states[block, number] + rng.normal(0, 0.005))
            lines.append((row["launch_id"], f"s{block}", "bcast", row["bytes"], number, time))
    slices = pd.DataFrame(lines, columns=["launch_id", "session", "operation", "bytes", "round", "median_us"])
    medians = slices.groupby(["launch_id", "bytes"])["median_us"].median().rename("median_us")
    rows = rows.drop(columns="median_us").merge(medians.reset_index(), on=["launch_id", "bytes"])
    plain, turns = effect(rows), effect(rows, slices)
    assert np.log(turns.high / turns.low) < np.log(plain.high / plain.low) / 5
    assert turns.ratio == pytest.approx(1.1, rel=0.01)
    assert turns.turned.low == 1 / turns.high


def summary(**columns: object) -> pd.DataFrame:
    """Four rows; a fifth of each value is the engine's own, and known to a fortieth."""
    base = {"reliable": True, "rse": 0.01, "mode_ratio": np.nan, "clock_error_us": 0.01, "median_us": 1.0}
    base |= {"interval_validity": "yes", "overhead_us": 0.2, "overhead_low_us": 0.15, "overhead_high_us": 0.2}
    return pd.DataFrame([{**base, **columns}] * 4)


def test_the_grade_is_that_of_each_criterion() -> None:
    runs = pd.DataFrame({"reps_made": [100, 100], "reps_late_start": [1, 1]})
    found = grades(summary(), runs, 10, 10, {}).set_index("criterion")
    assert found["grade"].eq("A").all() and len(found) == len(CRITERIA)
    assert found.loc["late starts", "value"] == pytest.approx(0.01)
    worse = {
        "complete": (grades(summary(), runs, 10, 8, {}), "D"),
        "reliable": (grades(summary(reliable=False), runs, 10, 10, {}), "D"),
        "repeatability": (grades(summary(rse=0.04), runs, 10, 10, {}), "B"),
        "groups": (grades(summary(mode_ratio=1.5), runs, 10, 10, {}), "D"),
        "clock": (grades(summary(clock_error_us=0.2), runs, 10, 10, {}), "D"),
        "overhead": (grades(summary(overhead_high_us=0.36), runs, 10, 10, {}), "C"),
        "intervals": (grades(summary(interval_validity="no"), runs, 10, 10, {}), "D"),
        "company": (grades(summary(), runs, 10, 10, {"company": 0.14}), "C"),
        "correlation": (grades(summary(), runs, 10, 10, {"correlation": 0.4}), "B"),
        "load": (grades(summary(), runs, 10, 10, {"load": 4.0}), "C"),
        "late starts": (grades(summary(), runs.assign(reps_late_start=30), 10, 10, {}), "C"),
    }
    for criterion, (table, letter) in worse.items():
        assert table.set_index("criterion").loc[criterion, "grade"] == letter, criterion
    not_measured = grades(summary(overhead_low_us=np.nan), runs, 10, 10, {}).set_index("criterion")
    assert not_measured.loc["overhead", ["value", "grade"]].tolist() == [1.0, "C"]


def test_one_invalid_interval_is_no_a_and_an_unknown_one_lowers_nothing() -> None:
    runs = pd.DataFrame({"reps_made": [100], "reps_late_start": [1]})
    one = pd.concat([summary()] * 30 + [summary(interval_validity="no").head(1)], ignore_index=True)
    assert grades(one, runs, 10, 10, {}).set_index("criterion").loc["intervals", "grade"] == "B"
    unknown = grades(summary(interval_validity=""), runs, 10, 10, {}).set_index("criterion")
    assert unknown.loc["intervals", "grade"] == "A"


def test_the_price_of_company_is_the_largest_that_is_established_for_a_stack_of_the_question() -> None:
    lines = [("a", 1.2, "inconclusive"), ("a", 1.03, "slower"), ("a", 0.7, "faster"), ("b", 1.08, "slower")]
    prices = pd.DataFrame([*lines, ("c", 1.5, "slower")], columns=["stack", "ratio", "verdict"])
    assert established_price(prices, {"a", "b"}) == pytest.approx(0.08)
    assert established_price(prices.head(1), {"a"}) == 0 and np.isnan(established_price(prices.head(0), {"a"}))


def test_nothing_to_object_to_stands_beside_no_caution_and_every_value_beside_its_limits() -> None:
    runs = pd.DataFrame({"reps_made": [100], "reps_late_start": [1]})
    table = with_cautions(grades(summary(), runs, 10, 10, {}), 0)
    assert (quality(table).letter, quality(table).reason) == ("A", "nothing to object to")
    for cautions, letter in ((1, "B"), (3, "B"), (4, "C")):
        found = quality(with_cautions(table, cautions))
        assert found.letter == letter and found.reason.startswith(f"cautions among the findings: {cautions}")
    cards = {each.meaning: each for each in quality(grades(summary(rse=0.04), runs, 10, 10, {})).conditions}
    repeatability = cards["typical relative standard error of a result"]
    assert [repeatability.value, repeatability.letter] == ["4.0\u202f%", "B"]
    assert repeatability.limit == "A up to 2.0\u202f%, B up to 5.0\u202f%, C up to 10\u202f%"
    assert len(cards) == len(CRITERIA)


def test_the_page_on_the_letter_has_the_conditions_of_the_code() -> None:
    page = (ROOT / "docs" / "how-to" / "judge-a-run.md").read_text()

    def limit(criterion: Criterion, value: float) -> str:
        return "–" if value == inf else f"{100 * value:g} %" if criterion.share else f"{value:g}"

    lines = [
        f"| {each.name} | {each.meaning} | {' | '.join(limit(each, value) for value in each.limits)} |"
        for each in CRITERIA
    ]
    assert "\n".join(lines) in page
