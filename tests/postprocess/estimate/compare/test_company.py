# SPDX-License-Identifier: BSD-3-Clause
"""The price of company and who does not sleep, from slices of which both are known."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.estimate.compare.company import (
    COMPANY_CASE_COLUMNS,
    COMPANY_COLUMNS,
    company,
    company_cases,
    company_prices,
    note_company,
)
from isochron.postprocess.estimate.compare.pairs import Rules

RULES = Rules(threshold=0.05, confidence=0.95)
STACKS, OPERATIONS, ROUNDS = ("one", "other"), ("bcast", "reduce", "barrier"), 8
POINT = {"processes": 2, "processes_per_node": 2, "placement": "packed"}
#: Mean processor time of a wait of 800 µs that only falls asleep and wakes up.
WAITED_US, WOKE_US = 800.0, 20.0


def run(
    blocks: int,
    prices: dict[tuple[str, str], float],
    *,
    slept: dict[str, float] | None = None,
    carried: dict[tuple[str, str], float] | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows and slices of launches in turns, on a machine that becomes slower within each session.

    `prices`: of (stack, operation), the factor of turns; `carried`: that of the first pass of a turn; `slept`: the
    share of a core of a stack whose threads work in the first block.
    """
    rng = np.random.default_rng(3)
    rows: list[dict[str, object]] = []
    slices: list[dict[str, object]] = []

    def add(
        launch: str, operation: str, others: str, at: float, factor: float, slept_us: float = 0.0, carry: float = 1.0
    ) -> None:
        median = factor * (1 + 0.2 * at) * rng.lognormal(0, 0.01)
        first = carry * median * rng.lognormal(0, 0.02) if others == "turns" else np.nan
        slices.append(
            {"launch_id": launch, "operation": operation, "bytes": 8, "round": int(at), "others": others, "t_s": at,
             "median_us": median, "first_us": first, "again_us": median if others == "turns" else np.nan,
             "slept_cpu_us": slept_us, "waited_us": WAITED_US if slept_us else 0.0}
        )  # fmt: skip

    for block, stack in product(range(blocks), STACKS):
        launch = f"{block}.{stack}"
        key = {"launch_id": launch, "stack": stack, **POINT, "block": block, "attempt": 1}
        rows += [{**key, "operation": operation, "bytes": 8, "median_us": 1.0} for operation in OPERATIONS]
        share = (slept or {}).get(stack, 0.0) if block == 0 else 0.0
        for number, operation in product(range(ROUNDS), OPERATIONS):
            carry = (carried or {}).get((stack, operation), 1.0)
            price = prices.get((stack, operation), 1.0)
            add(launch, operation, "turns", number, price, WOKE_US + share * WAITED_US, carry)
            if stack == STACKS[block % 2]:
                add(launch, operation, "ended", number, 1.0)
    return pd.DataFrame(rows), pd.DataFrame(slices)


def of_effect(table: pd.DataFrame, effect: str) -> pd.DataFrame:
    return table[table["effect"] == effect]


def test_what_others_leave_behind_in_one_case_is_found_and_only_there() -> None:
    """3 % in the first pass of a turn, whose times differ by 2 % from those of the next; presence costs nothing."""
    rows, slices = run(24, {}, carried={("one", "reduce"): 1.03})
    cases = company_cases(company_prices(rows, slices), RULES).set_index(["effect", "stack", "operation"])
    found = cases.loc[("carry-over", "one", "reduce")]
    assert found["verdict"] == "slower" and found["ratio"] == pytest.approx(1.03, abs=0.005) and found["blocks"] == 24
    assert not cases["verdict"].drop(("carry-over", "one", "reduce")).isin(["slower", "faster"]).any()


def test_turns_of_one_pass_have_no_carry_over() -> None:
    rows, slices = run(24, {})
    prices = company_prices(rows, slices.assign(first_us=np.nan, again_us=np.nan))
    assert set(prices["effect"]) == {"presence"}
    table = of_effect(company(rows, slices, prices, RULES), "carry-over")
    assert (table["verdict"] == "inconclusive").all() and table["ratio"].isna().all()


def test_a_price_of_one_stack_is_estimated_and_no_other() -> None:
    prices = {("other", operation): 1.06 for operation in OPERATIONS}
    rows, slices = run(24, prices)
    both = company(rows, slices, company_prices(rows, slices), RULES)
    assert list(both.columns) == list(COMPANY_COLUMNS)
    assert (both.loc[both["effect"] == "carry-over", "verdict"] == "equivalent").all()
    table = of_effect(both, "presence").set_index("stack")
    assert table["verdict"].to_dict() == {"one": "equivalent", "other": "slower"}
    assert table["ratio"].to_dict() == pytest.approx({"one": 1.0, "other": 1.06}, abs=0.005)
    assert (table["ratio_low"] < table["ratio"]).all() and (table["ratio"] < table["ratio_high"]).all()
    assert (table["confidence"] >= 0.95).all() and (table["blocks"] == 12).all() and (table["blocks_needed"] < 12).all()


def test_a_price_of_one_case_is_not_diluted_by_the_others() -> None:
    rows, slices = run(32, {("one", "reduce"): 1.25})
    both = company_cases(company_prices(rows, slices), RULES)
    assert list(both.columns) == list(COMPANY_CASE_COLUMNS) and len(both) == 2 * len(STACKS) * len(OPERATIONS)
    cases = of_effect(both, "presence")
    verdicts = cases.set_index(["stack", "operation"])["verdict"]
    assert verdicts[("one", "reduce")] == "slower" and (verdicts.drop(("one", "reduce")) == "equivalent").all()
    assert cases.set_index(["stack", "operation"]).loc[("one", "reduce"), "ratio"] == pytest.approx(1.25, abs=0.01)


def test_one_block_alone_shows_no_price() -> None:
    """A single time alone has no error, and nothing lends one: fewer than twenty lines."""
    rows, slices = run(2, {("one", "reduce"): 1.25})
    prices = company_prices(rows, slices)
    prices = of_effect(prices, "presence")
    table = of_effect(company(rows, slices, prices, RULES), "presence")
    cases = company_cases(prices, RULES)
    assert set(cases["verdict"]) == {"inconclusive"} and table["blocks_needed"].isna().all()
    assert cases["confidence"].isna().all() and cases["blocks"].eq(1).all()


CASES = 21


def made_prices(chance: np.random.Generator, blocks: int, shared: float, price: float) -> pd.DataFrame:
    """Prices of 4 stacks in CASES cases and `blocks` blocks each, as of `company_prices`: sd 2 %, `shared` of a block.

    `price`: of the first case of the first stack.
    """
    lines = []
    for stack, block in product(range(4), range(blocks)):
        values = chance.normal(0, 0.02 * np.sqrt(1 - shared), CASES) + chance.normal(0, 0.02 * np.sqrt(shared))
        values[0] += np.log(price) if stack == 0 else 0.0
        lines += [
            {"stack": f"s{stack}", **POINT, "operation": "bcast", "bytes": case, "allocation": 4 * block + stack,
             "effect": "presence", "price": value}
            for case, value in enumerate(values)
        ]  # fmt: skip
    return pd.DataFrame(lines)


@pytest.mark.parametrize("shared", [0.0, 0.5, 0.9])
def test_a_price_that_is_not_there_is_rarely_established(shared: float) -> None:
    """At most one table in twenty has any of 84 results wrongly established; two standard errors are allowed."""
    chance, tables = np.random.default_rng(5), 60
    false = sum(
        company_cases(made_prices(chance, 5, shared, 1.0), RULES)["verdict"].isin(["slower", "faster"]).any()
        for _ in range(tables)
    )
    assert false <= tables * 0.05 + 2 * np.sqrt(tables * 0.05 * 0.95)


def test_a_large_price_of_one_result_is_established_in_five_blocks() -> None:
    """A tenth, where launches differ by 2 %; nobody else is accused."""
    chance = np.random.default_rng(6)
    for _ in range(5):
        cases = company_cases(made_prices(chance, 5, 0.5, 1.1), RULES)
        assert cases[cases["verdict"] != "inconclusive"][["stack", "bytes"]].to_numpy().tolist() == [["s0", 0]]


def test_without_rounds_apart_no_price_is_known() -> None:
    """`replication.solo_rounds: 0`."""
    rows, slices = run(12, {})
    slices = slices[slices["others"] == "turns"].astype({"others": "string"})
    table = of_effect(company(rows, slices, company_prices(rows, slices), RULES), "presence")
    assert (table["verdict"] == "inconclusive").all() and table["ratio"].isna().all()


@pytest.mark.parametrize(("share", "sleep"), [(0.03, "asleep"), (0.12, "not-asleep"), (1.0, "not-asleep")])
def test_a_stack_that_works_while_it_waits_in_one_block_is_not_asleep(share: float, sleep: str) -> None:
    rows, slices = run(4, {}, slept={"other": share})
    table = of_effect(company(rows, slices, company_prices(rows, slices), RULES), "presence").set_index("stack")
    assert table["sleep"].to_dict() == {"one": "asleep", "other": sleep}
    assert table["blocks_not_asleep"].to_dict() == {"one": 0, "other": int(sleep == "not-asleep")}
    assert table.loc["one", "slept_share"] == 0.0, "falling asleep and waking up is no work"


def test_comparisons_in_turns_say_what_is_known_of_their_company() -> None:
    case = {"operation": "bcast", "bytes": 8, **POINT}
    companies = pd.DataFrame(
        [{"stack": stack, **POINT, "effect": "presence", "sleep": sleep, "ratio": ratio, "verdict": verdict}
         for stack, sleep, ratio, verdict in (("one", "asleep", 1.0, "equivalent"), ("other", "not-asleep", 1.0, ""),
                                              ("fourth", "asleep", 1.5, "slower"), ("fifth", "asleep", 0.7, "faster"))]
    )  # fmt: skip
    prices = pd.DataFrame(
        [{"stack": "one", **case, "effect": "presence", "ratio": 1.25, "verdict": "slower"},
         {"stack": "other", **case, "effect": "presence", "ratio": 1.01, "verdict": "equivalent"},
         {"stack": "sixth", **case, "effect": "carry-over", "ratio": 1.03, "verdict": "slower"}]
    )  # fmt: skip
    elsewhere = {"processes": 4}
    line = {**case, "baseline": "one", "candidate": "other", "in_turns": True, "reason": "", "verdict": "slower",
            "adjusted_verdict": ""}  # fmt: skip
    sleep, price = "not asleep: other", "one in company: 1.25×"
    expected = [
        (line, f"company-limited: {sleep}; {price}", "inconclusive"),
        ({**line, "reason": "in the quiet regime"}, f"company-limited: {sleep}; {price}; in the quiet regime",
         "inconclusive"),
        ({**line, "baseline": "third"}, f"company-limited: {sleep}", "inconclusive"),
        ({**line, "baseline": "third", "verdict": "missing"}, f"company-limited: {sleep}", "missing"),
        ({**line, "baseline": "fourth", "bytes": 64},
         f"company-limited: {sleep}; fourth in company over all cases: 1.5×", "inconclusive"),
        ({**line, "baseline": "fifth", "bytes": 64}, f"company-limited: {sleep}", "inconclusive"),
        ({**line, "baseline": "sixth"}, f"company-limited: {sleep}; sixth after others' turns: 1.03×", "inconclusive"),
        ({**line, **elsewhere}, "", "slower"),
        ({**line, "in_turns": False}, "", "slower"),
    ]  # fmt: skip
    noted = note_company(pd.DataFrame([each for each, *_ in expected]), companies, prices)
    assert noted["reason"].tolist() == [reason for _, reason, _ in expected]
    assert noted["verdict"].tolist() == [verdict for *_, verdict in expected]


def test_launches_that_took_no_turns_have_no_company() -> None:
    rows, slices = run(2, {})
    slices = slices.iloc[:0]
    prices = company_prices(rows, slices)
    assert len(company(rows, slices, prices, RULES)) == len(company_cases(prices, RULES)) == 0
