# SPDX-License-Identifier: BSD-3-Clause
"""`isochron rehearse`: a campaign on a simulated machine, before it uses node hours."""

import argparse
from pathlib import Path

from rich.console import Console

from isochron.cli.campaign import add_campaign, load_selected_campaign
from isochron.cli.common import Row, Verbs, add_rebuild, add_results, add_verb, print_rows
from isochron.cli.plan import print_plan
from isochron.common.exit_codes import Exit
from isochron.common.files import FileError
from isochron.common.terminal import Terminal, complain
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.machine import Machine
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.workflows.driving.run import RunOptions, drive, is_finished
from isochron.workflows.machine_file import known_machines, load_machine
from isochron.workflows.planning.design import with_decided_design
from isochron.workflows.planning.earlier import Spreads
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.planning.points import usable_cores
from isochron.workflows.rehearsal import GENERIC, QUICK, PointCost, real_cost, rehearsal_of, shaped, stand_in
from isochron.workflows.runs import continue_or_create, point_latest_to

EXAMPLE = """\
  isochron rehearse bxj --quick                             up to 1024 processes, minutes
  isochron rehearse my-campaign.yaml --machine dragonfly    on another machine"""


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "rehearse", EXAMPLE, call)
    add_campaign(verb)
    verb.add_argument("--quick", action="store_true", help=f"only points with at most {QUICK} processes")
    verb.add_argument(
        "--machine",
        metavar="M",
        help=f"machine to simulate: {', '.join(known_machines())}, or a file (default: the campaign's site.machine, "
        f"or else {GENERIC} with the nodes and cores of the site)",
    )
    verb.add_argument("--new", action="store_true", help="start a new rehearsal even if this plan has been rehearsed")
    add_rebuild(verb)
    verb.add_argument("-n", "--dry-run", action="store_true", help="print what would be simulated and stop")
    add_results(verb)


def call(arguments: argparse.Namespace) -> int:
    """Rehearse, and print what is skipped and the cost of the real campaign; exit with 4 beyond its budget."""
    campaign = with_decided_design(load_selected_campaign(arguments))
    if arguments.quick and min(campaign.processes) > QUICK:
        raise FileError(f"{arguments.campaign}: --quick: every process count is above {QUICK}; remove the option")
    machine = _machine(arguments, campaign)
    parallel = campaign.site.parallel_blocks if campaign.site.machine else usable_cores()
    rehearsal = rehearsal_of(campaign, machine, quick=arguments.quick, parallel=parallel)
    plan = make_plan(rehearsal)
    console = Terminal()
    if not arguments.quiet:
        _print_roles(campaign, rehearsal, machine, console)
    print_plan(rehearsal, plan, Spreads(), console, quiet=arguments.quiet, verbose=arguments.verbose)
    if arguments.dry_run:
        return Exit.DONE
    run = continue_or_create(arguments.results, rehearsal, plan, new=arguments.new)
    point_latest_to(run)
    if not is_finished(run, plan):
        outcome = drive(run, rehearsal, RunOptions(rebuild=arguments.rebuild), console, arguments.quiet)
        if outcome.state.state == "interrupted":
            console.print("interrupted; the same command continues from here")
            return Exit.INTERRUPTED
        if outcome.state.state != "complete":
            for problem in outcome.problems:
                complain(problem)
            return Exit.FAILED
    return _conclude(arguments, campaign, plan, run, console)


def _machine(arguments: argparse.Namespace, campaign: Campaign) -> Machine:
    if arguments.machine is not None:
        machine = load_machine(arguments.machine, Path.cwd())
    elif campaign.site.machine is not None:
        return campaign.site.machine
    else:
        machine = load_machine(GENERIC, Path.cwd())
    return shaped(machine, campaign.site)


def _print_roles(campaign: Campaign, rehearsal: Campaign, machine: Machine, console: Console) -> None:
    console.print(f"simulated machine: {machine.name}, {machine.nodes} nodes with {machine.cores} cores")
    for stack in campaign.stacks:
        instead = stand_in(campaign.declared(stack))
        if instead != stack:
            console.print(f"{stack} is simulated by {instead}")
    for count in campaign.processes:
        if count not in rehearsal.processes:
            console.print(f"skipped: {count} processes (--quick)")
    if campaign.all_contrasts:
        console.print(f"skipped: contrasts {', '.join(campaign.all_contrasts)} (not part of the results)")
    if campaign.tools:
        console.print(f"skipped: {', '.join(tool.name for tool in campaign.tools)} (their programs are not simulated)")
    if campaign.compare_clock_syncs:
        console.print(
            f"skipped: compare_clock_syncs {', '.join(campaign.compare_clock_syncs)} (not part of the results)"
        )
    if campaign.first_calls:
        console.print("skipped: first_calls (a simulator opens no connections)")
    for placement in campaign.placements:
        if placement not in rehearsal.placements:
            console.print(f"skipped: placement {placement} (its nodes are those of a real machine)")


def _conclude(arguments: argparse.Namespace, campaign: Campaign, plan: Plan, run: RunLayout, console: Console) -> int:
    costs = real_cost(campaign, plan, run)
    total = sum(cost.node_hours for cost in costs)
    if not arguments.quiet:
        console.print("\nwhat the real campaign will cost", style="bold")
        rows = _cost_rows(costs)
        print_rows(rows, list(rows[0]), "table", console)
    limit = campaign.limits.node_hours
    console.print(
        f"every point of the plan ran, {len(plan.launches)} launches; report: {run.report}\n"
        f"the real campaign needs about {total:.2f} node hours at these points"
        + ("" if limit is None else f"; limits.node_hours is {limit:g}")
    )
    if limit is not None and total > limit:
        complain(
            f"{arguments.campaign}: limits.node_hours = {limit:g} is too low; raise it, or plan fewer "
            "stacks, sizes, points or blocks"
        )
        return Exit.OVER_BUDGET
    return Exit.DONE


def _cost_rows(costs: list[PointCost]) -> list[Row]:
    return [
        {
            "stack": cost.stack,
            "point": cost.point.label,
            "launches": cost.launches,
            "seconds_each": round(cost.launch_seconds, 2),
            "not_simulated": cost.estimated_cases or None,
            "node_hours": round(cost.node_hours, 3),
        }
        for cost in costs
    ]
