# SPDX-License-Identifier: BSD-3-Clause
"""The source of a campaign's stacks: Spack or PyPI wheels; of some their own: a folder, a module, a simulator."""

import os
from collections.abc import Callable, Mapping

from isochron.common.files import FileError, read_text
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.spec import is_installed_elsewhere, parse_spec, spack_spec_of
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
    return _needed_spack(campaign, "stack_source: spack", "use --stack-source wheels", base)


def _needed_spack(campaign: Campaign, why: str, otherwise: str, base: Mapping[str, str]) -> Spack:
    """Return the Spack of the site. Raises FileError, with `otherwise` as a remedy, if there is none or an old one."""
    spack = find_spack(campaign.site.spack.command, base)
    if spack is None:
        raise FileError(
            f"{why}: Spack was not found; put `spack` on the PATH, set SPACK_ROOT or site.spack.command, or {otherwise}"
        )
    if not spack.is_new_enough:
        oldest = ".".join(map(str, OLDEST))
        raise FileError(
            f"{why}: {spack.command} is Spack {spack.version}, and {oldest} or newer is needed; "
            f"name another one in site.spack.command, or {otherwise}"
        )
    return spack


def spack_for(campaign: Campaign, declaration: StackDeclaration, base: Mapping[str, str] = os.environ) -> Spack | None:
    """Return the Spack that provides a stack, or None if another source does. Raises FileError.

    A stack `spack:…` comes from Spack, whatever the source of the others is.
    """
    if spack_spec_of(declaration.stack) is not None:
        return _needed_spack(campaign, f"stacks: {declaration.stack}", "remove the stack", base)
    own_source = declaration.simulator is not None or is_installed_elsewhere(declaration.stack)
    return None if own_source else spack_of(campaign, base)


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
    for declaration in declared.values():
        if spack_spec_of(declaration.stack) is not None:
            spack_for(campaign, declaration, base)
    names = [
        stack
        for stack, declaration in declared.items()
        if declaration.simulator is None
        and not is_installed_elsewhere(declaration.stack)
        and spack_spec_of(declaration.stack) is None
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
