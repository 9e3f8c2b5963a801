# SPDX-License-Identifier: BSD-3-Clause
"""The progress of a run and its failures, read from its folder."""

import shutil
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn

from isochron.common.cache import user_cache
from isochron.common.copies import is_there
from isochron.common.files import FileError, read_lines
from isochron.schemas.run.layout import CANDLE, RunLayout, launch_of
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import BlockState
from isochron.workflows.driving import snakemake
from isochron.workflows.driving.given_up import ended_attempts, what_it_lacks
from isochron.workflows.runs import STEPS, failed_blocks

#: Message about a process that left none.
SILENT = "ended without a message: it was killed, perhaps because memory ran out"

#: How the system says that a disk is full (ENOSPC); programs print it in many ways around it.
NO_SPACE = "No space left on device"
#: Bytes below which a disk counts as full: a log or a program could not be written.
FULL_BYTES = 256 * 1024

#: How the stages begin that are shortened on a narrow terminal.
BUILDING, MEASURING = "building stacks, ", "measuring "

#: First line of a crash of Python.
CRASH = "Traceback (most recent call last):"


def list_failures(run: RunLayout, plan: Plan) -> list[str]:
    """Return one line for each stack, block or later step that failed.

    An exceeded budget comes first, or Snakemake's own error if it started no job.
    """
    lines = read_lines(run.over_budget) if run.over_budget.exists() else []
    error = snakemake.own_error(run)
    if error and not lines:
        lines.append(f"Snakemake: {error}; see {snakemake.log_of(run)}")
    for stack in sorted({launch.stack for launch in plan.launches}):
        log = run.logs / f"build-{stack}.log"
        if not is_there(run.manifest(stack)) and log.exists():
            message = _log_messages(log)[-1].removeprefix(f"stack {stack}: ")
            full = _full_disk(run) if message == SILENT or NO_SPACE in message else ""
            lines.append(f"stack {stack}: {full or message}; see {log}")
    for block in failed_blocks(run, plan):
        lines += _block_problems(run, block)
    return lines or _step_problems(run)


def _full_disk(run: RunLayout) -> str:
    """Return which disk of those that a step writes to is full; empty if none is. A full disk leaves empty logs."""
    folders = {"the run": run.root, "temporary files (TMPDIR)": Path(tempfile.gettempdir())}
    with suppress(FileError):
        folders["the cache (XDG_CACHE_HOME)"] = user_cache("stacks")
    for name, folder in folders.items():
        there = next(path for path in (folder, *folder.parents) if path.is_dir())
        with suppress(OSError):
            if shutil.disk_usage(there).free < FULL_BYTES:
                return f"the disk of {name} is full, {there}: {NO_SPACE}; make room"
    return ""


def _block_problems(run: RunLayout, block: str) -> list[str]:
    """Return the messages of the last call of a block; if it was killed, the outcome of its last attempt."""
    log = run.block_log(block)
    messages = _log_messages(log)
    if messages != [SILENT]:
        end = "" if len(messages) > 1 or str(run.root) in messages[-1] else f"; see {log}"
        return [f"block {block}: {line.removeprefix(f'{block}: ')}{end}" for line in messages]
    folders = [path for path in run.attempts(block).glob("[0-9]*") if path.name.isdigit()]
    outcome = max(folders, key=lambda path: int(path.name), default=run.attempts(block)) / "outcome.json"
    if not is_there(outcome):
        return [f"block {block}: {_full_disk(run) or SILENT}; see {log}"]
    try:
        state = BlockState.load(outcome)
    except FileError as error:
        return [f"block {block}: {error}"]
    refused = [f"block {block}: {launch.name}: {launch.reason}" for launch in state.launches if not launch.accepted]
    return refused or [f"block {block}: {state.reason or state.state}"]


def _step_problems(run: RunLayout) -> list[str]:
    """Return the message of the last step after the measurement, unless the step succeeded."""
    logs = [log for step in STEPS if (log := run.logs / f"{step}.log").exists()]
    newest = max(logs, key=lambda log: log.stat().st_mtime, default=None)
    if newest is None:
        return []
    message = _log_messages(newest)[-1]
    if message.startswith(f"{newest.stem}: "):
        return []
    return [f"{newest.stem}: {message.removeprefix(f'postprocess {newest.stem}: ')}; see {newest}"]


def _log_messages(log: Path) -> list[str]:
    """Return the lines of a log; of a crash only the last line."""
    if not log.exists():
        return [SILENT]
    lines = [line.strip() for line in read_lines(log) if line.strip()]
    return lines[-1:] if CRASH in lines else lines or [SILENT]


@dataclass(frozen=True)
class Progression:
    """The finished parts of a run."""

    stage: str
    stacks: int
    blocks: int
    launches: int
    seconds: float  #: planned, of the launches that ended


def read_progress(run: RunLayout, plan: Plan) -> Progression:
    """Read the progress from the run's folder; launches of a block under way count as soon as they have ended."""
    stacks = {launch.stack for launch in plan.launches}
    built = sum(is_there(run.manifest(stack)) for stack in stacks)
    finished = sum(run.block(block.name).exists() for block in plan.blocks)
    done = {launch_of(path) for path in ended(run)}
    steps = build_steps(run, stacks)
    if run.report.exists() and finished == len(plan.blocks):
        stage = "report written"
    elif finished == len(plan.blocks):
        stage = "analysing"
    elif built < len(stacks) or steps:
        stage = _building(steps, built, len(stacks))
    else:
        stage = f"{MEASURING}block {finished + 1} of {len(plan.blocks)}"
    seconds = sum(launch.seconds for launch in plan.launches if launch.name in done)
    return Progression(stage, built, finished, len(done), seconds)


def build_steps(run: RunLayout, stacks: Collection[str]) -> list[str]:
    """Return what the builds do now, one line for each stack, and for the candle, that is built at this moment."""
    steps = []
    for name in (*sorted(stacks), CANDLE):
        with suppress(OSError):  # not begun, or just ended
            steps += read_lines(run.build_step(name))[:1]
    return steps


def _building(steps: list[str], built: int, stacks: int) -> str:
    """Return the stage of the builds: `building stacks, 1 of 5 done: installing mpich-5.0 and 1 more`."""
    more = f" and {len(steps) - 1} more" if len(steps) > 1 else ""
    return f"{BUILDING}{built} of {stacks} done{f': {steps[0]}{more}' if steps else ''}"


def ended(run: RunLayout) -> Iterator[Path]:
    """Yield the raw files of launches that have ended: accepted, or in attempts under way; some twice.

    For third-party benchmarks in attempts under way, the launch check.
    """
    yield from (*run.raw_files(), *run.printouts())
    for pattern in ("*/*/*.jsonl", "*/*/*.launch-check"):
        for path in (run.root / "attempts").glob(pattern):
            if not is_there(path.parent / "outcome.json"):
                yield path


#: Weight of the plan's estimates, as a share of the plan: the first launches, if short, are a weak basis.
PRIOR = 0.05


#: Columns of a terminal below which stage and time are shortened, and there is no bar.
NARROW = 90


class TimeLeft:
    """Estimate of the remaining time: planned seconds, scaled by the ratio of real to planned time so far."""

    def __init__(self, planned: float, before: float) -> None:
        """`planned`: seconds of all launches; `before`: seconds of those that had ended when the run was continued."""
        self._planned, self._before = planned, before
        self._started: float | None = None

    def seconds(self, done: float) -> float:
        """Return the seconds until the last launch ends, given the planned seconds of those that have ended."""
        if self._started is None and done > self._before:  # the time before the first launch ended is not measuring
            self._started, self._before = time.monotonic(), done
        spent = time.monotonic() - self._started if self._started is not None else 0.0
        prior = PRIOR * self._planned
        pace = (spent + prior) / (done - self._before + prior) if done > self._before else 1.0
        return max(0.0, (self._planned - done) * pace)


def format_duration(seconds: float) -> str:
    """Format a remaining time: `about 0:02:30 left`."""
    return f"about {timedelta(seconds=round(seconds))} left"


def format_elapsed(seconds: float) -> str:
    """Format a time that has passed: `for 0:01:15`."""
    return f"for {timedelta(seconds=int(seconds))}"


def _columns(width: int) -> list[ProgressColumn]:
    """Return the columns of the progress line; a narrow terminal has no bar and no percentage."""
    stage, left = TextColumn("{task.description}"), TextColumn("{task.fields[left]}")
    if width < NARROW:
        return [stage, MofNCompleteColumn(), left]
    return [stage, BarColumn(), MofNCompleteColumn(), TextColumn("launches"), TaskProgressColumn(), left]


#: Seconds without a change after which a log gets a further line; then twice as many.
SILENCE = 60.0


class Display:
    """The display of progress: a bar on a terminal, else a line whenever the stage changes or lasts long."""

    def __init__(self, run: RunLayout, plan: Plan, console: Console, quiet: bool, last_stage: str = "") -> None:
        """`last_stage`: the stage that an earlier display printed last."""
        self._run, self._plan, self._console = run, plan, console
        self._quiet, self._stage = quiet, last_stage
        self._begun = time.monotonic()  # of the stage
        self._next = SILENCE  # seconds from then to the next line in a log
        self._told = set(ended_attempts(run))  # of earlier calls
        self._left = TimeLeft(plan.seconds, read_progress(run, plan).seconds)
        self._bar = Progress(
            *_columns(console.width),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )
        self._task = self._bar.add_task("starting", total=len(plan.launches), left="")

    def __enter__(self) -> "Display":
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def refresh(self) -> None:
        """Read the progress of the run and display it, and once of each attempt what it ended without."""
        self._tell_of_attempts()
        now = read_progress(self._run, self._plan)
        changed = now.stage != self._stage
        if changed:
            self._stage, self._begun, self._next = now.stage, time.monotonic(), SILENCE
        lasted = time.monotonic() - self._begun
        left = "" if now.launches == len(self._plan.launches) else format_duration(self._left.seconds(now.seconds))
        if now.stage.startswith(BUILDING):  # not estimated
            left = format_elapsed(lasted) if self._console.is_terminal else ""
        if self._console.width < NARROW:
            stage, short = now.stage.removeprefix(MEASURING).removeprefix(BUILDING), left.removeprefix("about ")
            self._bar.update(self._task, completed=now.launches, description=stage, left=short)
        else:
            self._bar.update(self._task, completed=now.launches, description=now.stage, left=left)
        if self._quiet or self._console.is_terminal:
            return
        if changed or lasted >= self._next:
            self._next = max(SILENCE, 2 * lasted)
            duration = "" if changed else f", {format_elapsed(lasted)}"
            done = f"{now.launches} of {len(self._plan.launches)} launches"
            self._console.print(f"{now.stage}{duration}: {done}{', ' + left if left else ''}", highlight=False)

    def _tell_of_attempts(self) -> None:
        """Print what attempts that have just ended lack, since the count of launches goes back by as many."""
        ended_now = ended_attempts(self._run)
        for outcome in sorted(ended_now - self._told):
            line = what_it_lacks(outcome)
            if line and not self._quiet:
                self._console.print(line, highlight=False, markup=False, soft_wrap=True)
        self._told |= ended_now
