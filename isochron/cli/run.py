# SPDX-License-Identifier: BSD-3-Clause
"""`isochron run`: measure a campaign, or continue its run."""

import argparse
from pathlib import Path

from rich.console import Console

from isochron.cli.campaign import (
    add_campaign,
    add_design,
    add_site,
    at_this_site,
    complain_about_site,
    load_selected_campaign,
)
from isochron.cli.common import Verbs, add_rebuild, add_results, add_verb
from isochron.cli.plan import print_plan
from isochron.common.exit_codes import Exit
from isochron.common.files import FileError
from isochron.common.terminal import Terminal, complain
from isochron.common.text import without_marks
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.spack_envs.stack_source import locks_of
from isochron.workflows.doctor.machine import Machine
from isochron.workflows.doctor.software import before_a_run
from isochron.workflows.driving.hooks import call_hooks, summary_of
from isochron.workflows.driving.repair import heal_files
from isochron.workflows.driving.run import AT_THE_STORE, Outcome, RunOptions, drive, is_finished
from isochron.workflows.planning import power
from isochron.workflows.planning.design import format_design, with_decided_design
from isochron.workflows.planning.earlier import earlier_durations, earlier_spreads
from isochron.workflows.planning.pairs import site_problem
from isochron.workflows.planning.plan import make_plan, over_budget
from isochron.workflows.planning.question import question_pairs
from isochron.workflows.runs import continue_or_create, open_run, point_latest_to, run_to_continue, update_campaign

EXAMPLE = """\
  isochron run demo                                   measure, or continue where it stopped
  isochron run demo --new                             measure again, as a new run
  isochron run demo --new --stacks mpich-4.3,mpich-5.0 --blocks 20    two of its stacks, more often
  isochron run demo --until store                     measure and store, without the report
  isochron run demo.yaml --stack-source spack --external openmpi@5.0.8=/opt/openmpi
  isochron run demo.yaml -- --verbose                 arguments after -- go to Snakemake"""


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "run", EXAMPLE, call)
    add_campaign(verb)
    add_design(verb)
    which = verb.add_mutually_exclusive_group()
    which.add_argument("--new", action="store_true", help="start a new run even if this plan has been measured")
    which.add_argument(
        "--run", type=Path, metavar="DIR", help="continue this run of the campaign; that executes the engine in DIR"
    )
    verb.add_argument(
        "--until",
        choices=("store", "report"),
        default="report",
        help="where to stop; the next call continues from there",
    )
    verb.add_argument(
        "--strict",
        action="store_true",
        help="do not start if `isochron doctor` reports a warning on this machine",
    )
    add_rebuild(verb)
    add_site(verb)
    verb.add_argument("-n", "--dry-run", action="store_true", help="print the plan and stop")
    add_results(verb)


def call(arguments: argparse.Namespace) -> int:
    """Plan, choose the run, drive it and print its end."""
    campaign = with_decided_design(at_this_site(load_selected_campaign(arguments), arguments))
    plan = make_plan(campaign, earlier_durations(arguments.results, campaign.name))
    console = Terminal()
    problem = over_budget(campaign, plan)
    if problem:
        complain(f"{arguments.campaign}: {problem}")
        return Exit.OVER_BUDGET
    if arguments.dry_run:
        spreads = earlier_spreads(arguments.results, campaign.name, question_pairs(campaign).pairs)
        print_plan(campaign, plan, spreads, console, quiet=arguments.quiet, verbose=arguments.verbose)
        return complain_about_site(campaign)
    problem = site_problem(campaign)
    if problem:
        complain(f"{arguments.campaign}: {problem}")
        return Exit.FAILED
    doubts = [finding.words for finding in before_a_run(campaign, Machine())]
    if doubts and arguments.strict:
        complain(f"not started (--strict): this machine may distort the measurement: {' | '.join(doubts)}")
        return Exit.FAILED
    run = _choose(arguments, campaign, plan, console)
    for line in heal_files(run):
        console.print(line)
    changed = update_campaign(run, campaign)
    if is_finished(run, Plan.load(run.plan)) and not changed:
        console.print(f"nothing to do: {run.run_id} is complete (--new measures again)\n{_relative(run.report)}")
        return Exit.DONE
    if doubts and not arguments.quiet:
        console.print(f"this machine may distort the measurement (isochron doctor): {' | '.join(doubts)}")
    wishes = RunOptions(arguments.extra, arguments.rebuild, until_store=arguments.until == "store")
    outcome = drive(run, campaign, wishes, console, arguments.quiet)
    for problem in call_hooks(run, campaign, outcome.state, outcome.problems):
        complain(problem)
    return _conclude(run, outcome, console, arguments.quiet)


def _choose(arguments: argparse.Namespace, campaign: Campaign, plan: Plan, console: Console) -> RunLayout:
    if arguments.run is not None:
        run = open_run(arguments.run)
        if Plan.load(run.plan).digest != plan.digest:
            raise FileError(
                f"{arguments.campaign}: its plan is not that of {arguments.run}; "
                "continue with the file of that run (its campaign.yaml), or start a new run with --new"
            )
    else:
        earlier = None if arguments.new else run_to_continue(arguments.results, plan)
        if earlier is None and not arguments.quiet:
            spreads = earlier_spreads(arguments.results, campaign.name, question_pairs(campaign).pairs)
            sensitivity = power.format_sensitivity(campaign, plan.worst_case, spreads)
            for line in filter(None, (format_design(campaign, plan.worst_case), *sensitivity)):
                console.print(line)
        say = (lambda _: None) if arguments.quiet else console.print
        planned = plan if earlier else plan.model_copy(update={"locks": locks_of(campaign, say)})
        run = continue_or_create(arguments.results, campaign, planned, new=arguments.new)
    point_latest_to(run)
    if not arguments.quiet:
        most, worst = "at most " if plan.later else "", plan.worst_case
        console.print(
            f"{campaign.heading}: {most}{len(worst.launches)} launches in {len(worst.blocks)} blocks, {run.run_id}"
        )
    return run


def _conclude(run: RunLayout, outcome: Outcome, console: Console, quiet: bool) -> int:
    state = outcome.state
    if state.state == "complete":
        if not quiet and summary_of(run):
            console.print(f"\n{without_marks(summary_of(run))}")
        console.print(f"{state.measured_launches} launches measured\n{_relative(run.report)}")
        return Exit.DONE
    if state.reason == AT_THE_STORE:
        console.print(
            f"{state.measured_launches} launches measured and stored; run `isochron run` again to make the report"
        )
        return Exit.DONE
    if state.state == "interrupted":
        console.print(
            f"interrupted with {state.measured_launches} of {state.planned_launches} launches measured; "
            "the same command continues from here; `isochron report` shows the results so far"
        )
        return Exit.INTERRUPTED
    for problem in outcome.problems:
        complain(problem)
    if state.measured_launches and run.report.exists():
        console.print(f"report of what has been measured: {_relative(run.report)}")
    if state.state == "over-budget":
        console.print(f"stopped with {state.measured_launches} of {state.planned_launches} launches measured")
        return Exit.OVER_BUDGET
    console.print(
        f"failed with {state.measured_launches} of {state.planned_launches} launches measured; "
        "the same command tries the rest again; `isochron report` shows the results so far"
    )
    return Exit.FAILED


def _relative(path: Path) -> Path:
    try:
        return path.relative_to(Path.cwd())
    except ValueError:
        return path
