# SPDX-License-Identifier: BSD-3-Clause
"""Stacks that a regime of the machine slows down by different factors: what is claimed holds in the regime it is of."""

from __future__ import annotations

from math import nan

import numpy as np
import pandas as pd
import pytest
from numpy.random import Generator

from isochron.postprocess.estimate.compare.comparison import compare
from isochron.postprocess.estimate.compare.inverse import inverted
from isochron.postprocess.estimate.compare.rows import Rows
from isochron.postprocess.ingest.inputs import CASE
from isochron.stats import multiple_tests as step_down_module
from tests.postprocess.estimate.compare.made import RULES, slow_launches

pytestmark = pytest.mark.heavy

CASES = [("bcast", 8 * number, 4, 4, "packed") for number in range(1, 5)]
BLOCKS, PER_BLOCK, SPREAD = 12, 2, 0.03


@pytest.fixture(autouse=True)
def fewer_exchanges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_down_module, "DRAWN", 999)


def made(
    rng: Generator, share: float, dwell: int, quiet: float = 1.0, slowed: tuple[float, float] = (1.3, 3.0)
) -> tuple[dict[str, Rows], bool]:
    """Stacks `a` and `b` (slower by `quiet`), by what a slow regime slows each down, and whether both were met."""
    each = 2 * PER_BLOCK
    order = np.concatenate([block * each + rng.permutation(each) for block in range(BLOCKS)])
    slow, number = slow_launches(rng, share, dwell, BLOCKS * each)[order], np.repeat(np.arange(BLOCKS), each)
    second = np.tile(np.arange(each) >= PER_BLOCK, BLOCKS)
    rows = {}
    for name, own, factor, times in (("a", ~second, slowed[0], 1.0), ("b", second, slowed[1], quiet)):
        launches = [
            pd.DataFrame(
                dict(zip(CASE, case, strict=True))
                | {
                    "launch_id": [f"{name}.{launch}" for launch in range(own.sum())],
                    "allocation": number[own],
                    "median_us": times * factor ** slow[own] * np.exp(rng.normal(0, SPREAD, own.sum())),
                    "cache_line_ns": 75 * 5.0 ** slow[own] * np.exp(rng.normal(0, 0.1, own.sum())),
                    "copy_gbs": nan,
                    "network_us": nan,
                    "candle_us": nan,
                }
            )
            for case in CASES
        ]
        summary = [(*case, 1.0, own.sum(), True, "ok") for case in CASES]
        columns = pd.Index([*CASE, "median_us", "launches_used", "reliable", "verdict"])
        rows[name] = Rows(pd.DataFrame(summary, columns=columns), pd.concat(launches, ignore_index=True))
    return rows, bool(slow.any() and not slow.all())


def tables(share: float, dwell: int, number: int, **how: float) -> list[pd.DataFrame]:
    """Comparisons of runs that met both regimes."""
    rng = np.random.default_rng([int(100 * share), dwell])
    found = []
    while len(found) < number:
        rows, both = made(rng, share, dwell, **how)  # type: ignore[arg-type]
        if both:
            found.append(compare(rows, ["a", "b"], RULES))
    return found


def share_of(found: list[pd.DataFrame], column: str, words: list[str]) -> float:
    """The share of tables with one of the words in a column."""
    return float(np.mean([table[column].isin(words).any() for table in found]))


SLOW = [(share, dwell) for share in (0.15, 0.4, 0.6, 0.75) for dwell in (1, 8, 30)]


@pytest.mark.parametrize(
    ("share", "dwell", "number"),
    [(0.75, 1, 12), (0.6, 8, 12), *(pytest.param(*each, 120, marks=pytest.mark.slow) for each in SLOW)],
)
def test_stacks_that_are_equal_in_the_quiet_regime_are_not_told_apart(share: float, dwell: int, number: int) -> None:
    """Unlabelled claims in at most 5 % of tables; each regime's ratio stands under its own name."""
    found = tables(share, dwell, number)
    assert share_of(found, "verdict", ["slower", "faster"]) <= 0.05
    assert share_of(found, "adjusted_verdict", ["slower", "faster"]) <= 0.05
    every = pd.concat(found)
    assert (every["by_regime"] != "").mean() >= 0.97, "a probe that differs between the stacks by chance is not used"
    assert every["quiet_ratio"].dropna().between(0.8, 1.25).all()
    assert every["disturbed_ratio"].dropna().between(1.8, 2.9).all()
    assert every.loc[every["adjusted_by"] == "quiet", "adjusted_ratio"].between(0.8, 1.25).all()
    for name, truth in (("quiet", 1.0), ("disturbed", 3.0 / 1.3)):
        known = every[every[f"{name}_ratio"].notna()]
        covered = (known[f"{name}_low"] <= truth) & (truth <= known[f"{name}_high"])
        assert covered.mean() >= 0.92 or len(known) < 200  # the cases of a table have their regimes in common
    said = every.loc[every["reason"].str.contains("regime of the machine"), "reason"]
    assert said.str.match(r"(depends on|not shown in) the .*: .* in the quiet one, .* in the disturbed one").all()


def test_the_plain_ratio_is_withheld_and_both_regimes_are_said() -> None:
    every = pd.concat(tables(0.75, 1, 12))
    withheld = every[(every["p_adjusted"] <= 0.05) & (every["ratio"] > 1.5)]
    assert len(withheld) >= 10, "the share of slow time makes the claim"
    assert withheld["verdict"].eq("inconclusive").all()
    assert (withheld["reason"].str.contains("depends on the regime") == (withheld["by_regime"] == "differs")).all()


@pytest.mark.parametrize(
    ("share", "number", "least"),
    [(0.0, 10, 0.99), (0.15, 10, 0.9), *(pytest.param(*each, marks=pytest.mark.slow) for each in
     ((0.0, 200, 0.97), (0.15, 200, 0.97), (0.4, 200, 0.9), (0.6, 200, 0.75)))],
)  # fmt: skip
def test_what_is_slower_in_every_regime_is_found(share: float, number: int, least: float) -> None:
    """20 % slower, and both stacks slowed down alike; in a quiet world nothing is asked of regimes."""
    rng = np.random.default_rng(5)
    found = [compare(made(rng, share, 8, 1.2, (2.5, 2.5))[0], ["a", "b"], RULES) for _ in range(number)]
    assert np.mean([table["verdict"].eq("slower").mean() for table in found]) >= least
    if not share:
        assert all(table["by_regime"].eq("").all() and table["quiet_ratio"].isna().all() for table in found)


def test_what_no_probe_tells_apart_says_so() -> None:
    """Launches in two groups, and nothing was read: the claim stands, and says that it is of both."""
    rows, _ = made(np.random.default_rng(3), 0.6, 1, 2.0, (3.0, 3.0))
    blind = {
        name: Rows(each.summary, each.launches.drop(columns=["cache_line_ns", "copy_gbs", "network_us", "candle_us"]))
        for name, each in rows.items()
    }
    found = compare(blind, ["a", "b"], RULES)
    claimed = found[found["verdict"] == "slower"]
    assert len(claimed) and claimed["reason"].str.contains("of both together").all()
    assert found["by_regime"].eq("").all()
    texts = [
        f"launches fall into two groups, which no probe tells apart: {fast:.2f}× in the faster group, "
        f"{slow:.2f}× in the slower one; this is of both together"
        for fast, slow in claimed[["fast_ratio", "slow_ratio"]].itertuples(index=False, name=None)
    ]
    assert claimed["reason"].tolist() == texts
    back = inverted(claimed)
    assert np.allclose(back["slow_ratio"], 1 / claimed["slow_ratio"])
    assert f"{back['slow_ratio'].iloc[0]:.2f}× in the slower one" in back["reason"].iloc[0]
