# SPDX-License-Identifier: BSD-3-Clause
"""The order of the launches of a block: in turns if that is possible, else in random order."""

from dataclasses import replace

from isochron.common.detectable import Design
from isochron.common.files import FileError
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.session_memory import node_bytes, session_bytes
from isochron.schemas.input.turns import PASSES, SESSIONS, Obstacle, obstacle_to_turns, turn_passes
from isochron.schemas.launcher_kind import site_launchers
from isochron.schemas.run.plan import Plan, Point
from isochron.spack_envs.declarations import declaration_in
from isochron.workflows.planning.partition import partition_launchers
from isochron.workflows.planning.points import cores_of, sort_out
from isochron.workflows.planning.question import question_pairs


def with_decided_design(campaign: Campaign) -> Campaign:
    """Return the campaign with `turns` or `random` instead of `auto`, and with the defaults of turns.

    Raises FileError if the campaign requests turns and its points or its launcher exclude them.
    """
    design = campaign.replication.design
    if design == "random":
        return campaign
    obstacle = find_obstacle(campaign)
    if obstacle is not None and design == "turns":
        raise FileError(f"campaign {campaign.name}: replication.design: {obstacle.reason}; {obstacle.remedy}")
    if design == "auto":
        obstacle = obstacle or _obstacle_of_blocks(campaign)
    changes: dict[str, object] = {"design": "turns" if obstacle is None else "random"}
    engine = campaign.engine
    if obstacle is None:
        if "launches_per_block" not in campaign.replication.model_fields_set:
            changes["launches_per_block"] = SESSIONS
        if "passes" not in engine.model_fields_set:
            engine = engine.model_copy(update={"passes": PASSES})
    replication = campaign.replication.model_copy(update=changes)
    return campaign.model_copy(update={"replication": replication, "engine": engine})


def find_obstacle(campaign: Campaign) -> Obstacle | None:
    """Return why the launches of a campaign cannot measure in turns; None if they can at a point at least."""
    return obstacle_to_turns(campaign) or _obstacle_of_points(campaign) or _obstacle_of_launchers(campaign)


def _obstacle_of_points(campaign: Campaign) -> Obstacle | None:
    """Return the obstacle that no point has two stacks, or that those of a point need more memory than a node has."""
    stacks = [declaration_in(campaign, stack) for stack in campaign.stacks]
    running, _ = sort_out(campaign, stacks, cores_of(campaign))
    sessions = {point: names for point, names in running.items() if len(names) > 1}
    if running and not sessions:
        return Obstacle(
            "there is no point at which two stacks run", "remove `turns`, or see what `isochron plan` skips"
        )
    available = node_bytes(campaign)
    for point, names in sessions.items():
        needed = _session_bytes(campaign, point, len(names))
        if available is not None and needed > available:
            return Obstacle(
                f"all stacks together need about {_gib(needed)} of memory per node at {point.label}, and a node has "
                f"{_gib(available)}",
                "plan fewer stacks, processes_per_node or smaller sizes, or remove `turns`",
            )
    return None


def _obstacle_of_blocks(campaign: Campaign) -> Obstacle | None:
    """Return the obstacle that only random order can establish a difference, or stop early, with these few blocks.

    In turns the block is the unit, whatever the number of its launches. Explicit `turns` are permitted all the same,
    if they need not stop early.
    """
    replication, analysis = campaign.replication, campaign.analysis
    blocks, pairs = replication.blocks, max(1, len(question_pairs(campaign).pairs))
    in_turns = campaign.model_copy(update={"replication": replication.model_copy(update={"design": "turns"})})
    if replication.sequential and not in_turns.interim_blocks:
        return Obstacle(f"{blocks} blocks are too few to stop early in turns", "raise replication.blocks")
    design = Design(
        blocks, replication.launches_per_block, pairs, 1, analysis.threshold, analysis.confidence, in_turns=True
    )
    if design.can_establish or not replace(design, in_turns=False).can_establish:
        return None
    return Obstacle(f"{blocks} blocks are too few to establish a difference in turns", "raise replication.blocks")


def _session_bytes(campaign: Campaign, point: Point, stacks: int) -> int:
    return session_bytes(campaign, point.processes, point.processes_per_node, stacks + 1)  # the standard candle


def _gib(size: int) -> str:
    return f"{size / 2**30:.1f} GiB"


def _obstacle_of_launchers(campaign: Campaign) -> Obstacle | None:
    """Return the obstacle of a site's launcher. It starts the stacks that have `launcher.pmi`."""
    site = campaign.site
    if site.launcher == "stack" or (site.reframe_config is None and site.launcher == "partition"):
        return None
    remedy = "write `site.launcher: stack` if each stack's own mpiexec can start launches there, or remove `turns`"
    names = partition_launchers(site) if site.launcher == "partition" else [site.launcher]
    if not names:
        return Obstacle(f"ReFrame does not report the launcher of {site.reframe_config}", remedy)
    starts_stacks = any(declaration_in(campaign, stack).launcher.pmi is not None for stack in campaign.stacks)
    kinds = site_launchers()
    for name in names:
        if starts_stacks and name in kinds and kinds[name].concurrent is None:
            return Obstacle(f"the launcher {name} cannot run several launches on the same cores", remedy)
    return None


def format_design(campaign: Campaign, plan: Plan) -> str:
    """Format the design of a plan in a line, with the reason for random order; empty if launches are simulated."""
    if campaign.site.machine is not None:
        return ""
    if campaign.replication.design != "turns":
        obstacle = find_obstacle(campaign) or _obstacle_of_blocks(campaign)
        reason = "replication.design: random" if obstacle is None else obstacle.reason
        return f"in random order: {reason}"
    results = [launch for launch in plan.launches if launch.of_results]
    alone = list(dict.fromkeys(launch.point.label for launch in results if not launch.session))
    exception = f"; in random order at {', '.join(alone)}, where one stack runs" if alone else ""
    available = node_bytes(campaign)
    memory = max(_session_bytes(campaign, point, names) for point, names in _session_sizes(plan).items())
    of_node = "" if available is None else f" of {_gib(available)}"
    rounds = campaign.engine.passes // turn_passes(campaign.engine.passes)
    return f"in turns, {rounds} rounds in a session, about {_gib(memory)}{of_node} of memory per node{exception}"


def _session_sizes(plan: Plan) -> dict[Point, int]:
    """Return the number of stacks in the sessions of each point that has any."""
    stacks: dict[Point, set[str]] = {}
    for launch in plan.launches:
        if launch.session:
            stacks.setdefault(launch.point, set()).add(launch.stack)
    return {point: len(names) for point, names in stacks.items()}
