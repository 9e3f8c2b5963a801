# SPDX-License-Identifier: BSD-3-Clause
"""What failed in a run, in a line each, with the file to look at: what went wrong first, not who noticed it last."""

from __future__ import annotations

from pathlib import Path

from isochron.common.files import FileError, read_lines
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import BlockState
from isochron.workflows.driving import snakemake
from isochron.workflows.driving.report import STEPS
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
