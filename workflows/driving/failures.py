# SPDX-License-Identifier: BSD-3-Clause
"""What failed in a run, in a line each, with the file to look at."""

from __future__ import annotations

import json
from pathlib import Path

from isochron.ground.files import FileError
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import BlockState
from isochron.workflows.driving.report import STEPS
from isochron.workflows.runs import failed_blocks

#: In the log of a step that ended by a fault of its own, not by a message: what is in the last line is the fault.
TRACEBACK = "Traceback (most recent call last)"


def what_failed(run: RunLayout, plan: Plan) -> list[str]:
    """One line for each stack, block or later step that failed; the budget first where it is used up."""
    lines = [run.over_budget.read_text(encoding="utf-8")] if run.over_budget.exists() else []
    for stack in sorted({launch.stack for launch in plan.launches}):
        log = run.logs / f"build-{stack}.log"
        if not run.manifest(stack).exists() and log.exists():
            said = _last_line(log).removeprefix(f"stack {stack}: ")
            lines.append(f"stack {stack}: {said}; see {log}")
    for block in failed_blocks(run, plan):
        lines += _block_problems(run, block)
    if not lines:
        logs = [run.logs / f"{step}.log" for step in STEPS]
        newest = max((log for log in logs if log.exists()), key=lambda log: log.stat().st_mtime, default=None)
        if newest and (_last_line(newest).startswith("postprocess ") or TRACEBACK in _text(newest)):
            lines.append(f"{newest.stem}: {_last_line(newest)}; see {newest}")
    return lines


def _block_problems(run: RunLayout, block: str) -> list[str]:
    outcomes = sorted(run.attempts(block).glob("*/outcome.json"))
    if not outcomes:
        log = run.logs / f"block-{block}.log"
        said = f": {_last_line(log)}" if log.exists() else ""
        return [f"block {block}: ended before its first launch was checked{said}; see {log}"]
    try:
        state = BlockState.load(outcomes[-1])
    except FileError as error:
        return [f"block {block}: {error}"]
    bad = [f"block {block}: {launch.name}: {launch.reason}" for launch in state.launches if not launch.accepted]
    return bad or [f"block {block}: {state.reason or json.dumps(state.state)}"]


def _text(log: Path) -> str:
    return log.read_text(errors="replace", encoding="utf-8")


def _last_line(log: Path) -> str:
    lines = [line for line in _text(log).splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no message"
