# SPDX-License-Identifier: BSD-3-Clause
"""Running a campaign: from a run folder to its end, whatever the end is."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from rich.console import Console

from workflows.driving import snakemake
from workflows.driving.lock import run_lock
from workflows.driving.progress import Display
from workflows.runs import failed_blocks, measured_launches, update_state
from workflows.schemas.base import FileError
from workflows.schemas.campaign import Campaign
from workflows.schemas.layout import RunLayout
from workflows.schemas.plan import Plan
from workflows.schemas.state import BlockState, RunState

#: Seconds between two looks at the run's folder.
POLL_S = 0.5


@dataclass(frozen=True)
class Outcome:
    """How a call of `isochron run` ended."""

    state: RunState
    problems: list[str]


def is_finished(run: RunLayout, plan: Plan) -> bool:
    """Whether nothing is left to do."""
    complete = RunState.load(run.state).state == "complete"
    return complete and run.report.exists() and measured_launches(run) == len(plan.launches)


def drive(run: RunLayout, campaign: Campaign, extra: list[str], console: Console, quiet: bool) -> Outcome:
    """Run what the folder lacks. Raises FileError where another process has the run."""
    plan = Plan.load(run.plan)
    with run_lock(run):
        update_state(run, "running")
        previous = signal.signal(signal.SIGTERM, _as_interrupt)
        child: subprocess.Popen[bytes] | None = None
        try:
            child = snakemake.start(run, campaign, extra)
            with Display(run, plan, console, quiet) as display:
                while child.poll() is None:
                    display.refresh()
                    time.sleep(POLL_S)
                display.refresh()
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            if child is not None:
                snakemake.stop(child, run)
            return Outcome(update_state(run, "interrupted", "stopped by the user"), [])
        finally:
            signal.signal(signal.SIGTERM, previous)
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return _conclude(run, plan, child.returncode)


def _as_interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _conclude(run: RunLayout, plan: Plan, code: int) -> Outcome:
    """State of the run after Snakemake has ended by itself."""
    missing = len(plan.launches) - measured_launches(run)
    if code == 0 and missing == 0 and run.report.exists():
        return Outcome(update_state(run, "complete"), [])
    problems = what_failed(run, plan)
    if not problems:
        problems = [f"Snakemake ended with code {code}; see {run.logs / 'snakemake.log'}"]
    return Outcome(update_state(run, "failed", problems[0]), problems)


def what_failed(run: RunLayout, plan: Plan) -> list[str]:
    """One line for each stack, block or later step that failed, with the file to look at."""
    lines = []
    for stack in sorted({launch.stack for launch in plan.launches}):
        log = run.logs / f"build-{stack}.log"
        if not run.manifest(stack).exists() and log.exists():
            lines.append(f"stack {stack}: {_last_line(log)}; see {log}")
    for block in failed_blocks(run, plan):
        lines += _block_problems(run, block)
    if not lines:
        logs = [run.logs / f"{step}.log" for step in ("ingest", "analyse", "render")]
        failed = [log for log in logs if log.exists() and log.stat().st_size and not run.report.exists()]
        lines += [f"{log.stem}: {_last_line(log)}; see {log}" for log in failed[-1:]]
    return lines


def _block_problems(run: RunLayout, block: str) -> list[str]:
    outcomes = sorted(run.attempts(block).glob("*/outcome.json"))
    if not outcomes:
        return [f"block {block}: ended before its first launch was checked; see {run.logs / f'block-{block}.log'}"]
    try:
        state = BlockState.load(outcomes[-1])
    except FileError as error:
        return [f"block {block}: {error}"]
    bad = [f"block {block}: {launch.name}: {launch.reason}" for launch in state.launches if not launch.accepted]
    return bad or [f"block {block}: {state.reason or json.dumps(state.state)}"]


def _last_line(log: Path) -> str:
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no message"
