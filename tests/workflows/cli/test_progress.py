# SPDX-License-Identifier: BSD-3-Clause
"""The time left follows the launches that have ended, weighed by what was planned for each."""

from __future__ import annotations

import pytest

from isochron.workflows.driving import progress
from isochron.workflows.driving.progress import TimeLeft


def test_time_left_weighs_launches_by_their_planned_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    left = TimeLeft(planned=1000.0, before=10.0)
    assert left.seconds(10.0) == 990.0  # nothing known but the plan
    assert left.seconds(20.0) == 980.0  # the first launch that ends starts the clock
    now = 120.0
    prior = progress.PRIOR * 1000.0
    assert left.seconds(30.0) == 970.0 * (20.0 + prior) / (10.0 + prior)  # ten planned seconds took twenty
    now = 2100.0
    assert left.seconds(990.0) == pytest.approx(10.0 * 2.0, rel=0.05)  # in the end the plan's pace hardly counts
    assert left.seconds(1000.0) == 0.0
