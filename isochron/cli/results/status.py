# SPDX-License-Identifier: BSD-3-Clause
"""`isochron status`: the state of runs."""

import argparse
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from isochron.cli.common import Row, Verbs, add_format, add_results, add_verb, print_rows
from isochron.common.copies import is_there
from isochron.common.exit_codes import Exit
from isochron.common.terminal import Terminal
from isochron.schemas.run.imported import Imported, ImportLayout, all_imports
from isochron.schemas.run.layout import RunLayout, launch_of, run_folders
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import RunState
from isochron.workflows.driving.lock import is_locked
from isochron.workflows.driving.progress import ended, list_failures, read_progress
from isochron.workflows.runs import find_run, measured_launches, read_state, wall_time_of

EXAMPLE = """\
  isochron status                    every run under results/
  isochron status demo               the newest run of the campaign `demo`, block by block
  isochron status --format json      for programs"""

COLUMNS = ("campaign", "run_id", "state", "launches", "planned", "updated_at")


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "status", EXAMPLE, call)
    verb.add_argument(
        "run", nargs="?", metavar="CAMPAIGN|RUN_DIR", help="one run in detail (default: a summary of all runs)"
    )
    add_results(verb)
    add_format(verb)


def call(arguments: argparse.Namespace) -> int:
    """Print one run in detail, or a summary of all."""
    console = Terminal()
    if arguments.run is None:
        rows = [_summary(run) for run in _all_runs(arguments.results)]
        rows += [_import(layout) for layout in all_imports(arguments.results)]
        if not rows and arguments.format == "table":
            console.print(f"no runs under {arguments.results}")
        else:
            print_rows(rows, COLUMNS, arguments.format, console)
        return Exit.DONE
    run = find_run(arguments.results, arguments.run)
    plan = Plan.load(run.plan)
    if arguments.format == "table":
        summary = _summary(run)
        console.print(
            f"{summary['run_id']}: {summary['state']}, {summary['launches']} of {summary['planned']} launches"
        )
        console.print(f"{read_progress(run, plan).stage}\n")
    print_rows(_blocks(run, plan), ("block", "nodes", "launches", "planned", "state"), arguments.format, console)
    if arguments.format == "table":
        _print_end(run, plan, console)
    return Exit.DONE


def _all_runs(results: Path) -> list[RunLayout]:
    campaigns = sorted(path.name for path in results.iterdir() if path.is_dir()) if results.is_dir() else []
    runs = [RunLayout(folder) for name in campaigns for folder in run_folders(results, name)]
    return [run for run in runs if is_there(run.state)]


def _summary(run: RunLayout) -> Row:
    state = read_state(run)
    if state is None:
        return {
            "campaign": run.root.parent.name,
            "run_id": run.run_id,
            "state": f"unreadable ({run.state.name} is damaged)",
            "launches": measured_launches(run),
            "planned": None,
            "updated_at": None,
        }
    files, running = list(ended(run)), state.state == "running"
    last = max((path.stat().st_mtime for path in files), default=0.0) if running else 0.0
    return {
        "campaign": state.campaign,
        "run_id": state.run_id,
        "state": _current(run, state),
        "launches": len({launch_of(path) for path in files}) if running else measured_launches(run),
        "planned": state.planned_launches,
        "updated_at": max(state.updated_at, f"{datetime.fromtimestamp(last, UTC):%Y-%m-%dT%H:%M:%SZ}"),
    }


def _import(layout: ImportLayout) -> Row:
    """Return the line of an import in the list of runs."""
    record = Imported.load(layout.record)
    return {
        "campaign": record.name,
        "run_id": "",
        "state": f"imported from {record.tool}, not measured here",
        "launches": None,
        "planned": None,
        "updated_at": record.imported_at,
    }


def _current(run: RunLayout, state: RunState) -> str:
    """Return the recorded state, or `interrupted` if it is `running` without a driver."""
    if state.state == "running":
        holder = is_locked(run)
        return f"running ({holder})" if holder else "interrupted (its driver was killed)"
    return state.state


def _blocks(run: RunLayout, plan: Plan) -> list[Row]:
    done = {launch_of(path) for path in ended(run)}
    return [
        {
            "block": block.name,
            "nodes": block.nodes,
            "launches": sum(launch.name in done for launch in block.launches),
            "planned": len(block.launches),
            "state": _block_state(run, block.name),
        }
        for block in plan.blocks
    ]


def _block_state(run: RunLayout, block: str) -> str:
    if run.block(block).exists():
        return "complete"
    tried = sum(path.is_dir() for path in run.attempts(block).glob("[0-9]*"))
    return f"attempt {tried}" if tried else "waiting"


def _print_end(run: RunLayout, plan: Plan, console: Console) -> None:
    state = RunState.load(run.state)
    if state.state in ("failed", "over-budget"):
        console.print("")
        for line in list_failures(run, plan):
            console.print(line)
    parts = wall_time_of(run)
    if parts:
        shares = ", ".join(f"{part['part']} {100 * float(part['share']):.0f} %" for part in parts)
        console.print(f"\ntime of the run: {shares}")
    if run.report.exists():
        console.print(f"\nreport: {run.report}")
