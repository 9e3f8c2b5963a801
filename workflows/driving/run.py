# SPDX-License-Identifier: BSD-3-Clause
"""Running a campaign from its run folder to its end, with further rounds and stages."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.console import Console

from isochron.common.cache import refuse_unwritable_home
from isochron.common.children import refuse_unquotable
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.budget import usage
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.next_blocks import Flagged, Looks
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import RunState
from isochron.schemas.run.store import TABLES
from isochron.workflows.driving import snakemake
from isochron.workflows.driving.lock import Lock, Lost, run_lock
from isochron.workflows.driving.postprocess import look_at, make_report
from isochron.workflows.driving.progress import Display, what_failed
from isochron.workflows.driving.repair import damaged, outputs_intact, refuse_links, repair, seal_outputs
from isochron.workflows.planning.next_blocks import next_round, next_stage, rounds
from isochron.workflows.runs import measured_launches, update_state
from isochron.workflows.signals import when_asked_to_end


def append_round(run: RunLayout, campaign: Campaign) -> str:
    """Add a round for what is in doubt, as far as rounds and node hours are left.

    Returns a sentence for people, empty where nothing is in doubt or no round was asked for. Whether one was
    added is seen from the plan: some launches are then missing.
    """
    plan = Plan.load(run.plan)
    if rounds(plan) >= campaign.remeasure.rounds or not run.flagged.exists():
        return ""
    flagged = Flagged.load(run.flagged)
    if not flagged.rows:
        return ""
    spent = usage(run, plan)
    limit = campaign.limits.node_hours
    left = None if limit is None else limit - spent.committed
    fresh, unaffordable = next_round(campaign, plan, flagged, left, spent.estimate)
    said = f"{_count(len(flagged.rows), 'row')} at {_count(len(flagged.points), 'point')} need remeasurement"
    if unaffordable:
        said += f"; {len(unaffordable)} of these points exceed limits.node_hours = {limit:g}"
    if len(fresh.blocks) == len(plan.blocks):
        return said
    fresh.save_sealed(run.plan)
    RunState.load(run.state).model_copy(update={"planned_launches": len(fresh.launches)}).save_sealed(run.state)
    return f"{said}: round {rounds(fresh)} adds {_count(len(fresh.blocks) - len(plan.blocks), 'block')}"


def append_stage(run: RunLayout, campaign: Campaign) -> str:
    """Look at a sequential campaign whose blocks so far are measured and stored, and add those that it still needs.

    Returns a sentence for people. What was decided is written before the plan: a run that is cut off in between goes on
    from that, and does not look again.
    """
    plan = Plan.load(run.plan)
    looks = Looks.load(run.looks).looks if run.looks.exists() else []
    if len(looks) <= plan.stage:
        looks = [*looks, look_at(run)]
        Looks(looks=looks).save_sealed(run.looks)
    now = looks[plan.stage]
    spent = usage(run, plan)
    limit = campaign.limits.node_hours
    fresh, left_out = next_stage(
        campaign, plan, now.open, None if limit is None else limit - spent.committed, spent.estimate
    )
    fresh.save_sealed(run.plan)
    RunState.load(run.state).model_copy(update={"planned_launches": len(fresh.launches)}).save_sealed(run.state)
    decided = sum(len(look.decided) for look in looks[: plan.stage + 1])
    said = f"after {_count(now.blocks, 'block')} per node count {_count(decided, 'comparison')} decided"
    said += f", {len(now.open)} inconclusive at {_count(len({each.point for each in now.open}), 'point')}"
    if left_out:
        said += f"; {left_out} of these points exceed limits.node_hours = {limit:g}"
    added = len(fresh.blocks) - len(plan.blocks)
    return f"{said}: {_count(added, 'block')} more" if added else f"{said}: no more blocks"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


#: Seconds between two looks at the run's folder.
POLL_S = 0.5

#: Reason in the state of a run that has been measured and stored, as was asked, but not analysed.
AT_THE_STORE = "stopped after the store (--until store)"


@dataclass(frozen=True)
class Outcome:
    """How a call of `isochron run` ended."""

    state: RunState
    problems: list[str]


@dataclass(frozen=True)
class RunOptions:
    """What a person wants of one call: words for Snakemake, engines built anew, an end before the analysis."""

    extra: list[str] = field(default_factory=list)
    rebuild: bool = False
    until_store: bool = False


@dataclass(frozen=True)
class Drive:
    """What a drive works with."""

    run: RunLayout
    campaign: Campaign
    wishes: RunOptions
    console: Console
    quiet: bool
    lock: Lock


def is_stored(run: RunLayout) -> bool:
    """Whether the store is there."""
    return all(run.table(name).exists() for name in TABLES)


def is_finished(run: RunLayout, plan: Plan) -> bool:
    """Whether nothing is left to do."""
    made = run.report.exists() and run.summary.exists() and is_stored(run) and outputs_intact(run)
    complete = RunState.load(run.state).state == "complete" and made and not plan.later
    return complete and measured_launches(run) == len(plan.launches) and not damaged(run, plan)


def drive(run: RunLayout, campaign: Campaign, wishes: RunOptions, console: Console, quiet: bool) -> Outcome:
    """Run what the folder lacks. Raises FileError where another process has the run."""
    refuse_unquotable(run.root, "the run")
    refuse_links(run)
    refuse_unwritable_home()
    with run_lock(run) as lock:
        if lock.said:
            console.print(lock.said)
        run.over_budget.unlink(missing_ok=True)
        for line in repair(run):
            console.print(line)
        update_state(run, "running")
        with _asked_to_end():
            try:
                return _measure(Drive(run, campaign, wishes, console, quiet, lock))
            except KeyboardInterrupt:
                return Outcome(update_state(run, "interrupted", "stopped by the user"), [])


@contextmanager
def _asked_to_end() -> Iterator[None]:
    """To be asked to end is a KeyboardInterrupt, too."""

    def interrupt(_number: int) -> None:
        raise KeyboardInterrupt

    try:
        with when_asked_to_end(interrupt):
            yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _measure(on: Drive) -> Outcome:
    """Snakemake and what is made of its blocks, once and again for every look and every further round of doubt."""
    while True:
        plan = Plan.load(on.run.plan)
        until_store = on.wishes.until_store or bool(plan.later)
        code = _snakemake(on, plan)
        missing = len(plan.launches) - measured_launches(on.run)
        if code or missing or not _report(on, plan, until_store):
            return _stopped(on, plan, code, missing)
        if plan.later:
            said = append_stage(on.run, on.campaign)
            if not on.quiet:
                on.console.print(said)
            continue
        if on.wishes.until_store:
            seal_outputs(on.run)
            return Outcome(update_state(on.run, "interrupted", AT_THE_STORE), [])
        said = append_round(on.run, on.campaign)
        if said and not on.quiet:
            on.console.print(said)
        if len(Plan.load(on.run.plan).blocks) == len(plan.blocks):
            seal_outputs(on.run)
            return Outcome(update_state(on.run, "complete"), [])


def _report(on: Drive, plan: Plan, until_store: bool) -> bool:
    """Make what follows the measurement: the store, or all up to the report. False where a step failed."""
    environment = snakemake.environment(on.run)
    with Display(on.run, plan, on.console, on.quiet) as display:
        for _, problem in make_report(on.run, to_the_store=until_store, environment=environment):
            display.refresh()
            on.lock.check()
            if problem:
                return False
    return True


def _snakemake(on: Drive, plan: Plan) -> int:
    """One call of Snakemake, to its end; no further block is started once the budget is used up."""
    child = snakemake.start(on.run, on.campaign, on.wishes.extra, rebuild=on.wishes.rebuild)
    told = False
    try:
        with Display(on.run, plan, on.console, on.quiet) as display:
            while child.poll() is None:
                if on.run.over_budget.exists() and not told:
                    snakemake.start_no_more(child)
                    told = True
                display.refresh()
                on.lock.check()
                time.sleep(POLL_S)
            display.refresh()
    except (KeyboardInterrupt, Lost):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        snakemake.stop(child, on.run)
        raise
    finally:
        _reap(child)
    return child.returncode


def _reap(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        child.kill()
        child.wait()


def _of_snakemake(on: Drive, code: int) -> list[str]:
    """Why Snakemake left something undone, where that is not because a job failed."""
    log = snakemake.log_of(on.run)
    if code < 0:
        name = signal.Signals(-code).name
        return [
            f"Snakemake was ended by {name}, not by `isochron run`; the same command continues from here; see {log}"
        ]
    if code == 0 and on.wishes.extra:
        words = " ".join(on.wishes.extra)
        return [f"Snakemake did only what `-- {words}` requested; remove that to continue; see {log}"]
    return []


def _stopped(on: Drive, plan: Plan, code: int, missing: int) -> Outcome:
    """State of a run that ended by itself before it was complete, with a report of what there is."""
    problems = what_failed(on.run, plan)
    if not on.run.over_budget.exists():
        problems = _of_snakemake(on, code) + problems
    problems = problems or [
        f"{missing} of {len(plan.launches)} launches are missing and no error was reported; "
        f"see {snakemake.log_of(on.run)}"
    ]
    status = update_state(on.run, "over-budget" if on.run.over_budget.exists() else "failed", problems[0])
    if missing and measured_launches(on.run) and not on.wishes.until_store:
        if not on.quiet:
            on.console.print("making the report of the launches measured so far")
        problems += [f"{step}: {problem}" for step, problem in make_report(on.run) if problem]
    return Outcome(status, problems)
