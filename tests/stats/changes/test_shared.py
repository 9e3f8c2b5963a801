# SPDX-License-Identifier: BSD-3-Clause
"""What all stacks share of a run: also if one of them is off by itself, and nothing if stacks disagree."""

from __future__ import annotations

import numpy as np
import pytest

from isochron.stats.changes.search import shared

STACKS = np.repeat(np.arange(4), 3)


def of_run(*shifts: float) -> tuple[float, float]:
    """Of stacks of three results each that are off by so much, and 0.01 to both sides."""
    away = np.repeat(shifts, 3) + np.tile([-0.01, 0.0, 0.01], len(shifts))
    return shared(away, STACKS[: len(away)])


def test_shared_is_the_median_nearest_to_the_level() -> None:
    assert of_run(0.2, 0.15, 0.18, 0.3) == pytest.approx((0.15, 0.15))
    assert of_run(0.2, -0.1, 0.18, 0.1)[1] == 0


def test_a_stack_that_is_off_by_itself_hides_nothing_of_the_others() -> None:
    assert of_run(-0.10, 0.69, -0.12, -0.14) == pytest.approx((-0.10, -0.10))
    assert of_run(-0.10, 0.69, 0.02, -0.14)[1] == 0


def test_of_three_stacks_none_is_off_by_itself() -> None:
    assert of_run(-0.10, 0.69, -0.12)[1] == 0


def test_what_three_stacks_share_without_the_fourth_is_not_of_all() -> None:
    """As three variants of one library that is slower, and another library."""
    assert of_run(0.22, 0.0, 0.22, 0.22) == pytest.approx((0, 0))
    assert of_run(0.22, -0.01, 0.22, 0.22)[1] == 0
