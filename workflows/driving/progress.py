# SPDX-License-Identifier: BSD-3-Clause
"""How far a run is: what is done is read from its folder, so anybody may look from anywhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn

from isochron.schemas.run.layout import RunLayout, launch_of
from isochron.schemas.run.plan import Plan


@dataclass(frozen=True)
class Progression:
    """What of a run is done."""

    stage: str
    stacks: int
    blocks: int
    launches: int
    seconds: float  #: planned, of the launches that ended


def look(run: RunLayout, plan: Plan) -> Progression:
    """Count what the run's folder holds; launches of the block under way count as soon as they end."""
    stacks = {launch.stack for launch in plan.launches}
    built = sum(run.manifest(stack).exists() for stack in stacks)
    finished = sum(run.block(block.name).exists() for block in plan.blocks)
    done = {launch_of(path) for path in ended(run)}
    if run.report.exists() and finished == len(plan.blocks):
        stage = "report written"
    elif finished == len(plan.blocks):
        stage = "analysing"
    elif built < len(stacks):
        stage = "building stacks"
    else:
        stage = f"measuring block {finished + 1} of {len(plan.blocks)}"
    seconds = sum(launch.seconds for launch in plan.launches if launch.name in done)
    return Progression(stage, built, finished, len(done), seconds)


def ended(run: RunLayout) -> Iterator[Path]:
    """Raw files of launches that have ended: accepted ones, and those of attempts under way; some twice.

    Of a launch of another benchmark that is under way, what its processes have counted.
    """
    yield from (*run.raw_files(), *run.printouts())
    for pattern in ("*/*/*.jsonl", "*/*/*.launch-check"):
        for path in (run.root / "attempts").glob(pattern):
            if not (path.parent / "outcome.json").exists():
                yield path


#: The plan's own pace counts as much as this share of it already done: short launches first say little.
PRIOR = 0.05


#: Columns of a terminal below which stage and time are shortened, and there is no bar.
NARROW = 90


class TimeLeft:
    """Estimate of the time left: planned seconds, scaled by how the launches so far compare with the plan."""

    def __init__(self, planned: float, before: float) -> None:
        """`planned`: seconds of all launches; `before`: of those that had ended when this run went on."""
        self._planned, self._before = planned, before
        self._started: float | None = None

    def seconds(self, done: float) -> float:
        """Seconds until the last launch ends, given the planned seconds of those that have ended."""
        if self._started is None and done > self._before:  # what came before the first launch ended is not measuring
            self._started, self._before = time.monotonic(), done
        spent = time.monotonic() - self._started if self._started is not None else 0.0
        prior = PRIOR * self._planned
        pace = (spent + prior) / (done - self._before + prior) if done > self._before else 1.0
        return max(0.0, (self._planned - done) * pace)


def format_duration(seconds: float) -> str:
    """A duration for people: `about 2:30 min left`."""
    return f"about {timedelta(seconds=round(seconds))} left"


def _columns(width: int) -> list[ProgressColumn]:
    """What is shown on one line of a terminal: without bar and percentage where they have no room."""
    stage, left = TextColumn("{task.description}"), TextColumn("{task.fields[left]}")
    if width < NARROW:
        return [stage, MofNCompleteColumn(), left]
    return [stage, BarColumn(), MofNCompleteColumn(), TextColumn("launches"), TaskProgressColumn(), left]


class Display:
    """A bar on a terminal; elsewhere one line whenever the stage changes."""

    def __init__(self, run: RunLayout, plan: Plan, console: Console, quiet: bool) -> None:
        self._run, self._plan, self._console = run, plan, console
        self._quiet, self._stage = quiet, ""
        self._left = TimeLeft(plan.seconds, look(run, plan).seconds)
        self._bar = Progress(
            *_columns(console.width),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )
        self._task = self._bar.add_task("starting", total=len(plan.launches), left="")

    def __enter__(self) -> Display:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def refresh(self) -> None:
        """Look at the run and show where it stands."""
        now = look(self._run, self._plan)
        left = format_duration(self._left.seconds(now.seconds)) if now.launches < len(self._plan.launches) else ""
        if self._console.width < NARROW:
            stage, short = now.stage.removeprefix("measuring "), left.removeprefix("about ")
            self._bar.update(self._task, completed=now.launches, description=stage, left=short)
        else:
            self._bar.update(self._task, completed=now.launches, description=now.stage, left=left)
        if not self._quiet and not self._console.is_terminal and now.stage != self._stage:
            done = f"{now.launches} of {len(self._plan.launches)} launches"
            self._console.print(f"{now.stage}: {done}{', ' + left if left else ''}", highlight=False)
        self._stage = now.stage
