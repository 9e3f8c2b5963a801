# SPDX-License-Identifier: BSD-3-Clause
"""What cannot work at a site: a library whose ranks a launcher cannot connect, a launcher under another's scheduler,
nodes that a scheduler cannot be asked for, ranks that a launcher cannot place.
"""

from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.placement import PACKED, SCANNED
from isochron.schemas.input.spec import image_of
from isochron.schemas.launcher_kind import LauncherKind, launcher_kinds, site_launchers
from isochron.schemas.scheduler_kind import scheduler_of
from isochron.spack_envs.declarations import declaration_in
from isochron.spack_envs.families import load_family
from isochron.workflows.planning.partition import (
    partition_launchers,
    partition_problem,
    partition_requests,
    partition_schedulers,
)


def site_problem(campaign: Campaign) -> str:
    """Return why the campaign cannot be measured at its site, with a remedy; empty if it can.

    Raises FileError.
    """
    site = campaign.site
    unusable = partition_problem(site)
    if unusable:
        return unusable
    problem = next(filter(None, (_problem_of_image(campaign, stack) for stack in campaign.stacks)), "")
    if problem:
        return problem
    if site.machine is not None or (site.reframe_config is None and site.launcher == "partition"):
        return ""
    names = partition_launchers(site) if site.launcher == "partition" else [site.launcher]
    schedulers = partition_schedulers(site)
    problems = [
        *(_scheduler_problem(campaign, name) for name in schedulers),
        *(_placement_problem(campaign, name) for name in names),
        *(_problem(campaign, stack, name, schedulers) for stack in campaign.stacks for name in names),
    ]
    return next(filter(None, problems), "")


def _problem_of_image(campaign: Campaign, stack: str) -> str:
    """Return why a stack that is in an image cannot be measured as planned; empty if it can, or is in none."""
    named, site = image_of(campaign.declared(stack)), campaign.site
    if named is None:
        return ""
    if any(stack in (tool.stacks or campaign.stacks) for tool in campaign.tools):
        return f"tools: {stack} is in an image, in which only the engine is run; name other stacks in `tools.stacks`"
    if campaign.npb is not None:
        return f"programs.npb: {stack} is in an image, in which only the engine is run; remove the key or the stack"
    pmi, kinds = declaration_in(campaign, stack).launcher.pmi, site_launchers()
    names = [] if site.reframe_config is None else [site.launcher]
    names = partition_launchers(site) if names == ["partition"] else names
    if site.nodes == 1 or (names and all(name in kinds and pmi in kinds[name].pmi for name in names)):
        return ""
    if pmi is None:
        return (
            f"site.nodes: {stack}: {named.runtime} does not start the ranks of other launchers, and the launcher in "
            "the image reaches no other node; use one node, or another runtime"
        )
    starters = [name for name, kind in kinds.items() if pmi in kind.pmi]
    return (
        f"site.launcher: {stack} is in an image, whose own launcher reaches no other node; use a launcher of the site "
        f"({' or '.join(starters)}), or one node"
    )


def _scheduler_problem(campaign: Campaign, back_end: str) -> str:
    """Return why the jobs of a scheduler cannot be those of the campaign; empty if they can."""
    kind = scheduler_of(back_end)
    if kind is None:
        return ""
    if kind.unsuitable:
        words = kind.unsuitable.replace("{nodes}", str(campaign.site.nodes))
        return f"site.reframe_config: the scheduler is {back_end}: {words}"
    for partition, options in partition_requests(campaign.site).items() if kind.slots else []:
        if not any(option.startswith(kind.slots or "") for option in options):
            return (
                f"site.reframe_config: nothing in the partition {partition} asks {back_end} for slots, so a job would "
                f"get one; write `'access': ['{kind.slots}NAME {{cores}}']` in it, with the site's NAME for MPI"
            )
    used = [SCANNED] if campaign.scan else campaign.placements
    named = next((name for name in used if name in campaign.node_lists), None)
    if named is None or kind.named_hosts:
        return ""
    return (
        f"node_lists.{named}: the scheduler {back_end} is not asked for nodes by name; call isochron, with a partition "
        "whose scheduler is `local`, within a job that has these nodes, or remove the list"
    )


def _placement_problem(campaign: Campaign, launcher: str) -> str:
    """Return why a launcher of the site cannot place the ranks; empty if it can, or the launchers of the stacks do."""
    kind = site_launchers().get(launcher)
    if kind is None or kind.placed is not None or not (kind.alone or campaign.site.launcher == launcher):
        return ""
    where = "scan" if campaign.scan else "placements"
    if where == "placements" and set(campaign.placements) <= {PACKED}:
        return ""
    remedy = "" if kind.alone else ", or write `site.launcher: stack`"
    return f"{where}: {launcher} cannot place ranks on given nodes; remove the key{remedy}"


def _problem(campaign: Campaign, stack: str, launcher: str, schedulers: list[str]) -> str:
    """Return why a stack cannot be started by a launcher of the site, or then by its own; empty if it can."""
    declaration = declaration_in(campaign, stack)
    pmi, kinds, starter = declaration.launcher.pmi, launcher_kinds(), launcher
    of_library = load_family(declaration.family).kind_in(declaration.version) if declaration.family else ""
    suitable = _suitable(pmi, of_library, launcher, schedulers)
    remedy = f"{f'write `site.launcher: {suitable}`' if suitable else 'use another partition'}, or remove the stack"
    if launcher not in site_launchers() or pmi not in kinds[launcher].pmi:
        if launcher in kinds and campaign.site.launcher == launcher:
            interface = f"its ranks connect by {pmi}" if pmi else "its family names no launcher.pmi"
            return (
                f"site.launcher: {launcher} cannot start {stack}: {interface}, and {launcher} provides "
                f"{', '.join(kinds[launcher].pmi)}; {remedy}"
            )
        if not of_library:
            return ""
        starter = of_library
    scheduler = next((name for name in schedulers if not kinds[starter].works_under(name)), None)
    if scheduler is None:
        if starter != launcher and launcher in site_launchers() and kinds[launcher].alone:
            return (
                f"site.launcher: {stack} would be started by {starter}, which starts nothing on the nodes of the jobs: "
                f"{launcher} alone does; use another partition, or remove the stack"
            )
        return ""
    return (
        f"site.launcher: {stack} would be started by {starter}, which works under "
        f"{', '.join(kinds[starter].schedulers)}, and the scheduler is {scheduler}; {remedy}"
    )


def _suitable(pmi: str | None, of_library: str, launcher: str, schedulers: list[str]) -> str:
    """Return the launchers that could start such a library; empty: none.

    Where the site has a launcher for its scheduler, or the scheduler is not known, only that of the library: a site has
    one such launcher.
    """

    def works(kind: LauncherKind) -> bool:
        return all(map(kind.works_under, schedulers))

    of_stack = ["stack"] if not of_library or works(launcher_kinds()[of_library]) else []
    of_site = site_launchers()
    if not schedulers or (launcher in of_site and works(of_site[launcher])):
        return " or ".join(of_stack)
    return " or ".join([*(name for name, kind in of_site.items() if pmi in kind.pmi and works(kind)), *of_stack])
