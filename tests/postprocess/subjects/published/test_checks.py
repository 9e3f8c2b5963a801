# SPDX-License-Identifier: BSD-3-Clause
"""Each kind of check with values that agree, differ, are undecided by their intervals, or are missing."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from pydantic import TypeAdapter

from isochron.postprocess.subjects.published.checks import (
    AGREES,
    DIFFERS,
    INCONCLUSIVE,
    NOT_MEASURED,
    Result,
    outcome,
    results,
)
from isochron.postprocess.subjects.published.quantity import HIGH, LOW, Margins, Measured, select, with_interval
from isochron.postprocess.subjects.published.wording import expected
from isochron.schemas.input.published_findings import Check, quantities

MARGINS = Margins(threshold=0.05, tolerance=0.1)
CHECK: TypeAdapter[Any] = TypeAdapter(Check)
KEY: dict[str, Any] = {"stack": "a", "bytes": 16384, "processes": 64, "processes_per_node": 8, "placement": "packed"}
TIME = {"table": "summary", "column": "median_us"}
CURVE = {"table": "view-bxj-curves", "column": "measured_us", "over": "fitted_hockney_us"}


def row(operation: str, time: float, spread: float = 0.0, **others: Any) -> dict[str, Any]:
    """A row with a time in µs, and an interval of ± `spread` of it."""
    return {
        **KEY, "operation": operation, "median_us": time, LOW: 1 - spread, HIGH: 1 + spread, "reliable": True, **others,
    }  # fmt: skip


def checked(check: dict[str, Any], rows: list[dict[str, Any]], *, exact: bool = False) -> list[Result]:
    """The results of a check on one table, whose rows all of its quantities choose from."""
    parsed = CHECK.validate_python(check)
    table = pd.DataFrame(rows)
    tables = [select(quantity, table, exact=exact) for quantity in quantities(parsed)]
    return [result for _, result in results(parsed, tables, MARGINS)]


def only(check: dict[str, Any], rows: list[dict[str, Any]], *, exact: bool = False) -> Result:
    (result,) = checked(check, rows, exact=exact)
    return result


NEAR = {"kind": "value", "quantity": {**TIME, "rows": {"operation": "bcast"}}, "near": 400, "within": 0.05}


@pytest.mark.parametrize(
    ("time", "spread", "expected_outcome"),
    [(391.0, 0.01, AGREES), (2700.0, 0.01, DIFFERS), (391.0, 0.1, INCONCLUSIVE), (2700.0, 0.9, INCONCLUSIVE)],
)
def test_a_value_agrees_if_all_of_its_interval_does(time: float, spread: float, expected_outcome: str) -> None:
    assert only(NEAR, [row("bcast", time, spread)]).outcome == expected_outcome


def test_a_value_that_is_missing_is_not_measured() -> None:
    result = only(NEAR, [row("reduce", 400.0)])
    assert (result.outcome, result.text) == (NOT_MEASURED, "Not measured: bcast.")


def test_a_value_without_an_interval_decides_nothing_unless_it_is_exact() -> None:
    bare = {**KEY, "operation": "bcast", "median_us": 391.0}
    assert only(NEAR, [bare]).outcome == INCONCLUSIVE
    assert only(NEAR, [bare], exact=True).outcome == AGREES
    doubtful = row("bcast", 391.0, 0.01, reliable=False)
    assert only(NEAR, [doubtful], exact=True).outcome == INCONCLUSIVE


def test_what_is_stated_of_a_value_has_its_unit_and_interval() -> None:
    result = only(NEAR, [row("bcast", 2700.0, 0.01)])
    assert (result.text, result.unit) == ("2.70 ms [2.67 ms; 2.73 ms].", "µs")
    assert expected(CHECK.validate_python(NEAR), MARGINS) == "bcast: between 380.0 µs and 420.0 µs"


def test_each_stack_has_its_own_result() -> None:
    rows = [row("bcast", 391.0), row("bcast", 2700.0, stack="b")]
    assert [result.outcome for result in checked(NEAR, rows)] == [AGREES, DIFFERS]


def test_several_rows_where_one_is_meant_decide_nothing() -> None:
    result = only(NEAR, [row("bcast", 391.0), row("bcast", 401.0)])
    assert result.outcome == INCONCLUSIVE and "391, 401" in result.text


def test_a_rate_has_the_interval_of_its_time_inverted() -> None:
    check = {"kind": "value", "quantity": {"table": "view-two-sites-pairs", "column": "mb_per_s"}, "at_most": 250}
    low, high = 4 / 5, 5 / 4
    rows = [row("multi-ping-ping", 1.0, mb_per_s=200.0) | {LOW: low, HIGH: high}]
    result = only(check, rows)
    assert (result.number.low, result.number.high) == pytest.approx((160.0, 250.0))
    assert result.outcome == AGREES and result.text.startswith("200 MB/s [160 MB/s; 250 MB/s]")


RATIO = {
    "kind": "ratio",
    "of": {**TIME, "rows": {"operation": "bcast", "processes": 128}},
    "to": {**TIME, "rows": {"operation": "bcast", "processes": 64}},
    "at_least": 2,
}


@pytest.mark.parametrize(
    ("time", "spread", "expected_outcome"),
    [(250.0, 0.01, AGREES), (150.0, 0.01, DIFFERS), (200.0, 0.01, INCONCLUSIVE), (250.0, 0.2, INCONCLUSIVE)],
)
def test_a_ratio_has_every_ratio_of_both_intervals(time: float, spread: float, expected_outcome: str) -> None:
    result = only(RATIO, [row("bcast", 100.0, spread), row("bcast", time, spread, processes=128)])
    assert result.outcome == expected_outcome
    assert result.number.low == pytest.approx(time * (1 - spread) / (100 * (1 + spread)))


def test_a_ratio_to_nothing_is_not_measured() -> None:
    result = only(RATIO, [row("bcast", 100.0)])
    assert (result.outcome, result.text) == (NOT_MEASURED, "Not measured: bcast, 128 processes.")


DIFFER = {"kind": "differ", "quantity": TIME, "along": "placement"}


@pytest.mark.parametrize(
    ("time", "spread", "expected_outcome"),
    [(150.0, 0.01, AGREES), (104.0, 0.01, INCONCLUSIVE), (104.0, 0.0, DIFFERS), (150.0, 0.3, INCONCLUSIVE)],
)
def test_orders_of_hosts_are_apart(time: float, spread: float, expected_outcome: str) -> None:
    rows = [row("bcast", 100.0, spread), row("bcast", time, spread, placement="alternating")]
    result = only(DIFFER, rows)
    assert result.outcome == expected_outcome
    assert "packed 100 µs" in result.text and "alternating 1" in result.text


def test_one_order_is_not_compared() -> None:
    assert only(DIFFER, [row("bcast", 100.0)]).outcome == NOT_MEASURED


FASTEST = {
    "kind": "fastest", "quantity": {**TIME, "rows": {"bytes": 16384, "processes": 64}}, "along": "operation",
    "fastest": "reduce", "among": ["reduce", "bcast", "gather"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("bcast", "gather", "spread", "expected_outcome"),
    [
        (200.0, 300.0, 0.01, AGREES),
        (90.0, 300.0, 0.01, DIFFERS),
        (101.0, 300.0, 0.05, INCONCLUSIVE),
        (90.0, None, 0.01, DIFFERS),
        (200.0, None, 0.01, NOT_MEASURED),
    ],
)
def test_the_fastest_operation(bcast: float, gather: float | None, spread: float, expected_outcome: str) -> None:
    rows = [row("reduce", 100.0, spread), row("bcast", bcast, spread)]
    rows += [row("gather", gather, spread)] if gather else []
    result = only(FASTEST, rows)
    assert result.outcome == expected_outcome
    assert ("Not measured: gather." in result.text) == (gather is None)


def test_of_the_fastest_operations_the_least_time_comes_first() -> None:
    rows = [row("reduce", 100.0), row("bcast", 90.0), row("gather", 5300.0)]
    assert only(FASTEST, rows).text == "bcast 90.0 µs, reduce 100 µs, gather 5.30 ms."


def test_a_time_by_a_model_has_the_error_of_the_model_and_says_so() -> None:
    """The model of bcast was 1.5 times too small where it was run: 90 µs may be 135 µs, so nothing is decided."""
    ends = {LOW: float("nan"), HIGH: float("nan")}
    simulated = {"made": "simulated", "largest_factor": float("nan"), "second_factor": float("nan")}
    modelled = {"made": "model", "largest_factor": 1.5, "second_factor": 1.2, **ends}
    rows = [row("reduce", 100.0, **simulated), row("gather", 300.0, **simulated)]
    undecided = only(FASTEST, [*rows, row("bcast", 90.0, **modelled)], exact=True)
    assert undecided.outcome == INCONCLUSIVE and "bcast 90.0 µs [90.0 µs; 135 µs] (model)" in undecided.text
    assert undecided.number.made == "model"
    assert only(FASTEST, [*rows, row("bcast", 150.0, **modelled)], exact=True).outcome == AGREES
    assert only(FASTEST, [*rows, row("bcast", 50.0, **modelled)], exact=True).outcome == DIFFERS
    unknown = {**modelled, "largest_factor": float("nan"), "second_factor": float("nan")}
    assert only(FASTEST, [*rows, row("bcast", 50.0, **unknown)], exact=True).outcome == INCONCLUSIVE


ORDER = {"kind": "order", "quantity": TIME, "along": "processes", "order": [64, 128, 256]}


@pytest.mark.parametrize(
    ("times", "spread", "expected_outcome"),
    [
        ((100.0, 110.0, 120.0), 0.01, AGREES),
        ((100.0, 90.0, 120.0), 0.01, DIFFERS),
        ((100.0, 110.0, 120.0), 0.1, INCONCLUSIVE),
        ((100.0, 110.0), 0.01, NOT_MEASURED),
        ((110.0, 100.0), 0.01, DIFFERS),
        ((), 0.0, NOT_MEASURED),
    ],
)
def test_an_order(times: tuple[float, ...], spread: float, expected_outcome: str) -> None:
    counts = (64, 128, 256)
    rows = [row("barrier", time, spread, processes=count) for time, count in zip(times, counts, strict=False)]
    assert only(ORDER, rows or [row("barrier", 1.0, processes=2)]).outcome == expected_outcome


def curve(ratios: dict[int, float], spread: float = 0.0, other: float = 1.0) -> list[dict[str, Any]]:
    """Points at these ratios to a model `tree`, of 100 µs, and to one `ring` that takes `other` times as long."""
    return [
        row(
            "bcast", 0.0, spread, processes=count, algorithm=algorithm, measured_us=100 * ratio, fitted_hockney_us=model
        )
        for count, ratio in ratios.items()
        for algorithm, model in (("tree", 100.0), ("ring", 100.0 * other))
    ]


FOLLOWS = {"kind": "follows", "quantity": CURVE, "algorithms": ["tree"], "processes": [16, 32, 64]}
DEPARTS = {**FOLLOWS, "kind": "departs", "beyond": 32}


@pytest.mark.parametrize(
    ("ratios", "spread", "expected_outcome"),
    [
        ({16: 1.0, 32: 0.95, 64: 1.05}, 0.01, AGREES),
        ({16: 1.0, 32: 1.5, 64: 1.0}, 0.01, DIFFERS),
        ({16: 1.0, 32: 0.5, 64: 1.0}, 0.01, DIFFERS),
        ({16: 1.0, 32: 1.0, 64: 1.05}, 0.1, INCONCLUSIVE),
        ({16: 1.0, 32: 1.0}, 0.01, NOT_MEASURED),
        ({16: 1.5, 32: 1.0}, 0.01, DIFFERS),
        ({128: 1.0}, 0.01, NOT_MEASURED),
    ],
)
def test_a_curve_follows_its_model(ratios: dict[int, float], spread: float, expected_outcome: str) -> None:
    assert only(FOLLOWS, curve(ratios, spread)).outcome == expected_outcome


def test_a_curve_lies_between_two_models() -> None:
    between = {**FOLLOWS, "algorithms": ["tree", "ring"]}
    assert only(between, curve({16: 2.0, 32: 2.9, 64: 3.2}, other=3.0)).outcome == AGREES
    result = only(between, curve({16: 2.0, 32: 2.9, 64: 3.6}, other=3.0))
    assert result.outcome == DIFFERS and result.number.value == pytest.approx(1.2)
    assert result.text == "Measured / model: 1.20× at 64 processes; it follows the model at 16 and 32 processes."


@pytest.mark.parametrize(
    ("ratios", "spread", "expected_outcome"),
    [
        ({16: 1.0, 32: 1.0, 64: 1.5}, 0.01, AGREES),
        ({16: 1.0, 32: 1.5, 64: 1.5}, 0.01, DIFFERS),
        ({16: 1.0, 32: 1.0, 64: 1.0}, 0.01, DIFFERS),
        ({16: 1.0, 32: 1.0, 64: 0.5}, 0.01, DIFFERS),
        ({16: 1.0, 32: 1.0, 64: 1.2}, 0.2, INCONCLUSIVE),
        ({16: 1.0, 32: 1.0}, 0.01, NOT_MEASURED),
    ],
)
def test_a_curve_departs_beyond_a_process_count(ratios: dict[int, float], spread: float, expected_outcome: str) -> None:
    result = only(DEPARTS, curve(ratios, spread))
    assert result.outcome == expected_outcome
    assert ("Not measured: 64 processes." in result.text) == (64 not in ratios)


def test_a_curve_departs_somewhere_or_everywhere() -> None:
    somewhere = {name: value for name, value in DEPARTS.items() if name != "beyond"}
    everywhere = {**DEPARTS, "beyond": 0}
    late, always = curve({16: 1.0, 32: 1.0, 64: 1.5}), curve({16: 1.5, 32: 1.5, 64: 1.5})
    assert only(somewhere, late).outcome == AGREES and only(everywhere, late).outcome == DIFFERS
    assert only(everywhere, always).outcome == AGREES
    assert only(somewhere, late[:4]).outcome == NOT_MEASURED


def test_a_refuted_comparison_decides_before_a_missing_one() -> None:
    assert outcome([True, False, None], complete=False) == DIFFERS
    assert outcome([True, None], complete=False) == NOT_MEASURED
    assert outcome([True, None], complete=True) == INCONCLUSIVE
    assert outcome([True, True], complete=True) == AGREES


def test_equal_values_are_in_any_order() -> None:
    same = Measured(1.0, 1.0, 1.0)
    assert same.at_most(same) is True


def test_intervals_are_those_of_the_results() -> None:
    """Of a table without operation, too; a value without a result has none."""
    summary = pd.DataFrame(
        [{**KEY, "operation": "ping-pong", "median_us": 10.0, "median_low_us": 9.0, "median_high_us": 12.0,
          "reliable": True}]
    )  # fmt: skip
    table = pd.DataFrame([{**KEY, "time_us": 10.0}, {**KEY, "bytes": 1, "time_us": 20.0}])
    assert with_interval(table, summary, "ping-pong")[[LOW, HIGH]].iloc[0].tolist() == [0.9, 1.2]
    assert with_interval(table, summary, "ping-pong")[[LOW, HIGH]].iloc[1].isna().all()
