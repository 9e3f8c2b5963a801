# SPDX-License-Identifier: BSD-3-Clause
"""Where a stack comes from: Spack, or the package registry."""

from __future__ import annotations

import os
from collections.abc import Mapping

from isochron.common.files import FileError
from isochron.schemas.input.campaign import Campaign
from isochron.spack_envs.declarations import load_declaration, wheels_lock
from isochron.spack_envs.spack_stack import OLDEST, Spack, find_spack


def spack_of(campaign: Campaign, base: Mapping[str, str] = os.environ) -> Spack | None:
    """The Spack that provides the campaign's stacks, or None: the registry does. Raises FileError."""
    if campaign.stack_source == "wheels" or campaign.site.machine is not None:
        return None
    given = campaign.site.spack.command
    if campaign.stack_source == "auto":
        spack = find_spack(given, base)
        return spack if spack is not None and spack.is_new_enough else None
    spack = find_spack(given, base)
    if spack is None:
        raise FileError(
            "stack_source: spack: Spack was not found; put `spack` on the PATH, set SPACK_ROOT or site.spack.command, "
            "or take --stack-source wheels"
        )
    if not spack.is_new_enough:
        oldest = ".".join(map(str, OLDEST))
        raise FileError(
            f"stack_source: spack: {spack.command} is Spack {spack.version}, and {oldest} or newer is needed; "
            "name another one in site.spack.command, or take --stack-source wheels"
        )
    return spack


def without_source(campaign: Campaign, base: Mapping[str, str] = os.environ) -> str:
    """What is to be said of stacks that nothing provides here; empty where there are none. Raises FileError."""
    declared = {stack: load_declaration(campaign.declared(stack)) for stack in campaign.stacks}
    names = [
        stack for stack, each in declared.items() if each.simulator is None and not wheels_lock(each.stack).is_file()
    ]
    if not names or spack_of(campaign, base) is not None:
        return ""
    return (
        f"stacks: {', '.join(names)}: only available from Spack, which was not found; put `spack` on the PATH, set "
        "SPACK_ROOT or site.spack.command, or remove the stack"
    )
