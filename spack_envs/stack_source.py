# SPDX-License-Identifier: BSD-3-Clause
"""The source of a campaign's stacks: Spack or PyPI wheels; of some their own: a folder, a module, a simulator."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from isochron.common.files import FileError, read_text
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.spec import is_installed_elsewhere, parse_spec
from isochron.schemas.run.manifest import StackDeclaration
from isochron.spack_envs import installed
from isochron.spack_envs.declarations import load_declaration, wheels_lock
from isochron.spack_envs.families import load_family
from isochron.spack_envs.spack_stack import OLDEST, Spack, find_spack
from isochron.spack_envs.wheel_index import lock_file


def spack_of(campaign: Campaign, base: Mapping[str, str] = os.environ) -> Spack | None:
    """Return the Spack that provides the campaign's stacks, or None if wheels do. Raises FileError."""
    if campaign.stack_source == "wheels" or campaign.site.machine is not None:
        return None
    configured = campaign.site.spack.command
    if campaign.stack_source == "auto":
        spack = find_spack(configured, base)
        return spack if spack is not None and spack.is_new_enough else None
    spack = find_spack(configured, base)
    if spack is None:
        raise FileError(
            "stack_source: spack: Spack was not found; put `spack` on the PATH, set SPACK_ROOT or site.spack.command, "
            "or use --stack-source wheels"
        )
    if not spack.is_new_enough:
        oldest = ".".join(map(str, OLDEST))
        raise FileError(
            f"stack_source: spack: {spack.command} is Spack {spack.version}, and {oldest} or newer is needed; "
            "name another one in site.spack.command, or use --stack-source wheels"
        )
    return spack


def spack_for(campaign: Campaign, declaration: StackDeclaration) -> Spack | None:
    """Return the Spack that provides a stack, or None if another source does. Raises FileError."""
    own_source = declaration.simulator is not None or is_installed_elsewhere(declaration.stack)
    return None if own_source else spack_of(campaign)


def locks_of(
    campaign: Campaign, say: Callable[[str], None] = lambda _: None, base: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return the lock of the wheels of each stack by spec; of none if Spack provides them. Raises FileError.

    `say` is called with a line before the package index is asked, which can take a minute.
    """
    specs = [spec for spec in map(campaign.declared, campaign.stacks) if parse_spec(spec)]
    if not specs or spack_of(campaign, base) is not None:
        return {}
    locks = {}
    for spec in dict.fromkeys(specs):
        path = lock_file(load_declaration(spec), lambda step, _: say(f"{step} {spec}"))  # noqa: B023
        locks[spec] = read_text(path, "check the disk")
    return locks


def without_source(campaign: Campaign, base: Mapping[str, str] = os.environ) -> str:
    """Return a message about stacks that no source provides here; empty if there are none. Raises FileError."""
    declared = {stack: load_declaration(campaign.declared(stack)) for stack in campaign.stacks}
    if campaign.site.reframe_config is None or campaign.site.launcher == "stack":
        installed.check_launchers(list(declared.values()))
    names = [
        stack
        for stack, declaration in declared.items()
        if declaration.simulator is None
        and not is_installed_elsewhere(declaration.stack)
        and not _has_wheels(declaration)
    ]
    if not names or spack_of(campaign, base) is not None:
        return ""
    return (
        f"stacks: {', '.join(names)}: only available from Spack, which was not found; put `spack` on the PATH, set "
        "SPACK_ROOT or site.spack.command, or remove the stack"
    )


def _has_wheels(declaration: StackDeclaration) -> bool:
    """Return True if a declared stack has a lock, or the library of a spec has packages."""
    by_spec = parse_spec(declaration.stack) is not None
    return bool(load_family(declaration.family).wheels) if by_spec else wheels_lock(declaration.stack).is_file()
