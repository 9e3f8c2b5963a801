# SPDX-License-Identifier: BSD-3-Clause
"""Running a campaign from its run folder to its end, with further rounds and stages."""

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.console import Console

from isochron.common.cache import refuse_unwritable_home
from isochron.common.children import refuse_unquotable, wait_for
from isochron.common.copies import is_there
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.budget import usage
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.next_blocks import Flagged, InterimFile
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import RunState
from isochron.schemas.run.store import TABLES
from isochron.workflows.driving import snakemake
from isochron.workflows.driving.candles import candles_intact
from isochron.workflows.driving.lock import Lock, Lost, run_lock
from isochron.workflows.driving.postprocess import make_report, take_interim_analysis
from isochron.workflows.driving.progress import Display, list_failures, read_progress
from isochron.workflows.driving.repair import damaged, outputs_intact, refuse_links, repair, seal_outputs
from isochron.workflows.planning.next_blocks import next_round, next_stage, rounds
from isochron.workflows.runs import measured_launches, update_state
from isochron.workflows.signals import when_asked_to_end


def append_round(run: RunLayout, campaign: Campaign) -> str:
    """Add a round for flagged results, as far as the limits on rounds and node hours permit.

    Returns a message, empty if nothing is flagged or no round is left. If a round was added, the plan has
    launches that are missing.
    """
    plan = Plan.load(run.plan)
    if rounds(plan) >= campaign.remeasure.rounds or not run.flagged.exists():
        return ""
    flagged = Flagged.load(run.flagged)
    if not flagged.rows:
        return ""
    spent = usage(run, plan)
    limit = campaign.limits.node_hours
    remaining_hours = None if limit is None else limit - spent.committed
    fresh, unaffordable = next_round(campaign, plan, flagged, remaining_hours, spent.estimate)
    verb = "needs" if len(flagged.rows) == 1 else "need"
    message = f"{_count(len(flagged.rows), 'result')} at {_count(len(flagged.points), 'point')} {verb} remeasurement"
    if unaffordable:
        message += f"; {len(unaffordable)} of these points exceed limits.node_hours = {limit:g}"
    if len(fresh.blocks) == len(plan.blocks):
        return message
    fresh.save_sealed(run.plan)
    RunState.load(run.state).model_copy(update={"planned_launches": len(fresh.launches)}).save_sealed(run.state)
    return f"{message}: round {rounds(fresh)} adds {_count(len(fresh.blocks) - len(plan.blocks), 'block')}"


def append_stage(run: RunLayout, campaign: Campaign) -> str:
    """Make an interim analysis after the blocks so far are measured and stored, and add the blocks still needed.

    Returns a message. The decisions are written before the plan: a run that is interrupted in between continues from
    them, and does not analyse again.
    """
    plan = Plan.load(run.plan)
    analyses = InterimFile.load(run.interim).analyses if is_there(run.interim) else []
    if len(analyses) <= plan.stage:
        analyses = [*analyses, take_interim_analysis(run)]
        InterimFile(analyses=analyses).save_sealed(run.interim)
    now = analyses[plan.stage]
    spent = usage(run, plan)
    limit = campaign.limits.node_hours
    fresh, unaffordable = next_stage(
        campaign, plan, now.open, None if limit is None else limit - spent.committed, spent.estimate
    )
    fresh.save_sealed(run.plan)
    RunState.load(run.state).model_copy(update={"planned_launches": len(fresh.launches)}).save_sealed(run.state)
    decided = sum(len(analysis.decided) for analysis in analyses[: plan.stage + 1])
    message = f"after {_count(now.blocks, 'block')} per node count {_count(decided, 'comparison')} decided"
    message += (
        f", {len(now.open)} inconclusive at {_count(len({comparison.point for comparison in now.open}), 'point')}"
    )
    if unaffordable:
        message += f"; {unaffordable} of these points exceed limits.node_hours = {limit:g}"
    added = len(fresh.blocks) - len(plan.blocks)
    return f"{message}: {_count(added, 'block')} more" if added else f"{message}: no more blocks"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


#: Shortest time in s between two readings of the progress, and their largest share of a core.
POLL_S, SHARE = 0.5, 0.002

#: Reason in the state of a run that was measured and stored, but not analysed, as requested.
AT_THE_STORE = "stopped after the store (--until store)"


@dataclass(frozen=True)
class Outcome:
    """The result of a call of `isochron run`."""

    state: RunState
    problems: list[str]


@dataclass(frozen=True)
class RunOptions:
    """Options of one call: arguments for Snakemake, rebuilding of engines, an end before the analysis.

    `is_hopeless`: asked of the run while it measures; once True, it is stopped, and has failed.
    """

    extra: list[str] = field(default_factory=list)
    rebuild: bool = False
    until_store: bool = False
    is_hopeless: Callable[[RunLayout], bool] = lambda _: False


@dataclass(frozen=True)
class Drive:
    """Run, campaign and options of one call."""

    run: RunLayout
    campaign: Campaign
    options: RunOptions
    console: Console
    quiet: bool
    lock: Lock


def is_finished(run: RunLayout, plan: Plan) -> bool:
    """Return True if nothing remains to be done."""
    stored = all(run.table(name).exists() for name in TABLES)
    derived = run.report.exists() and run.summary.exists() and stored and outputs_intact(run)
    complete = RunState.load(run.state).state == "complete" and derived and not plan.later
    raw = measured_launches(run) == len(plan.launches) and not damaged(run, plan) and candles_intact(run, plan)
    return complete and raw


def drive(run: RunLayout, campaign: Campaign, options: RunOptions, console: Console, quiet: bool) -> Outcome:
    """Run everything that the folder lacks. Raises FileError if another process is working on the run."""
    refuse_unquotable(run.root, "the run")
    refuse_links(run)
    refuse_unwritable_home()
    with run_lock(run) as lock:
        if lock.message:
            console.print(lock.message)
        run.over_budget.unlink(missing_ok=True)
        for line in repair(run):
            console.print(line)
        update_state(run, "running")
        with _interrupt_on_request():
            try:
                return _measure(Drive(run, campaign, options, console, quiet, lock))
            except KeyboardInterrupt:
                return Outcome(update_state(run, "interrupted", "stopped by the user"), [])


@contextmanager
def _interrupt_on_request() -> Iterator[None]:
    """Raise KeyboardInterrupt in the context if this process is asked to end."""

    def interrupt(_number: int) -> None:
        raise KeyboardInterrupt

    try:
        with when_asked_to_end(interrupt):
            yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _measure(drive: Drive) -> Outcome:
    """Measure and post-process, and repeat for every interim analysis and every round of remeasurement."""
    while True:
        plan = Plan.load(drive.run.plan)
        until_store = drive.options.until_store or bool(plan.later)
        code = _snakemake(drive, plan)
        missing = len(plan.launches) - measured_launches(drive.run)
        if code or missing or not _report(drive, plan, until_store):
            return _stopped(drive, plan, code, missing)
        if plan.later:
            message = append_stage(drive.run, drive.campaign)
            if not drive.quiet:
                drive.console.print(message)
            continue
        if drive.options.until_store:
            seal_outputs(drive.run)
            return Outcome(update_state(drive.run, "interrupted", AT_THE_STORE), [])
        message = append_round(drive.run, drive.campaign)
        if message and not drive.quiet:
            drive.console.print(message)
        if len(Plan.load(drive.run.plan).blocks) == len(plan.blocks):
            seal_outputs(drive.run)
            return Outcome(update_state(drive.run, "complete"), [])


def _report(drive: Drive, plan: Plan, until_store: bool) -> bool:
    """Post-process the run, up to the store or the report. Returns False if a step failed."""
    environment = snakemake.environment(drive.run)
    last_stage = read_progress(drive.run, plan).stage
    with Display(drive.run, plan, drive.console, drive.quiet, last_stage) as display:
        for _, problem in make_report(drive.run, to_the_store=until_store, environment=environment):
            display.refresh()
            drive.lock.check()
            if problem:
                return False
    return True


def _snakemake(drive: Drive, plan: Plan) -> int:
    """Call Snakemake and wait for its end; no further block is started once the budget is used up."""
    child = snakemake.start(drive.run, drive.options.extra, rebuild=drive.options.rebuild)
    stopping = False
    try:
        with Display(drive.run, plan, drive.console, drive.quiet) as display:
            while child.poll() is None:
                if drive.run.over_budget.exists() and not stopping:
                    snakemake.start_no_more(child)
                    stopping = True
                begun = time.process_time()
                display.refresh()
                drive.lock.check()
                if drive.options.is_hopeless(drive.run):
                    snakemake.stop(child, drive.run)
                wait_for(child, max(POLL_S, (time.process_time() - begun) / SHARE))
            display.refresh()
    except (KeyboardInterrupt, Lost):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        snakemake.stop(child, drive.run)
        raise
    finally:
        _reap(child)
    return child.returncode


def _reap(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        child.kill()
        child.wait()


def _snakemake_problems(drive: Drive, code: int) -> list[str]:
    """Return why Snakemake did not complete the run, if no job failed."""
    log = snakemake.log_of(drive.run)
    if code < 0:
        name = signal.Signals(-code).name
        return [
            f"Snakemake was ended by {name}, not by `isochron run`; the same command continues from here; see {log}"
        ]
    if code == 0 and drive.options.extra:
        args = " ".join(drive.options.extra)
        return [f"Snakemake did only what `-- {args}` requested; remove that to continue; see {log}"]
    return []


def _stopped(drive: Drive, plan: Plan, code: int, missing: int) -> Outcome:
    """Return the outcome of an incomplete run, after writing a report of the launches measured so far."""
    problems = list_failures(drive.run, plan)
    if not drive.run.over_budget.exists():
        problems = _snakemake_problems(drive, code) + problems
    problems = problems or [
        f"{missing} of {len(plan.launches)} launches are missing and no error was reported; "
        f"see {snakemake.log_of(drive.run)}"
    ]
    status = update_state(drive.run, "over-budget" if drive.run.over_budget.exists() else "failed", problems[0])
    if missing and measured_launches(drive.run) and not drive.options.until_store:
        if not drive.quiet:
            drive.console.print("making the report of the launches measured so far")
        problems += [f"{step}: {problem}" for step, problem in make_report(drive.run) if problem]
    return Outcome(status, problems)
