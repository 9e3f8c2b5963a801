# SPDX-License-Identifier: BSD-3-Clause
"""Measuring a campaign for another command, which goes on with its run."""

from collections.abc import Callable, Mapping
from pathlib import Path

from rich.console import Console

from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import RunState
from isochron.spack_envs.stack_source import locks_of
from isochron.workflows.driving.run import AT_THE_STORE, RunOptions, drive
from isochron.workflows.runs import continue_or_create, run_to_continue


class UnfinishedError(Exception):
    """A run that did not end: `state` of it, and the problems."""

    def __init__(self, state: RunState, problems: list[str]) -> None:
        super().__init__("; ".join(problems) or state.reason)
        self.state, self.problems = state, problems


def run_of(
    results: Path,
    campaign: Campaign,
    plan: Plan,
    *,
    again: bool,
    locks: Mapping[str, str] | None = None,
    console: Console | None = None,
) -> RunLayout:
    """Return the newest run that measures exactly this plan, or a new one (`again`: in any case). Raises FileError.

    `locks`: of stacks by spec that another run has locked; those of the others are looked up. `console`: where to say
    that, and which run it is.
    """
    say: Callable[[str], None] = (lambda _: None) if console is None else console.print
    if again or run_to_continue(results, plan) is None:
        plan = plan.model_copy(update={"locks": {**locks_of(campaign, say), **(locks or {})}})
    run = continue_or_create(results, campaign, plan, new=again)
    say(f"{campaign.heading}: {len(plan.launches)} launches in {len(plan.blocks)} blocks, {run.run_id}")
    return run


def measure(
    run: RunLayout,
    campaign: Campaign,
    console: Console,
    *,
    quiet: bool,
    until_store: bool,
    is_hopeless: Callable[[RunLayout], bool] = lambda _: False,
) -> None:
    """Measure a run to its end or until it `is_hopeless`, or go on where it stopped. Raises UnfinishedError."""
    options = RunOptions(until_store=until_store, is_hopeless=is_hopeless)
    outcome = drive(run, campaign, options, console, quiet)
    if outcome.state.state != "complete" and outcome.state.reason != AT_THE_STORE:
        raise UnfinishedError(outcome.state, outcome.problems)
