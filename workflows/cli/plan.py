# SPDX-License-Identifier: BSD-3-Clause
"""`isochron plan`: what a campaign will do and cost."""

from __future__ import annotations

import argparse
import sys
from datetime import timedelta
from pathlib import Path

from rich.console import Console

from workflows.campaign_file import load_campaign
from workflows.cli.common import (
    EXIT_DONE,
    EXIT_OVER_BUDGET,
    Row,
    Verbs,
    add_format,
    add_results,
    add_verb,
    print_rows,
)
from workflows.planning.measured import earlier_durations
from workflows.planning.plan import make_plan, over_budget
from workflows.schemas.campaign import Campaign
from workflows.schemas.operations import cases
from workflows.schemas.plan import Plan, Point

EXAMPLE = """\
  isochron plan workflows/campaigns/demo.yaml
  isochron plan workflows/campaigns/demo.yaml --format csv > plan.csv    one row a launch"""


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "plan", "print points, blocks, launches, time and node hours of a campaign", EXAMPLE, call)
    verb.add_argument("campaign", type=Path, metavar="CAMPAIGN.yaml", help="campaign file")
    add_results(verb)
    add_format(verb)


def call(arguments: argparse.Namespace) -> int:
    """Plan and print; exit 4 where the plan is beyond the campaign's budget."""
    campaign = load_campaign(arguments.campaign)
    plan = make_plan(campaign, earlier_durations(arguments.results, campaign.name))
    console = Console(highlight=False)
    if arguments.format == "table":
        print_plan(campaign, plan, console, arguments.quiet, arguments.verbose)
    else:
        print_rows(_launch_rows(plan), list(_launch_rows(plan)[0]), arguments.format, console)
    problem = over_budget(campaign, plan)
    if problem:
        print(f"isochron: {arguments.campaign}: {problem}", file=sys.stderr)
        return EXIT_OVER_BUDGET
    return EXIT_DONE


def print_plan(campaign: Campaign, plan: Plan, console: Console, quiet: bool, verbose: bool) -> None:
    """The plan for people: totals, then points, then what is left out."""
    rows = len(cases(campaign.operations, campaign.sizes))
    limit = campaign.limits.node_hours
    console.print(f"[bold]{campaign.heading}[/bold]  (campaign {campaign.name}, plan {plan.digest})")
    console.print(
        f"{len(plan.points)} points, {len(plan.blocks)} blocks, {len(plan.launches)} launches, "
        f"{rows} operations × sizes in each launch"
    )
    budget = f" of {limit:g}" if limit is not None else ""
    console.print(
        f"estimated {timedelta(seconds=round(plan.seconds))} one block after another, "
        f"{plan.node_hours:.3f}{budget} node hours\n"
    )
    if quiet:
        return
    print_rows(_point_rows(plan), list(_point_rows(plan)[0]), "table", console)
    if plan.skipped:
        console.print("\n[bold]left out[/bold]")
        skipped: list[Row] = [
            {"stack": item.stack, "point": item.point.label, "reason": item.reason} for item in plan.skipped
        ]
        print_rows(skipped, ["stack", "point", "reason"], "table", console)
    if verbose:
        console.print("\n[bold]blocks[/bold]")
        print_rows(_block_rows(plan), list(_block_rows(plan)[0]), "table", console)


def _point_rows(plan: Plan) -> list[Row]:
    stacks: dict[Point, list[str]] = {point: [] for point in plan.points}
    for launch in plan.launches:
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
            "order": ", ".join(f"{launch.stack} {launch.point.label}" for launch in block.launches),
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
            "seconds": launch.seconds,
        }
        for block in plan.blocks
        for launch in block.launches
    ]
