# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.compare.comparison import COMPARISON_COLUMNS, compare, launches_needed
from isochron.postprocess.compare.leaders import leaders
from isochron.postprocess.compare.pairs import Rules
from isochron.postprocess.compare.samples import Sample, sample
from isochron.postprocess.reading.inputs import CASE
from isochron.postprocess.statistics.bootstrap import median_ratio
from isochron.postprocess.statistics.exact_ranks import rank_test

RULES = Rules(threshold=0.05, confidence=0.95)
CASES = [("bcast", size, 4, 4, "packed") for size in (8, 64)]


def row(
    stack: str, centre: float, launches: int = 10, case: int = 0, verdict: str = "ok", spread: float = 0.02
) -> Sample:
    """A row with a launch in each block."""
    rng = np.random.default_rng([launches, case, len(stack), int(centre * 1000)])
    runs = {(i, 1): [centre * np.exp(rng.normal(0, spread) + rng.normal(0, 0.03, 20))] for i in range(launches)}
    return sample((stack, *CASES[case]), runs, verdict == "ok", verdict, seed=1)


def table(samples: dict[str, Sample | None], rules: Rules = RULES) -> pd.DataFrame:
    known = {stack: found for stack, found in samples.items() if found is not None}
    return compare([(CASES[0], known)], list(samples), rules)


def verdict(baseline: Sample | None, candidate: Sample | None, rules: Rules = RULES) -> tuple[str, str]:
    found = table({"a": baseline, "b": candidate}, rules).iloc[0]
    return found["verdict"], found["reason"]


def test_known_truths() -> None:
    assert verdict(row("a", 10), row("b", 13)) == ("slower", "")
    assert verdict(row("a", 10), row("b", 7)) == ("faster", "")
    assert verdict(row("a", 10, spread=0.003), row("bb", 10, spread=0.003)) == ("equal", "")
    assert verdict(row("a", 10, spread=0.2), row("bb", 10.2, spread=0.2))[0] == "inconclusive"


def test_a_difference_below_the_threshold_is_no_difference_that_counts() -> None:
    """3 % apart, significantly: equal within 5 %, but slower when 2 % count."""
    pair = row("a", 10, spread=0.002), row("b", 10.3, spread=0.002)
    assert verdict(*pair)[0] == "equal"
    assert verdict(*pair, Rules(threshold=0.02, confidence=0.95))[0] == "slower"


def test_missing_and_new() -> None:
    nothing = Sample({}, False, "not-supported")
    assert verdict(row("a", 10), None) == ("missing", "b has no time here")
    assert verdict(None, row("b", 10)) == ("new", "a has no time here")
    assert verdict(row("a", 10), nothing)[0] == "missing"
    assert verdict(None, None)[0] == "missing"


def test_rows_that_are_not_believed_decide_nothing() -> None:
    assert verdict(row("a", 10), row("b", 20, verdict="unstable")) == ("inconclusive", "b: unstable")


def test_three_launches_cannot_reach_significance() -> None:
    found = table({"a": row("a", 10, launches=3), "b": row("b", 90, launches=3)}).iloc[0]
    assert np.isnan(found["p_value"])
    assert np.isnan(found["p_holm"])
    assert (found["verdict"], found["reason"]) == ("inconclusive", "3 against 3 launches cannot reach significance")
    assert found["ratio"] == pytest.approx(9, rel=0.05)


def test_the_correction_may_put_significance_out_of_reach() -> None:
    four = {name: row(name, 10.0 * 2**i, launches=4) for i, name in enumerate(("a", "bb", "ccc"))}
    found = table(four)  # type: ignore[arg-type]
    assert found["p_value"].tolist() == pytest.approx([2 / 70] * 3)
    assert set(found["verdict"]) == {"inconclusive"}
    assert found["reason"].iloc[0] == "4 against 4 launches are too few for 3 tests"
    assert launches_needed(3, 0.95) == 5
    assert launches_needed(1, 0.95) == 4


def test_nothing_is_dropped_and_numbers_are_those_of_the_test() -> None:
    stacks = ["a", "bb", "ccc"]
    samples = {stack: row(stack, 10 + i) for i, stack in enumerate(stacks)}
    found = compare([(CASES[0], samples), (CASES[1], {})], stacks, RULES)
    assert list(found.columns) == list(COMPARISON_COLUMNS)
    keys = found[[*CASE, "baseline", "candidate"]].itertuples(index=False, name=None)
    assert list(keys) == [(*case, *pair) for case in CASES for pair in combinations(stacks, 2)]
    assert set(found.loc[found["bytes"] == 64, "verdict"]) == {"missing"}
    a, c = samples["a"], samples["ccc"]
    blocks = sorted(a.launches)
    pair = found[(found["baseline"] == "a") & (found["candidate"] == "ccc")].iloc[0]
    assert (pair["test"], pair["within_blocks"], pair["blocks"]) == ("blocks", True, 10)
    assert pair["p_value"] == rank_test([(a.by_block[block], c.by_block[block]) for block in blocks])
    assert pair["ratio"] == median_ratio(c.values(blocks), a.values(blocks))
    assert pair["baseline_median_us"] == np.median(a.medians)
    assert pair["ratio_low"] < pair["ratio"] < pair["ratio_high"]
    assert (found["p_holm"].dropna() >= found["p_value"].dropna()).all()


def test_the_order_of_rows_does_not_change_a_number() -> None:
    a, b = row("a", 10), row("b", 11)
    forth, back = table({"a": a, "b": b}).iloc[0], table({"b": b, "a": a}).iloc[0]
    assert forth["ratio"] == pytest.approx(1 / back["ratio"])
    assert forth["p_value"] == back["p_value"]
    assert {forth["verdict"], back["verdict"]} == {"slower", "faster"}
    assert forth["ratio_low"] == pytest.approx(1 / back["ratio_high"])
    assert (row("a", 10).replicates == a.replicates).all()
    others = table({"zz": row("zz", 5), "b": b, "a": a})
    assert others.loc[others["candidate"].eq("a") & others["baseline"].eq("b"), "ratio_low"].item() == back["ratio_low"]


def summary_of(samples: dict[str, Sample]) -> pd.DataFrame:
    rows = [(stack, *CASES[0], float(np.median(found.medians)), found.believed) for stack, found in samples.items()]
    return pd.DataFrame(rows, columns=pd.Index(["stack", *CASE, "median_us", "believed"]))


def leader(samples: dict[str, Sample]) -> pd.Series:
    return leaders(summary_of(samples), table(dict(samples))).iloc[0]


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
    assert (equal["state"], set(equal["contenders"].split(","))) == ("equal", {"a", "bb"})
    assert leader({"a": row("a", 10, spread=0.2), "bb": row("bb", 10.2, spread=0.2)})["state"] == "open"
    assert leader({"a": row("a", 10), "bb": row("bb", 5, verdict="unstable")})["state"] == "alone"
    doubtful = leader({"a": row("a", 10, verdict="unstable"), "bb": row("bb", 5, verdict="unstable")})
    assert (doubtful["state"], doubtful["fastest"]) == ("none", "")


def test_what_another_stack_beats_is_no_contender() -> None:
    """`a` has so wide a spread that nothing is shown against it, but `bb` is shown to beat `ccc`."""
    found = leader({"a": row("a", 9.8, spread=1.5), "bb": row("bb", 10), "ccc": row("ccc", 15)})
    assert found["state"] == "open"
    assert "ccc" not in found["contenders"].split(",")


def test_the_leader_is_decided_within_blocks_not_by_the_values() -> None:
    """`b` is faster in every block, but lacks the launches of the fast ones, so that its value is the larger."""
    regimes = [1.0] * 6 + [2.5] * 6
    a = {(i, 1): [np.full(9, 10 * f), np.full(9, 10.1 * f)] for i, f in enumerate(regimes)}
    b = {(i, 1): [np.full(9, 8 * f), np.full(9, 8.1 * f)] for i, f in enumerate(regimes) if f > 1 or i < 2}
    samples = {"a": Sample(a, True, "ok", (1,)), "b": Sample(b, True, "ok", (2,))}
    found = leader(samples)
    assert samples["b"].value > samples["a"].value
    assert (found["fastest"], found["runner_up"], found["state"]) == ("b", "a", "established")
    assert found["lead"] == pytest.approx(1.25, rel=0.01)
