# SPDX-License-Identifier: BSD-3-Clause
"""The stacks that this repository declares: one folder each, with a `stack.yaml`."""

from __future__ import annotations

from pathlib import Path

from isochron.common.files import FileError, suggest
from isochron.common.resources import shipped
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.manifest import StackDeclaration

ROOT = shipped("spack_envs")


def available_stacks(root: Path = ROOT) -> list[str]:
    """Return the names of all declared stacks, sorted."""
    return sorted(path.parent.name for path in root.glob("*/stack.yaml"))


def load_declaration(stack: str, root: Path = ROOT) -> StackDeclaration:
    """Read the declaration of one stack. Raises FileError."""
    names = available_stacks(root)
    if stack not in names:
        guess = suggest(stack, names)
        raise FileError(f"unknown stack '{stack}'{guess}; the stacks are {', '.join(names)}")
    path = root / stack / "stack.yaml"
    declaration = StackDeclaration.load_yaml(path, "make it readable")
    if declaration.stack != stack:
        raise FileError(f"{path}: stack: '{declaration.stack}', but the folder is named '{stack}'; use one name")
    return declaration


def declaration_in(campaign: Campaign, stack: str) -> StackDeclaration:
    """Return the declaration of one of a campaign's stacks; a variant has that of its stack, under its name."""
    return load_declaration(campaign.declared(stack)).model_copy(update={"stack": stack})


def wheels_lock(stack: str, root: Path = ROOT) -> Path:
    """Return the pinned wheels of a stack, for the wheels source."""
    return root / stack / "wheels.lock"
