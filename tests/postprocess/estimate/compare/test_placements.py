# SPDX-License-Identifier: BSD-3-Clause
"""Points that differ in place alone: their ratios, errors over whole tables, and what to do about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.random import Generator

from isochron.postprocess.estimate.compare import placements as module
from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.estimate.compare.placements import (
    ADVICE_COLUMNS,
    OTHER_HOSTS,
    OTHER_ORDER,
    PLACEMENT_COLUMNS,
    SIMULATED,
    advice,
    placements,
)
from isochron.postprocess.ingest.inputs import RESULT_KEY
from isochron.stats import multiple_tests as step_down_module
from tests.postprocess.estimate.compare.made import RULES

SIZES = (8, 64)
ORDERS: dict[str, list[Any]] = {"placement": ["near", "far"], "processes_per_node": [1]}
HOSTS: dict[tuple[Any, ...], Sequence[str]] = {}


@pytest.fixture(autouse=True)
def fewer_exchanges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_down_module, "DRAWN", 1999)


def launches(
    rng: Generator,
    factors: dict[str, float],
    blocks: int = 12,
    per_block: int = 1,
    own_allocations: bool = False,
    block_spread: float = 0.4,
    stack: str = "a",
) -> pd.DataFrame:
    """Launches of a stack under each placement, in blocks that are fast or slow as a whole, by each factor longer.

    `own_allocations`: each placement has blocks of its own.
    """
    rows = []
    effects = rng.normal(0, block_spread, blocks)
    for place, (placement, factor) in enumerate(factors.items()):
        if own_allocations:
            effects = rng.normal(0, block_spread, blocks)
        for block in range(blocks):
            for number in range(per_block):
                for size in SIZES:
                    time = 10 * factor * np.exp(effects[block] + rng.normal(0, 0.02))
                    rows.append(
                        {
                            **dict(zip(RESULT_KEY, (stack, "reduce", size, 4, 1, placement), strict=True)),
                            "block": block + 1000 * place * own_allocations,
                            "attempt": 1,
                            "launch_id": f"{stack}.{placement}.{block}.{number}",
                            "simulated": False,
                            "median_us": time,
                        }
                    )
    return pd.DataFrame(rows)


def summary_of(rows: pd.DataFrame) -> pd.DataFrame:
    table = rows.groupby(RESULT_KEY, sort=False, as_index=False).agg(
        median_us=("median_us", "median"), launches_used=("median_us", "size")
    )
    return table.assign(reliable=True, verdict="ok")


def compared(rows: pd.DataFrame, rules: Rules = RULES, orders: Mapping[str, Sequence[Any]] = ORDERS) -> pd.DataFrame:
    return placements(rows, summary_of(rows), HOSTS, orders, rules)


def test_the_ratio_is_that_within_blocks() -> None:
    """Blocks differ by a factor of 1.5, the placements by 1.45."""
    table = compared(launches(np.random.default_rng(1), {"near": 1.0, "far": 1.45}))
    assert list(table.columns) == list(PLACEMENT_COLUMNS)
    assert table["ratio"].to_numpy() == pytest.approx(1.45, rel=0.02)
    assert ((table["ratio_low"] < 1.45) & (table["ratio_high"] > 1.45)).all()
    assert (table["ratio_high"] / table["ratio_low"] < 1.08).all()
    assert table["verdict"].tolist() == ["slower", "slower"]
    assert table["within_blocks"].all()
    assert (table["placement"] == "far").all() and (table["baseline_placement"] == "near").all()
    assert (table["processes_per_node"] == 1).all() and (table["baseline_per_node"] == 1).all()


def false_claims(tables: int, factor: float, **how: Any) -> float:
    """Share of tables with a claim that the second placement is slower by more than the threshold, or faster."""
    rng = np.random.default_rng([tables, int(1000 * factor)])
    factors = {"near": 1.0, "far": factor}
    return float(
        np.mean(
            [compared(launches(rng, factors, **how))["verdict"].isin(["slower", "faster"]).any() for _ in range(tables)]
        )
    )


@pytest.mark.parametrize(("factor", "tables"), [(1.0, 5), (1.05, 10)])
def test_alike_places_are_not_claimed_to_differ(factor: float, tables: int) -> None:
    """Also at the threshold itself, where a claim is as likely as it may be."""
    assert false_claims(tables, factor, blocks=8) <= 0.1


@pytest.mark.slow
@pytest.mark.parametrize("own_allocations", [False, True])
@pytest.mark.parametrize("factor", [1.0, 1.05])
def test_false_claims_in_400_tables(factor: float, own_allocations: bool) -> None:
    how = {"blocks": 10, "per_block": 2, "own_allocations": own_allocations, "block_spread": 0.05}
    assert false_claims(400, factor, **how) <= (0.05 if factor == 1 else 0.07)  # 0.05 and two standard errors


def test_launches_of_an_allocation_are_one_where_points_share_none() -> None:
    """4 allocations of 6 launches each: as 24 launches they would differ, as 4 allocations nothing can."""
    factors = {"near": 1.0, "far": 1.0}
    rng, found = np.random.default_rng(3), []
    for _ in range(3):
        table = compared(launches(rng, factors, 4, 6, own_allocations=True))
        assert (table[["baseline_launches", "candidate_launches"]] == 4).all(axis=None)
        found += table["verdict"].tolist()
    assert set(found) == {"inconclusive"}


def test_processes_per_node_are_compared_too() -> None:
    rng = np.random.default_rng(4)
    one = launches(rng, {"packed": 1.0}, block_spread=0.01)
    two = launches(rng, {"packed": 1.3}, block_spread=0.01).assign(
        processes_per_node=2, launch_id=lambda rows: rows["launch_id"] + ".2", block=lambda rows: rows["block"] + 100
    )
    table = compared(pd.concat([one, two]), orders={"placement": ["packed"], "processes_per_node": [1, 2]})
    assert table["verdict"].tolist() == ["slower", "slower"]
    assert not table["within_blocks"].any()
    assert (table["processes_per_node"] == 2).all() and (table["baseline_per_node"] == 1).all()
    assert (table["placement"] == "packed").all() and (table["baseline_placement"] == "packed").all()


def test_all_pairs_of_all_stacks_share_the_level() -> None:
    """p values of a pair are multiplied by the number of pairs in the table."""
    rng = np.random.default_rng(5)
    rows = launches(rng, {"near": 1.0, "far": 1.2})
    alone = compared(rows)
    both = compared(pd.concat([rows, launches(rng, {"near": 1.0, "far": 1.0}, stack="b")]))
    again = both[both["stack"] == "a"].reset_index(drop=True)
    assert again["p_adjusted"].tolist() == pytest.approx((2 * alone["p_adjusted"]).tolist())


def test_a_simulated_stack_has_an_exact_ratio() -> None:
    rows = launches(np.random.default_rng(6), {"near": 1.0, "far": 1.0}, blocks=1).assign(simulated=True)
    rows["median_us"] = np.where(rows["placement"] == "far", 6.0, 4.0) * np.where(rows["bytes"] == 8, 1.0, 2.0)
    rows.loc[(rows["placement"] == "far") & (rows["bytes"] == 64), "median_us"] = 8.1
    table = compared(rows)
    assert table["ratio"].tolist() == pytest.approx([1.5, 8.1 / 8.0])
    assert table["verdict"].tolist() == ["slower", "equivalent"]
    assert table[["ratio_low", "ratio_high", "p_adjusted"]].isna().all(axis=None)
    assert set(table["reason"]) == {SIMULATED} and table["simulated"].all()
    unsound = summary_of(rows).assign(verdict=["ok", "ok", "unstable", "ok"])
    assert placements(rows, unsound, HOSTS, ORDERS, RULES)["verdict"].tolist() == ["inconclusive", "equivalent"]


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        (["b1", "a1", "a2", "a3"], ["a1", "a2", "a3", "b1"], "b1 last"),
        (["a1", "a2", "a3", "b1"], ["b1", "a1", "a2", "a3"], "b1 first"),
        (["a1", "a2", "b1", "a3"], ["b1", "a1", "a2", "a3"], "b1 first"),
        (["a1", "a2", "b1", "a3"], ["a1", "a2", "a3", "b1"], "b1 last"),
        (["a1", "b1", "a2", "a3", "a4"], ["a1", "a2", "a3", "b1", "a4"], "b1 as number 4"),
        (["a1", "a2", "b1", "b2"], ["a1", "b1", "b2", "a2"], "a2 last"),
        (["a1", "a2", "b1", "b2"], ["b1", "b2", "a1", "a2"], OTHER_ORDER),
        (["a1", "a2"], ["a1", "b1"], OTHER_HOSTS),
        (["a1", "a2"], ["a1", "a2"], ""),
        (["a1", "a2"], [], ""),
    ],
)
def test_the_change_of_an_order_in_words(old: list[str], new: list[str], change: str) -> None:
    hosts = {(4, 1, "near"): old, (4, 1, "far"): new}
    point = {"processes": 4, "processes_per_node": 1, "placement": "far", "baseline_placement": "near"}
    assert module._hosts({**point, "operation": "gather"}, hosts) == change


@pytest.mark.parametrize(
    ("operation", "per_node", "change"),
    [
        ("ping-pong", 1, OTHER_HOSTS),
        ("transfer-1", 1, OTHER_HOSTS),
        ("ping-pong", 2, OTHER_HOSTS),
        ("gather", 1, "b1 last"),
    ],
)
def test_a_message_in_another_order_is_between_other_hosts(operation: str, per_node: int, change: str) -> None:
    """Of ping-pong the first two ranks act: with the remote host last they are both at one site."""
    hosts = {(4, per_node, "near"): ["b1", "a1", "a2", "a3"], (4, per_node, "far"): ["a1", "a2", "a3", "b1"]}
    point = {"processes": 4, "processes_per_node": per_node, "placement": "far", "baseline_placement": "near"}
    assert module._hosts({**point, "operation": operation}, hosts) == change


def test_advice_goes_from_each_slow_order_to_the_fastest_of_the_same_hosts() -> None:
    factors = {"first": 1.7, "middle": 1.3, "last": 1.0, "elsewhere": 0.5}
    hosts = {
        (4, 1, "first"): ["b", "a1", "a2", "a3"], (4, 1, "middle"): ["a1", "a2", "b", "a3"],
        (4, 1, "last"): ["a1", "a2", "a3", "b"], (4, 1, "elsewhere"): ["c1", "c2", "c3", "c4"],
    }  # fmt: skip
    rows = launches(np.random.default_rng(8), factors)
    table = placements(rows, summary_of(rows), hosts, {**ORDERS, "placement": list(factors)}, RULES)
    assert len(table) == 12 and table["verdict"].isin(["slower", "faster"]).all()
    said = advice(table, hosts)
    assert list(said.columns) == list(ADVICE_COLUMNS)
    assert said[["instead_of", "placement", "hosts", "sizes"]].to_numpy().tolist() == [
        ["first", "last", "b last", "8;64"],
        ["middle", "last", "b last", "8;64"],
    ]
    assert said["times_max"].tolist() == pytest.approx([1.7, 1.3], rel=0.03)
    assert (said["times_low"] <= said["times_min"]).all()
    assert (said["instead_of_us"] / said["placement_us"]).tolist() == pytest.approx([1.7, 1.3], rel=0.1)
    reversed_table = placements(rows, summary_of(rows), hosts, {**ORDERS, "placement": list(factors)[::-1]}, RULES)
    again = advice(reversed_table, hosts)
    assert again[["instead_of", "placement", "hosts"]].equals(said[["instead_of", "placement", "hosts"]])


def test_nodes_drawn_anew_are_no_advice() -> None:
    rows = launches(np.random.default_rng(9), {"random": 1.6, "packed": 1.0})
    table = compared(rows, orders={**ORDERS, "placement": ["random", "packed"]})
    assert set(table["verdict"]) == {"faster"}
    assert len(advice(table, HOSTS)) == 0
