# SPDX-License-Identifier: BSD-3-Clause
"""Which screened operations are followed, at all of their sizes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from isochron.schemas.run.screening import ScreenedCase, seconds_of
from isochron.workflows.upgrade import selection
from isochron.workflows.upgrade.selection import choose, left_out


@pytest.fixture(autouse=True)
def _no_fewest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "FEWEST", 0)


def case(operation: str, ratio: float, p_value: float, size: int = 8, seconds: float = 1.0) -> ScreenedCase:
    return ScreenedCase(
        operation=operation, bytes=size, ratio=ratio, low=0.9 * ratio, high=1.1 * ratio, p_value=p_value,
        seconds=seconds, unverified_seconds=seconds,
    )  # fmt: skip


def followed(cases: list[ScreenedCase], most: float = 100, always: Sequence[str] = ()) -> list[str]:
    """Return the operations of the cases that are followed in so many seconds."""
    chosen = choose(cases, 0.05, seconds_of(cases), most, always)
    assert [(each.operation, each.bytes) for each in chosen] == [(each.operation, each.bytes) for each in cases]
    return [each.operation for each in chosen if each.followed]


def test_losses_and_gains_that_may_be_there_are_followed() -> None:
    cases = [
        case("bcast", 1.3, 0.001), case("gather", 0.7, 0.001), case("scan", 1.3, 0.6), case("reduce", 1.01, 0.001),
        case("barrier", 1.0, 1.0),
    ]  # fmt: skip
    assert followed(cases) == ["bcast", "gather"]


def test_an_operation_is_followed_at_all_sizes() -> None:
    assert followed([case("bcast", 1.3, 0.001), case("bcast", 1.0, 0.9, 64), case("scan", 1.0, 0.9)]) == ["bcast"] * 2


def test_many_sizes_are_many_chances() -> None:
    """One of twelve sizes with p = 0.2 says less than one of one size."""
    many = [case("bcast", 1.1, 0.2 if size == 0 else 0.95, size, 1 / 12) for size in range(12)]
    assert followed([*many, case("scan", 1.1, 0.25)], most=1) == ["scan"]


def test_what_seems_to_have_changed_comes_in_the_order_of_the_part() -> None:
    cases = [case("bcast", 1.3, 0.0101), case("gather", 1.1, 1e-6), case("scan", 2.0, 1e-9)]
    assert followed(cases, most=2) == ["gather", "scan"]
    assert followed(cases, most=1) == ["gather"]
    assert followed(cases, most=0) == []


def test_what_lost_before_is_followed_alternately_with_the_others() -> None:
    """What lost before does not take the places of losses that are new."""
    cases = [case(name, 1.3, 1e-6) for name in ("bcast", "gather")] + [
        case(name, 1.0, 1.0) for name in ("scan", "reduce")
    ]
    lost = ["reduce", "bcast", "scan"]
    assert followed(cases, most=2, always=lost) == ["bcast", "reduce"]
    assert followed(cases, most=3, always=lost) == ["bcast", "gather", "reduce"]
    assert followed(cases, most=4, always=lost) == ["bcast", "gather", "scan", "reduce"]


def test_what_does_not_fit_into_the_seconds_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """What fits after it is followed; an operation costs what all of its cases take."""
    cases = [
        case("bcast", 1.3, 1e-6, seconds=0.5), case("gather", 1.3, 1e-6, 8, 2.0), case("gather", 1.0, 1.0, 64, 2.0),
        case("scan", 1.3, 1e-6, seconds=0.5),
    ]  # fmt: skip
    assert followed(cases, most=3) == ["bcast", "scan"]
    assert left_out(choose(cases, 0.05, seconds_of(cases), 3), 0.05) == ["gather"]
    monkeypatch.setattr(selection, "FEWEST", 2)
    assert followed(cases, most=3) == ["bcast", "gather", "gather"]


def test_fewer_operations_are_followed_whatever_they_take_with_more_stacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "FEWEST", 2)
    cases = [case("bcast", 1.3, 1e-6, seconds=9.0), case("gather", 1.3, 1e-6, seconds=9.0)]
    for stacks, expected in ((2, ["bcast", "gather"]), (4, ["bcast"])):
        chosen = choose(cases, 0.05, seconds_of(cases), 3, stacks=stacks)
        assert [one.operation for one in chosen if one.followed] == expected
