# SPDX-License-Identifier: BSD-3-Clause
"""One comparison: verdicts of known truths, their reasons, and the fastest stack that follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.estimate.compare.comparison import PAIRS_COLUMNS, compare, launches_needed
from isochron.postprocess.estimate.compare.inverse import inverted
from isochron.postprocess.estimate.compare.leaders import leaders
from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.ingest.inputs import CASE
from isochron.stats.exact_ranks import rank_test
from tests.postprocess.estimate.compare.made import CASES, RULES, Row, row, rows_of


def table(samples: Mapping[str, Row | None], rules: Rules = RULES) -> pd.DataFrame:
    return compare({stack: rows_of(stack, [found]) for stack, found in samples.items()}, list(samples), rules)


def verdict(baseline: Row | None, candidate: Row | None, rules: Rules = RULES) -> tuple[str, str]:
    found = table({"a": baseline, "b": candidate}, rules).iloc[0]
    return found["verdict"], found["reason"]


def test_known_truths() -> None:
    assert verdict(row("a", 10), row("b", 13)) == ("slower", "")
    assert verdict(row("a", 10), row("b", 7)) == ("faster", "")
    assert verdict(row("a", 10, spread=0.003), row("bb", 10, spread=0.003)) == ("equivalent", "")
    assert verdict(row("a", 10, spread=0.2), row("bb", 10.2, spread=0.2))[0] == "inconclusive"


def test_a_difference_below_the_threshold_is_no_difference_that_counts() -> None:
    """3 % apart, significantly: equal within 5 %, but slower when 2 % count."""
    pair = row("a", 10, spread=0.002), row("b", 10.3, spread=0.002)
    assert verdict(*pair)[0] == "equivalent"
    assert verdict(*pair, Rules(threshold=0.02, confidence=0.95))[0] == "slower"


def test_an_interval_that_ends_below_the_threshold_excludes_a_loss() -> None:
    """Neither equal nor faster, but not slower; the other way round it is not faster."""
    pair = row("a", 10, spread=0.06, launches=12), row("bb", 9.5, spread=0.06, launches=12)
    found = table({"a": pair[0], "bb": pair[1]}).iloc[0]
    assert found["ratio_low"] < 1 / 1.05 and found["ratio_high"] < 1.05
    assert (found["verdict"], found["reason"]) == ("not-slower", "")
    assert verdict(*pair[::-1]) == ("not-faster", "")
    few = row("a", 10, launches=3), row("bb", 9, launches=3)
    assert verdict(*few)[0] == "inconclusive", "an interval of three launches has no confidence of 95 %"


def test_missing_and_new() -> None:
    nothing = Row({}, "not-supported")
    assert verdict(row("a", 10), None) == ("missing", "b has no time here")
    assert verdict(None, row("b", 10)) == ("new", "a has no time here")
    assert verdict(row("a", 10), nothing)[0] == "missing"
    assert verdict(nothing, nothing)[0] == "missing"


def test_rows_that_are_not_reliable_decide_nothing() -> None:
    assert verdict(row("a", 10), row("b", 20, verdict="unstable")) == ("inconclusive", "b: unstable")


def test_three_launches_cannot_reach_significance() -> None:
    found = table({"a": row("a", 10, launches=3), "b": row("b", 90, launches=3)}).iloc[0]
    assert np.isnan(found["p_value"])
    assert np.isnan(found["p_adjusted"])
    assert (found["verdict"], found["reason"]) == ("inconclusive", "3 against 3 launches cannot reach significance")
    assert found["ratio"] == pytest.approx(9, rel=0.05)


def test_the_number_of_pairs_may_put_significance_out_of_reach() -> None:
    four = {name: row(name, 10.0 * 2**i, launches=4) for i, name in enumerate(("a", "bb", "ccc"))}
    found = table(four)
    assert set(found["test"]) == {""}
    assert set(found["verdict"]) == {"inconclusive"}
    assert found["reason"].iloc[0] == "4 against 4 launches cannot reach significance among 3 pairs"
    assert launches_needed(3, 0.95) == 5
    assert launches_needed(1, 0.95) == 4


def test_nothing_is_dropped_and_numbers_are_those_of_the_test() -> None:
    stacks = ["a", "bb", "ccc"]
    samples = {stack: row(stack, 10 + i, launches=20, per_block=2) for i, stack in enumerate(stacks)}
    found = compare({stack: rows_of(stack, [each, Row()]) for stack, each in samples.items()}, stacks, RULES)
    assert list(found.columns) == list(PAIRS_COLUMNS)
    keys = found[[*CASE, "baseline", "candidate"]].itertuples(index=False, name=None)
    assert set(keys) == {(*case, *pair) for case in CASES for pair in combinations(stacks, 2)}
    assert len(found) == 6
    assert set(found.loc[found["bytes"] == 64, "verdict"]) == {"missing"}
    a, c = samples["a"].blocks, samples["ccc"].blocks
    pair = found[(found["baseline"] == "a") & (found["candidate"] == "ccc") & (found["bytes"] == 8)].iloc[0]
    assert (pair["test"], pair["within_blocks"], pair["blocks"]) == ("blocks", True, 10)
    assert pair["p_value"] == pytest.approx(rank_test([(np.array(a[block]), np.array(c[block])) for block in a]))
    differences = [np.log(c[block][i] / a[block][j]) for block in a for i in (0, 1) for j in (0, 1)]
    assert pair["ratio"] == pytest.approx(np.exp(np.median(differences)))
    assert pair["baseline_median_us"] == samples["a"].value
    assert pair["ratio_low"] < pair["ratio"] < pair["ratio_high"]


def test_what_is_asked_has_the_level_for_itself() -> None:
    """Of three pairs the first alone is asked about: four launches decide it, and not the other two."""
    four = {name: row(name, 10.0 * 2**i, launches=4) for i, name in enumerate(("a", "bb", "ccc"))}
    rows = {stack: rows_of(stack, [found]) for stack, found in four.items()}
    found = compare(rows, list(four), RULES, [("bb", "a")])
    assert found["family"].tolist() == ["question", "exploratory", "exploratory"]
    assert found["verdict"].tolist() == ["slower", "inconclusive", "inconclusive"]
    assert found["reason"].iloc[1] == "4 against 4 launches cannot reach significance among 2 pairs"


@pytest.mark.heavy
def test_interval_and_test_of_no_difference_agree() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        samples = {name: Row({i: np.exp(rng.normal(0.02, 0.03, 2)).tolist() for i in range(6)}) for name in "ab"}
        found = table(samples).iloc[0]
        outside = found["ratio_low"] > 1 or found["ratio_high"] < 1
        assert outside == (found["p_value"] <= 1 - found["confidence"] + 1e-9)


def test_the_order_of_stacks_does_not_change_a_number() -> None:
    a, b = row("a", 10), row("b", 11)
    forth, back = table({"a": a, "b": b}).iloc[0], table({"b": b, "a": a}).iloc[0]
    assert forth["ratio"] == pytest.approx(1 / back["ratio"])
    assert forth["p_value"] == back["p_value"]
    assert {forth["verdict"], back["verdict"]} == {"slower", "faster"}
    assert forth["ratio_low"] == pytest.approx(1 / back["ratio_high"])
    others = table({"zz": row("zz", 5), "b": b, "a": a})
    assert others.loc[others["candidate"].eq("a") & others["baseline"].eq("b"), "ratio_low"].item() == back["ratio_low"]


def summary_of(samples: Mapping[str, Row]) -> pd.DataFrame:
    rows = [(stack, *CASES[0], found.value, found.verdict == "ok") for stack, found in samples.items()]
    return pd.DataFrame(rows, columns=pd.Index(["stack", *CASE, "median_us", "reliable"]))


def leader(samples: Mapping[str, Row]) -> pd.Series:
    return leaders(summary_of(samples), table(samples), RULES.threshold).iloc[0]


def test_leader_established() -> None:
    found = leader({"a": row("a", 13), "bb": row("bb", 10), "ccc": row("ccc", 14)})
    assert (found["fastest"], found["runner_up"], found["state"], found["contenders"]) == (
        "bb",
        "a",
        "established",
        "bb",
    )
    assert found["lead_low"] <= found["lead"] <= found["lead_high"]
    assert found["lead"] == pytest.approx(1.3, rel=0.05)


def test_leaders_equal_open_alone_none() -> None:
    equal = leader({"a": row("a", 10, spread=0.003), "bb": row("bb", 10, spread=0.003), "ccc": row("ccc", 14)})
    assert (equal["state"], set(equal["contenders"].split(","))) == ("tied", {"a", "bb"})
    assert leader({"a": row("a", 10, spread=0.2), "bb": row("bb", 10.2, spread=0.2)})["state"] == "inconclusive"
    assert leader({"a": row("a", 10), "bb": row("bb", 5, verdict="unstable")})["state"] == "only-stack"
    doubtful = leader({"a": row("a", 10, verdict="unstable"), "bb": row("bb", 5, verdict="unstable")})
    assert (doubtful["state"], doubtful["fastest"]) == ("none", "")


def test_what_another_stack_beats_is_no_contender() -> None:
    """`a` has so wide a spread that nothing is shown against it, but `bb` is shown to beat `ccc`."""
    found = leader({"a": row("a", 9.8, spread=1.5), "bb": row("bb", 10), "ccc": row("ccc", 15)})
    assert found["state"] == "inconclusive"
    assert "ccc" not in found["contenders"].split(",")


def test_the_leader_is_decided_within_blocks_not_by_the_values() -> None:
    """`b` is faster in every block, but lacks the launches of the fast ones, so that its value is the larger."""
    regimes = [1.0] * 6 + [2.5] * 6
    a = {i: [10 * f, 10.1 * f] for i, f in enumerate(regimes)}
    b = {i: [8 * f, 8.1 * f] for i, f in enumerate(regimes) if f > 1 or i < 2}
    samples = {"a": Row(a), "b": Row(b)}
    found = leader(samples)
    assert samples["b"].value > samples["a"].value
    assert (found["fastest"], found["runner_up"], found["state"]) == ("b", "a", "established")
    assert found["lead"] == pytest.approx(1.25, rel=0.01)


def test_the_fastest_of_several_leads_within_the_blocks() -> None:
    """Nothing is established, the value of `b` is the smaller one, but in the blocks `a` leads: so says the lead."""
    spread = [1.0, 1.3, 0.8, 1.1, 0.9, 1.2, 2.6, 2.4, 2.5, 2.3, 2.2, 2.7, 2.4]
    a = {i: [10 * time] for i, time in enumerate(spread)}
    b = {i: [times[0] * (0.97 if i == 2 else 1.08)] for i, times in a.items() if i < 6}
    samples = {"a": Row(a), "b": Row(b)}
    found = leader(samples)
    assert samples["b"].value < samples["a"].value
    assert (found["fastest"], found["state"]) == ("a", "inconclusive")
    assert found["lead"] > 1


@pytest.mark.parametrize(
    ("quiet", "disturbed", "state", "contenders"),
    [
        ((1.0, 0.98, 1.02), (1.5, 1.4, 1.6), "depends", "a"),
        ((0.7, 0.65, 0.75), (1.5, 1.4, 1.6), "depends", "b,a"),
        ((1.0, 0.80, 1.02), (1.5, 1.4, 1.6), "depends", "b,a"),
        ((0.7, 0.65, 0.75), (1.0, 0.98, 1.02), "depends", "b"),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_a_fastest_stack_that_depends_on_the_regime_is_not_inconclusive(
    quiet: tuple[float, float, float],
    disturbed: tuple[float, float, float],
    state: str,
    contenders: str,
    turned: bool,
) -> None:
    """`b` against `a` in the quiet regime, which the ratio is of, and in the disturbed one; `ccc` is slower than both.

    A stack is left out if the other one is faster in one regime and in the other one not slower.
    """
    samples = {"a": row("a", 10), "b": row("b", 10), "ccc": row("ccc", 20)}
    found = table(samples)
    pair = (found["baseline"] == "a") & (found["candidate"] == "b")
    ends = {"quiet": quiet, "disturbed": disturbed, "ratio": quiet}
    for name, (ratio, low, high) in ends.items():
        value = "ratio" if name == "ratio" else f"{name}_ratio"
        found.loc[pair, [value, f"{name}_low", f"{name}_high"]] = [ratio, low, high]
    found.loc[pair, "verdict"] = "depends"
    if turned:
        found = found.assign(**inverted(found))
    line = leaders(summary_of(samples), found, RULES.threshold).iloc[0]
    assert line["state"] == state
    assert set(line["contenders"].split(",")) == set(contenders.split(","))
    assert line["fastest"] in contenders.split(",")


def test_a_case_is_inconclusive_if_anything_but_the_regime_leaves_it_open() -> None:
    samples = {name: row(name, 10) for name in ("a", "b", "c")}
    found = table(samples)
    found["verdict"] = ["depends", "inconclusive", "inconclusive"]
    assert leaders(summary_of(samples), found, RULES.threshold).iloc[0]["state"] == "inconclusive"
