# SPDX-License-Identifier: BSD-3-Clause
"""The plan of a campaign. It is deterministic: the same campaign gives the same blocks in the same order."""

import hashlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from isochron.common.files import FileError
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.plan import Block, Plan, PlannedLaunch, Point, Skipped, launch_name
from isochron.spack_envs.declarations import declaration_in, load_declaration
from isochron.spack_envs.stack_source import spack_for
from isochron.workflows.planning.estimate import Durations
from isochron.workflows.planning.parts import Part, first_calls, further_syncs, parts_of
from isochron.workflows.planning.points import Allocation, allocations, cores_of, hosts_of, sort_out
from isochron.workflows.planning.programs import Runnable, programs_of

#: Maximum number of launches of a plan.
MAX_LAUNCHES = 1_000_000

#: Number of reasons in the message if no launch can run.
REASONS = 3


def digest(campaign: Campaign) -> str:
    """Return the hash of every key that decides about the measurement: 16 hexadecimal digits."""
    return hashlib.sha256(json.dumps(campaign.measuring, sort_keys=True).encode()).hexdigest()[:16]


def make_plan(campaign: Campaign, measured: Durations | None = None) -> Plan:
    """Return the plan with every launch of the campaign. Raises FileError if no launch can run."""
    cores = cores_of(campaign)
    stacks = {stack: declaration_in(campaign, stack) for stack in campaign.stacks}
    running, skipped = sort_out(campaign, list(stacks.values()), cores)
    if not running:
        raise FileError(f"campaign {campaign.name}: no launch can run here: {_format_reasons(skipped)}")
    if campaign.site.parallel_blocks > 1 and campaign.site.reframe_config is None and not campaign.site.machine:
        raise FileError(
            f"campaign {campaign.name}: site.parallel_blocks: blocks on this one machine would disturb each other; "
            "use 1, or give a site.reframe_config with a scheduler"
        )
    parts, once = {}, {}
    by_spack = _built_by_spack(campaign) if campaign.tools else set()
    for point, names in running.items():
        for stack in names:
            parts[stack, point], not_measured = parts_of(
                campaign, stacks[stack], point, measured or {}, by_spack=stack in by_spack
            )
            once[stack, point], not_compared = further_syncs(campaign, stacks[stack], point)
            once[stack, point] += first_calls(campaign, stacks[stack], point)
            skipped += not_measured + not_compared
    programs, not_run = programs_of(campaign, stacks.values(), cores, measured or {})
    skipped += not_run
    _check_number(campaign, sum(map(len, parts.values())), sum(map(len, programs.values())))
    blocks = _blocks(campaign, Work(running, parts, once, programs))
    return Plan(
        campaign=campaign.name,
        digest=digest(campaign),
        cores_per_node=cores,
        points=list(running),
        blocks=[block for block in blocks if block.stage == 0],
        skipped=skipped,
        later=[block for block in blocks if block.stage],
    )


def _built_by_spack(campaign: Campaign) -> set[str]:
    """Return the stacks that Spack builds. Raises FileError."""
    declared = {stack: load_declaration(campaign.declared(stack)) for stack in campaign.stacks}
    return {stack for stack, declaration in declared.items() if spack_for(campaign, declaration) is not None}


def _format_reasons(skipped: list[Skipped]) -> str:
    """Format the reasons for skipped points, the most frequent first, with their stacks."""
    about: dict[str, list[str]] = {}
    for item in skipped:
        about.setdefault(item.reason, []).append(item.stack)
    ranked = sorted(about.items(), key=lambda entry: -len(entry[1]))
    texts = [f"{reason} ({', '.join(dict.fromkeys(stacks))})" for reason, stacks in ranked[:REASONS]]
    return " | ".join([*texts, f"and {len(ranked) - REASONS} other reasons"] if len(ranked) > REASONS else texts)


def _check_number(campaign: Campaign, parts: int, programs: int) -> None:
    """Raise FileError if the plan would exceed MAX_LAUNCHES."""
    per_block = parts * campaign.replication.launches_per_block
    per_block += programs * campaign.npb.launches_per_block if campaign.npb is not None else 0
    launches = per_block * campaign.replication.blocks
    if launches > MAX_LAUNCHES:
        raise FileError(
            f"campaign {campaign.name}: replication: {launches} launches exceed the limit of {MAX_LAUNCHES}; "
            "lower replication.blocks, or plan fewer points or stacks"
        )


@dataclass(frozen=True)
class Work:
    """The work at each point: the stacks that run, their parts, parts for the first block (`once`), and programs."""

    running: Mapping[Point, list[str]]
    parts: Mapping[tuple[str, Point], list[Part]]
    once: Mapping[tuple[str, Point], list[Part]]
    programs: Mapping[Point, list[Runnable]]


def _blocks(campaign: Campaign, work: Work) -> list[Block]:
    """Build all blocks, one replication after another, so that an interrupted campaign has launches of everything."""
    groups = allocations(campaign, dict.fromkeys([*work.running, *work.programs]))
    blocks: list[Block] = []
    for replicate in range(1, campaign.replication.blocks + 1):
        for group in groups:
            index = len(blocks) + 1
            chance = random.Random(f"{campaign.seed}:{replicate}:{group.nodes}")
            launches = in_random_order(_launches(campaign, work, group, index, replicate), chance)
            attributes = {"name": f"b{index:03d}", "index": index, "nodes": group.nodes, "hosts": group.hosts}
            stage = sum(replicate > blocks_before for blocks_before in campaign.interim_blocks)
            blocks.append(Block.model_validate(attributes | {"launches": launches, "stage": stage}))
    return blocks


def _launches(campaign: Campaign, work: Work, group: Allocation, index: int, replicate: int) -> list[PlannedLaunch]:
    """Return the launches of a block, the `replicate`th of its node count."""
    of_programs = campaign.npb.launches_per_block if campaign.npb is not None else 0
    launches: list[PlannedLaunch] = []
    for point in group.points:
        hosts = hosts_of(campaign, point, group, index)
        stacks = work.running.get(point, [])
        together = in_turns(campaign, [work.parts[stack, point] for stack in stacks])
        for stack in stacks:
            parts = work.parts[stack, point] * campaign.replication.launches_per_block
            parts += work.once[stack, point] if replicate == 1 else []
            for number, part in enumerate(parts, start=1):
                launch = _launch(stack, point, index, number, part, hosts)
                if together and part.of_results:
                    solo = campaign.replication.solo_rounds > 0 and stack == stacks[(replicate + number) % len(stacks)]
                    launch = launch.model_copy(update={"session": f"{point.label}.{number}", "solo": solo})
                launches.append(launch)
        launches += [
            _program(runnable, point, index, number, hosts)
            for number in range(1, of_programs + 1)
            for runnable in work.programs.get(point, [])
        ]
    return launches


def over_budget(campaign: Campaign, plan: Plan) -> str | None:
    """Return the message for a plan beyond its budget, or None. A simulated machine uses no node hours."""
    limit = campaign.limits.node_hours
    if limit is None or campaign.site.machine is not None or plan.node_hours <= limit:
        return None
    return (
        f"the plan needs about {plan.node_hours:.2f} node hours, more than limits.node_hours = {limit:g}; "
        "raise the limit, or plan fewer stacks, sizes, points or blocks"
    )


def in_turns(campaign: Campaign, parts: Sequence[Sequence[Part]]) -> bool:
    """Return whether the stacks at a point measure their results in turns. `parts`: those of each stack.

    Stacks take turns case by case, so they must have the same cases.
    """
    cases = [[(part.operations, part.sizes) for part in of_stack if part.of_results] for of_stack in parts]
    return campaign.replication.design == "turns" and len(cases) > 1 and all(of_stack == cases[0] for of_stack in cases)


def _launch(stack: str, point: Point, block: int, launch: int, part: Part, hosts: list[str]) -> PlannedLaunch:
    return PlannedLaunch(
        name=launch_name(stack, point, block, launch, part.tool),
        stack=stack,
        point=point,
        block=block,
        launch=launch,
        seconds=part.seconds,
        operations=part.operations,
        sizes=part.sizes,
        contrast=part.contrast,
        clock_sync=part.clock_sync,
        first_call=part.first_call,
        tool=part.tool,
        hosts=hosts,
    )


def _program(runnable: Runnable, point: Point, block: int, launch: int, hosts: list[str]) -> PlannedLaunch:
    return PlannedLaunch(
        name=launch_name(runnable.stack, point, block, launch, program=runnable.program),
        stack=runnable.stack,
        point=point,
        block=block,
        launch=launch,
        seconds=runnable.seconds,
        program=runnable.program,
        hosts=hosts,
    )


def in_random_order(launches: list[PlannedLaunch], chance: random.Random) -> list[PlannedLaunch]:
    """Return the launches of a block in random order, each order with the same probability, sessions together.

    The comparison exchanges the names of the launches of two stacks within the block in all ways: every order that it
    counts must be one that could have been drawn, or what places in a block differ in would look like the stacks.
    """
    groups: dict[str, list[PlannedLaunch]] = {}
    for launch in launches:
        groups.setdefault(launch.session or launch.name, []).append(launch)
    return [
        launch
        for group in chance.sample(list(groups.values()), len(groups))
        for launch in chance.sample(group, len(group))
    ]
