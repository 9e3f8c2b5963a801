# SPDX-License-Identifier: BSD-3-Clause
"""How long launches that measure in turns may take together."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.reframe_checks.launch.turns import Turn, turns_of
from isochron.workflows.planning.plan import make_plan
from tests.workflows.conftest import campaign


def turn(seconds: float, count: int) -> Turn:
    """Those of a session that the plan expects to take so long."""
    return Turn(segment="s", index=0, count=count, seed=1, passes=1, last=0, solo_rounds=0, seconds=seconds)


@pytest.mark.parametrize(
    ("expected_s", "count", "limit_s"),
    [
        (7.0, 5, 141),  # 120 s, and three times 7 s: not ten minutes
        (7.2, 5, 142),
        (200.0, 5, 600),  # never more than the launches one after another
        (200.0, 2, 240),
        (0.0, 2, 120),
    ],
)
def test_a_session_ends_after_a_launch_and_three_times_what_is_expected(
    expected_s: float, count: int, limit_s: int
) -> None:
    assert turn(expected_s, count).limit_s(120) == limit_s


def test_what_is_expected_of_a_session_is_that_of_its_launches(tmp_path: Path) -> None:
    chosen = campaign(replication={"design": "turns", "blocks": 2})
    plan = make_plan(chosen)
    launches = plan.blocks[0].launches
    turns = turns_of(launches, chosen, tmp_path, candle=True)
    assert turns
    for name, each in turns.items():
        session = next(launch.session for launch in launches if launch.name == name)
        planned = [launch.seconds for launch in launches if launch.session == session]
        assert each.seconds == pytest.approx(sum(planned)) and each.count == len(planned) + 1
