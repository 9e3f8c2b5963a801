# SPDX-License-Identifier: BSD-3-Clause
"""`isochron plan`: the launches of a campaign and their cost."""

import argparse
import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from rich.console import Console

from isochron.cli.campaign import add_campaign, add_design, complain_about_site, load_selected_campaign
from isochron.cli.common import Row, Verbs, add_format, add_results, add_verb, print_rows
from isochron.common.exit_codes import Exit
from isochron.common.files import FileError
from isochron.common.terminal import Terminal, complain
from isochron.schemas.engine.contract import datatype_bytes, fits_datatype
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.plan import Plan, Point
from isochron.workflows.planning import power
from isochron.workflows.planning.design import format_design, with_decided_design
from isochron.workflows.planning.earlier import Spreads, earlier_durations, earlier_spreads
from isochron.workflows.planning.estimate import analysis_seconds, building_seconds
from isochron.workflows.planning.one_job import format_one_job
from isochron.workflows.planning.plan import make_plan, over_budget
from isochron.workflows.planning.question import question_pairs

EXAMPLE = """\
  isochron plan demo
  isochron plan demo --format csv > plan.csv    one row per launch
  isochron plan --from-profile solver.profile.json    write and plan a campaign that covers a program
  isochron plan site.yaml --from-profile a.profile.json b.profile.json    with stacks, nodes … of site.yaml"""

#: Whose stacks, site and repetition a campaign has that is made of profiles, where none is named.
USUAL = "demo"


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "plan", EXAMPLE, call)
    add_campaign(verb, optional=True)
    verb.add_argument(
        "--from-profile",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="write a campaign that covers the MPI calls in these profiles; stacks, site and repetition are taken from "
        f"CAMPAIGN (default: {USUAL})",
    )
    verb.add_argument(
        "--output", type=Path, metavar="FILE", help="file that --from-profile writes (default: the program's name)"
    )
    add_design(verb)
    verb.add_argument(
        "--strict", action="store_true", help="fail if a process count of the campaign is measured with no stack"
    )
    add_results(verb)
    add_format(verb)


def call(arguments: argparse.Namespace) -> int:
    """Plan and print; exit with 4 if the plan exceeds the campaign's budget, with 1 if `run` would refuse it here.

    With `--strict` exit with 1, too, if the plan leaves out a process count.
    """
    if arguments.from_profile is not None:
        _write_from_profiles(arguments)
    elif arguments.campaign is None:
        raise FileError("plan: CAMPAIGN is missing; name one, or give --from-profile FILE")
    elif arguments.output is not None:
        raise FileError("--output: only valid with --from-profile; remove it")
    campaign = with_decided_design(load_selected_campaign(arguments))
    plan = make_plan(campaign, earlier_durations(arguments.results, campaign.name))
    console = Terminal(folds=True)
    if arguments.format == "table":
        spreads = earlier_spreads(arguments.results, campaign.name, question_pairs(campaign).pairs)
        print_plan(campaign, plan, spreads, console, quiet=arguments.quiet, verbose=arguments.verbose)
    else:
        print_rows(_launch_rows(plan.worst_case), list(_launch_rows(plan)[0]), arguments.format, console)
    problem = over_budget(campaign, plan)
    if problem:
        complain(f"{arguments.campaign}: {problem}")
        return Exit.OVER_BUDGET
    refused = complain_about_site(campaign)
    lacking = left_out(campaign, plan) if arguments.strict else []
    if lacking:
        complain(f"--strict: {arguments.campaign}: processes: {'; '.join(lacking)}")
    return Exit.FAILED if lacking else refused


def left_out(campaign: Campaign, plan: Plan) -> list[str]:
    """Say of each process count of the campaign that no launch of the plan has that it is not measured, and why."""
    measured = {point.processes for point in plan.points}
    lines = []
    for count in campaign.processes:
        reasons = dict.fromkeys(item.reason for item in plan.skipped if item.point.processes == count)
        if count not in measured:
            lines.append(f"{count} is not measured: {'; '.join(reasons)}")
    return lines


def _write_from_profiles(arguments: argparse.Namespace) -> None:
    """Write a campaign from profiles, and use it as the campaign of this call."""
    from isochron.workflows.profiling.campaign import left_lines, write_campaign

    arguments.campaign = arguments.campaign or USUAL
    file, designed, missing = write_campaign(
        load_selected_campaign(arguments), arguments.from_profile, arguments.output
    )
    arguments.campaign, arguments.stacks, arguments.blocks = str(file), None, None
    if arguments.format != "table":
        return
    console, (used, every) = Terminal(folds=True), designed.used
    console.print(f"{file}: {used} of its {every} cases are MPI calls of the programs")
    for line in [] if arguments.quiet else left_lines(designed):
        console.print(f"not measured: {line}", soft_wrap=True)
    if missing:
        complain(missing)
    console.print()


def print_plan(
    campaign: Campaign, plan: Plan, spreads: Spreads, console: Console, *, quiet: bool, verbose: bool
) -> None:
    """Print the plan as text: process counts it leaves out, totals, points, what is skipped.

    Of a sequential campaign the worst case.
    """
    likely, plan = power.format_expected_cost(campaign, plan), plan.worst_case
    rows = len(campaign.chosen)
    for line in left_out(campaign, plan):
        console.print(f"processes: {line}", style="bold", soft_wrap=True)
    console.print(campaign.heading, style="bold", end="  ")
    console.print(f"(campaign {campaign.name}, plan {plan.digest})")
    console.print(
        f"{len(plan.points)} point{'s' if len(plan.points) > 1 else ''}, {len(plan.blocks)} blocks, "
        f"{len(plan.launches)} launches, "
        f"{rows} operations × sizes {'at each point' if campaign.sizes_by_operation else 'in each launch'}"
        f"{_programs(plan)}"
    )
    console.print(f"estimated {_clock(plan.seconds)} one block after another, {_cost(campaign, plan)}")
    stacks = len({launch.stack for launch in plan.launches})
    console.print(
        f"plus at most {_clock(building_seconds(stacks))} to build (0 if the engines are cached) and "
        f"about {_clock(analysis_seconds(len(plan.launches), rows))} for the report"
    )
    one_job = format_one_job(campaign, plan, os.environ)
    lines = (format_design(campaign, plan), one_job, likely, *power.format_sensitivity(campaign, plan, spreads))
    for line in (*_omitted_sizes(campaign), *lines):
        if line:
            console.print(line)
    console.print()
    if quiet:
        return
    print_rows(_point_rows(plan), list(_point_rows(plan)[0]), "table", console)
    if plan.skipped:
        console.print("\nskipped", style="bold")
        skipped: list[Row] = [
            {"stack": item.stack, "point": item.point.label, "what": item.label, "reason": item.reason}
            for item in plan.skipped
        ]
        print_rows(skipped, ["stack", "point", "what", "reason"], "table", console)
    if verbose:
        console.print("\nblocks", style="bold")
        print_rows(_block_rows(plan), list(_block_rows(plan)[0]), "table", console)


def _omitted_sizes(campaign: Campaign) -> Iterator[str]:
    """Format the sizes at which operations with a datatype are not measured."""
    for name in campaign.operations:
        omitted = [size for size in campaign.sizes if not fits_datatype(name, size)]
        if omitted:
            sizes = ", ".join(map(str, omitted))
            yield f"{name}: not measured at {sizes} bytes, which are not multiples of {datatype_bytes(name)}"


def _programs(plan: Plan) -> str:
    """Format the number of launches that run programs, if any do."""
    runs = [launch.program.label for launch in plan.launches if launch.program is not None]
    return f"; {len(runs)} of the launches run programs: {', '.join(dict.fromkeys(runs))}" if runs else ""


def _clock(seconds: float) -> timedelta:
    return timedelta(seconds=round(seconds))


def _cost(campaign: Campaign, plan: Plan) -> str:
    machine, limit = campaign.site.machine, campaign.limits.node_hours
    if machine is not None:
        return f"on this machine: {machine.name} is simulated"
    budget = f" of {limit:g}" if limit is not None else ""
    return f"{plan.node_hours:.3f}{budget} node hours"


def _point_rows(plan: Plan) -> list[Row]:
    stacks: dict[Point, list[str]] = {point: [] for point in plan.points}
    for launch in plan.launches:
        if launch.program is None:
            stacks[launch.point].append(launch.stack)
    return [
        {
            "processes": point.processes,
            "processes_per_node": point.processes_per_node,
            "nodes": point.nodes,
            "placement": point.placement,
            "stacks": ", ".join(sorted(set(stacks[point]))),
            "launches": len(stacks[point]),
        }
        for point in plan.points
    ]


def _block_rows(plan: Plan) -> list[Row]:
    return [
        {
            "block": block.name,
            "nodes": block.nodes,
            "launches": len(block.launches),
            "seconds": round(block.seconds, 1),
            "node_hours": round(block.node_hours, 4),
            "order": ", ".join(
                " ".join(filter(None, (launch.stack, launch.point.label, launch.contrast))) for launch in block.launches
            ),
        }
        for block in plan.blocks
    ]


def _launch_rows(plan: Plan) -> list[Row]:
    return [
        {
            "block": block.name,
            "launch": launch.name,
            "stack": launch.stack,
            "processes": launch.point.processes,
            "processes_per_node": launch.point.processes_per_node,
            "nodes": block.nodes,
            "placement": launch.point.placement,
            "contrast": launch.contrast,
            "program": launch.program.label if launch.program is not None else "",
            "seconds": launch.seconds,
        }
        for block in plan.blocks
        for launch in block.launches
    ]
