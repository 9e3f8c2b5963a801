# SPDX-License-Identifier: BSD-3-Clause
"""The source of a campaign's stacks: Spack, or PyPI wheels."""

from __future__ import annotations

import os
from collections.abc import Mapping

from isochron.common.files import FileError
from isochron.schemas.input.campaign import Campaign
from isochron.spack_envs.declarations import load_declaration, wheels_lock
from isochron.spack_envs.spack_stack import OLDEST, Spack, find_spack


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


def without_source(campaign: Campaign, base: Mapping[str, str] = os.environ) -> str:
    """Return a message about stacks that no source provides here; empty if there are none. Raises FileError."""
    declared = {stack: load_declaration(campaign.declared(stack)) for stack in campaign.stacks}
    names = [
        stack
        for stack, declaration in declared.items()
        if declaration.simulator is None and not wheels_lock(declaration.stack).is_file()
    ]
    if not names or spack_of(campaign, base) is not None:
        return ""
    return (
        f"stacks: {', '.join(names)}: only available from Spack, which was not found; put `spack` on the PATH, set "
        "SPACK_ROOT or site.spack.command, or remove the stack"
    )
