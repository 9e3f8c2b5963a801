# SPDX-License-Identifier: BSD-3-Clause
"""The progress of a run and its failures, read from its folder."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn

from isochron.common.files import FileError, read_lines
from isochron.schemas.run.layout import RunLayout, launch_of
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import BlockState
from isochron.workflows.driving import snakemake
from isochron.workflows.driving.postprocess import STEPS
from isochron.workflows.runs import failed_blocks

#: What is said of a process that has left no word.
SILENT = "ended without a message: it was killed, perhaps because memory ran out"

#: The line with which a crash of Python begins.
CRASH = "Traceback (most recent call last):"


def what_failed(run: RunLayout, plan: Plan) -> list[str]:
    """One line for each stack, block or later step that failed.

    The budget comes first where it is used up, and what Snakemake itself says where it came to no job.
    """
    lines = read_lines(run.over_budget) if run.over_budget.exists() else []
    own = snakemake.own_error(run)
    if own and not lines:
        lines.append(f"Snakemake: {own}; see {snakemake.log_of(run)}")
    for stack in sorted({launch.stack for launch in plan.launches}):
        log = run.logs / f"build-{stack}.log"
        if not run.manifest(stack).exists() and log.exists():
            said = _said(log)[-1].removeprefix(f"stack {stack}: ")
            lines.append(f"stack {stack}: {said}; see {log}")
    for block in failed_blocks(run, plan):
        lines += _block_problems(run, block)
    return lines or _step_problems(run)


def _block_problems(run: RunLayout, block: str) -> list[str]:
    """What the last call of a block said; where it was killed, how its last attempt ended."""
    log = run.logs / f"block-{block}.log"
    said = _said(log)
    if said != [SILENT]:
        end = "" if len(said) > 1 or str(run.root) in said[-1] else f"; see {log}"
        return [f"block {block}: {line.removeprefix(f'{block}: ')}{end}" for line in said]
    folders = [path for path in run.attempts(block).glob("[0-9]*") if path.name.isdigit()]
    outcome = max(folders, key=lambda path: int(path.name), default=run.attempts(block)) / "outcome.json"
    if not outcome.exists():
        return [f"block {block}: {SILENT}; see {log}"]
    try:
        state = BlockState.load(outcome)
    except FileError as error:
        return [f"block {block}: {error}"]
    bad = [f"block {block}: {launch.name}: {launch.reason}" for launch in state.launches if not launch.accepted]
    return bad or [f"block {block}: {state.reason or state.state}"]


def _step_problems(run: RunLayout) -> list[str]:
    """What the last step of those behind the measurement said, unless it said that it is done."""
    logs = [log for step in STEPS if (log := run.logs / f"{step}.log").exists()]
    newest = max(logs, key=lambda log: log.stat().st_mtime, default=None)
    if newest is None:
        return []
    said = _said(newest)[-1]
    if said.startswith(f"{newest.stem}: "):
        return []
    return [f"{newest.stem}: {said.removeprefix(f'postprocess {newest.stem}: ')}; see {newest}"]


def _said(log: Path) -> list[str]:
    """What stands in a log; of a crash its last line alone."""
    if not log.exists():
        return [SILENT]
    lines = [line.strip() for line in read_lines(log) if line.strip()]
    return lines[-1:] if CRASH in lines else lines or [SILENT]


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
