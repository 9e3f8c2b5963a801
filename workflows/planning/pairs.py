# SPDX-License-Identifier: BSD-3-Clause
"""Pairs that cannot work: a library whose ranks a launcher cannot connect, a launcher under another's scheduler."""

from __future__ import annotations

from isochron.schemas.input.campaign import Campaign
from isochron.schemas.launcher_kind import LauncherKind, launcher_kinds, site_launchers
from isochron.spack_envs.declarations import declaration_in
from isochron.spack_envs.families import load_family
from isochron.workflows.planning.partition import partition_launchers, partition_schedulers


def launcher_problem(campaign: Campaign) -> str:
    """Return why a stack of the campaign cannot be launched at its site, with a remedy; empty if all can.

    Raises FileError.
    """
    site = campaign.site
    if site.machine is not None or (site.reframe_config is None and site.launcher == "partition"):
        return ""
    names = partition_launchers(site) if site.launcher == "partition" else [site.launcher]
    schedulers = partition_schedulers(site)
    problems = (_problem(campaign, stack, name, schedulers) for stack in campaign.stacks for name in names)
    return next(filter(None, problems), "")


def _problem(campaign: Campaign, stack: str, launcher: str, schedulers: list[str]) -> str:
    """Return why a stack cannot be started by a launcher of the site, or then by its own; empty if it can."""
    declaration = declaration_in(campaign, stack)
    pmi, kinds, starter = declaration.launcher.pmi, launcher_kinds(), launcher
    of_library = load_family(declaration.family).kind_in(declaration.version) if declaration.family else ""
    suitable = _suitable(pmi, of_library, schedulers)
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
        return ""
    return (
        f"site.launcher: {stack} would be started by {starter}, which works under "
        f"{', '.join(kinds[starter].schedulers)}, and the scheduler is {scheduler}; {remedy}"
    )


def _suitable(pmi: str | None, of_library: str, schedulers: list[str]) -> str:
    """Return the launchers that could start such a library; if the schedulers are not known, its own. Empty: none."""

    def works(kind: LauncherKind) -> bool:
        return all(map(kind.works_under, schedulers))

    names = [name for name, kind in site_launchers().items() if schedulers and pmi in kind.pmi and works(kind)]
    return " or ".join([*names, *(["stack"] if not of_library or works(launcher_kinds()[of_library]) else [])])
