# SPDX-License-Identifier: BSD-3-Clause
"""Several searches at once: how many blocks their experiments have after the first one."""

from __future__ import annotations

from collections.abc import Generator
from types import SimpleNamespace
from typing import Any

import pytest

from isochron.workflows.explanation.experiments import OutOfMinutesError
from isochron.workflows.explanation.joint import search_jointly
from isochron.workflows.explanation.search import Measured, Sets, Share


def search(seen: list[Measured]) -> Generator[Sets, Measured, str]:
    """Ask for one setting, then for another one."""
    for name in "AB":
        seen.append((yield [frozenset(name)]))
    return "done"


@pytest.mark.parametrize(
    ("half_widths", "blocks"),
    [([0.1], 12), ([0.2], 24), ([9.0], 48), ([0.1, 0.1, 9.0], 12), ([0.1, 9.0], 48), ([None, 0.1], 12)],
)
def test_blocks_are_enough_for_half_of_the_cases(half_widths: list[float | None], blocks: int) -> None:
    cases = [("bcast", size) for size in range(len(half_widths))]
    shares = {
        case: None if half is None else Share(0.5, 0.5 - half, 0.5 + half)
        for case, half in zip(cases, half_widths, strict=True)
    }
    used = []

    def measure(setups: dict[str, Any], _: object) -> dict[str, Any]:
        used.append(experiments.blocks)
        return dict.fromkeys(setups, shares)

    experiments: Any = SimpleNamespace(blocks=12, measure=measure)
    seen: list[Measured] = []
    answers = search_jointly(
        {case: search(seen) for case in cases}, lambda number, _: (f"v{number}", ("new", {})), experiments, 0.15
    ).of_case
    assert used == [12, blocks]
    assert set(answers) == {case for case, share in shares.items() if share is not None}


def test_cases_that_are_answered_do_not_ask_for_more_blocks() -> None:
    used = []

    def measure(setups: dict[str, Any], _: object) -> dict[str, Any]:
        used.append(experiments.blocks)
        return {name: {case: Share(0.5, 0.5 - half, 0.5 + half) for case, half in halves.items()} for name in setups}

    def brief() -> Generator[Sets, Measured, str]:
        yield [frozenset("A")]
        return "at once"

    halves = {("bcast", 8): 0.1, ("gather", 8): 0.9, ("scatter", 8): 0.9}
    experiments: Any = SimpleNamespace(blocks=12, measure=measure)
    searches = {case: search([]) if case[0] == "bcast" else brief() for case in halves}
    search_jointly(searches, lambda number, _: (f"v{number}", ("new", {})), experiments, 0.15)
    assert used == [12, 12]


def test_what_the_minutes_end_is_told_from_what_was_found() -> None:
    calls = []

    def measure(setups: dict[str, Any], cases: Any) -> dict[str, Any]:
        calls.append(list(cases))
        if len(calls) > 1:
            raise OutOfMinutesError
        shares = {("bcast", 8): Share(0.5, 0.45, 0.55), ("scan", 8): None}
        return dict.fromkeys(setups, shares)

    def ended() -> Generator[Sets, Measured, str]:
        yield from ()
        return "at once"

    experiments: Any = SimpleNamespace(blocks=12, measure=measure)
    searches = {("bcast", 8): search([]), ("scan", 8): search([]), ("gather", 8): ended()}
    answers = search_jointly(searches, lambda number, _: (f"v{number}", ("new", {})), experiments, 0.15)
    assert answers.of_case == {("gather", 8): "at once"}
    assert answers.unfinished == {("bcast", 8)}
    assert calls == [[("bcast", 8), ("scan", 8)], [("bcast", 8)]]
