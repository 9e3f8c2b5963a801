# SPDX-License-Identifier: BSD-3-Clause
"""Which screened operations are followed, at all of their sizes."""

from __future__ import annotations

from isochron.schemas.run.screening import ScreenedCase
from isochron.workflows.upgrade.selection import choose


def case(operation: str, ratio: float, p_value: float, size: int = 8) -> ScreenedCase:
    return ScreenedCase(
        operation=operation, bytes=size, ratio=ratio, low=0.9 * ratio, high=1.1 * ratio, p_value=p_value
    )


def followed(cases: list[ScreenedCase], most: int = 10) -> list[str]:
    chosen = choose(cases, 0.05, most)
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
    many = [case("bcast", 1.1, 0.2 if size == 0 else 0.95, size) for size in range(12)]
    assert followed([*many, case("scan", 1.1, 0.25)], most=1) == ["scan"]


def test_what_seems_to_have_changed_comes_in_the_order_of_the_part() -> None:
    cases = [case("bcast", 1.3, 0.0101), case("gather", 1.1, 1e-6), case("scan", 2.0, 1e-9)]
    assert followed(cases, most=2) == ["gather", "scan"]
    assert followed(cases, most=1) == ["gather"]
    assert followed(cases, most=0) == []
