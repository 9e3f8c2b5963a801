# SPDX-License-Identifier: BSD-3-Clause
"""Clocks that are set: the time of day while a run goes on, and the times of files."""

from __future__ import annotations

import os
import time

from tests.soak.faults import work
from tests.soak.faults.kills import WHOLE_S
from tests.soak.life import Life

MINUTE, DAY = 60, 86400


def time_of_day(life: Life) -> None:
    """The clock is set while a run goes on, or was set since the last one; the times of files stay as they are."""
    step = life.random.choice([-1, 1]) * life.random.choice([2, 10 * MINUTE, DAY, 4000 * DAY])
    at = time.monotonic() + life.random.choice([-1.0, life.random.uniform(0, WHOLE_S)])
    env = {
        "LD_PRELOAD": str(life.shims["wall_clock"]),
        "WALL_STEP_S": str(step),
        "WALL_AT_S": str(int(at)),
    }
    life.note(f"the clock is set by {step} s")
    life.end(work.start(life, env))


def times_of_files(life: Life) -> None:
    """Files from the future or from long ago, as after a copy, or a host whose clock is wrong."""
    share = life.random.choice([0.1, 0.5, 1.0])
    for path in sorted(life.place.run.root.rglob("*")):
        if life.random.random() < share and not path.is_symlink():
            then = time.time() + life.random.uniform(-2, 2) * DAY
            os.utime(path, (then, then))
    life.note(f"other times for {share:.0%} of the files")
