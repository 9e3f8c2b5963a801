# SPDX-License-Identifier: BSD-3-Clause
"""Something to do for `isochron run`, so that a fault has something to strike."""

from __future__ import annotations

from isochron.common.files import FileError
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from tests.soak.life import RUN, Call, Life


def start(life: Life, env: dict[str, str] | None = None) -> Call:
    """Go on with the newest run where it lacks something; else begin a new run, or lose a launch of this one first."""
    words = list(RUN)
    if life.runs() and _is_measured(life.place.run):
        if life.random.random() < 0.5:
            words.append("--new")
        else:
            lose_a_launch(life)
    return life.start(*words, env=env)


def lose_a_launch(life: Life) -> None:
    """Remove an accepted raw file of the newest run."""
    raw = life.random.choice(sorted(life.place.run.launches.glob("*.jsonl")))
    raw.unlink()
    life.damaged_on_purpose()
    life.note(f"removed {raw.name}")


def _is_measured(run: RunLayout) -> bool:
    try:
        return all(run.launch(launch.name).exists() for launch in Plan.load(run.plan).launches)
    except FileError:
        return False
