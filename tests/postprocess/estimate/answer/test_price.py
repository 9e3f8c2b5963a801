# SPDX-License-Identifier: BSD-3-Clause
"""The price of what is inconclusive: minutes of further blocks, by the durations of this run."""

from __future__ import annotations

import pandas as pd
import pytest

from isochron.postprocess.estimate.answer.price import LAUNCHER_S, launches_of_a_block
from isochron.schemas.run.plan import Block, Plan, PlannedLaunch, Point

POINTS = [
    Point(processes=2, processes_per_node=2, placement="packed"),
    Point(processes=4, processes_per_node=4, placement="packed"),
]
#: Seconds of a launch in each of three blocks.
DURATIONS = {"old": (2.0, 3.0, 9.0), "new": (4.0, 1.0, 9.0), "third": (60.0, 60.0, 60.0)}


def measured(*, in_turns: bool) -> tuple[Plan, pd.DataFrame]:
    """A launch of each stack at two points in three blocks, and one of a contrast."""
    blocks, lines = [], []
    for index in range(3):
        launches = []
        for point in POINTS:
            for stack, durations in DURATIONS.items():
                for contrast in ("", "cold"):
                    name = f"{stack}.{point.label}.b{index}{contrast}"
                    session = f"{point.label}.1" if in_turns and not contrast else ""
                    launch = PlannedLaunch(
                        name=name,
                        stack=stack,
                        point=point,
                        block=index,
                        launch=1,
                        seconds=1,
                        contrast=contrast,
                        session=session,
                    )
                    launches.append(launch)
                    line = {
                        "file": launch.file,
                        "stack": stack,
                        "block": f"b{index}",
                        "attempt": 1,
                        **point.model_dump(),
                    }
                    lines.append(line | {"duration_s": durations[index]})
        blocks.append(Block(name=f"b{index}", index=index, nodes=1, launches=launches))
    plan = Plan(campaign="c", digest="d", cores_per_node=4, points=POINTS, blocks=blocks, skipped=[])
    return plan, pd.DataFrame(lines)


@pytest.mark.parametrize(("in_turns", "seconds"), [(False, 6.0), (True, 4.0)])
def test_launches_in_turns_take_the_time_of_the_longest(in_turns: bool, seconds: float) -> None:
    """Both stacks take 6, 4 and 18 s in a row, or 4, 3 and 9 s together: the median at each of two points."""
    launches, minutes = launches_of_a_block(*measured(in_turns=in_turns), ["old", "new"])
    assert launches == 4
    assert minutes == pytest.approx(2 * (seconds + 2 * LAUNCHER_S) / 60)


def test_nothing_measured_costs_nothing() -> None:
    plan, launches = measured(in_turns=True)
    assert launches_of_a_block(plan, launches, []) == (0, 0.0)
