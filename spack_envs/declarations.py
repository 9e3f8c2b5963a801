# SPDX-License-Identifier: BSD-3-Clause
"""Declarations of stacks: versions of a family, by name (a folder with a `stack.yaml`) or by spec."""

from pathlib import Path

from isochron.common.documents import read_yaml
from isochron.common.files import FileError, suggest
from isochron.common.resources import shipped
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.spec import is_installed_elsewhere, parse_spec, spack_spec_of
from isochron.schemas.run.family import Family, StackAlias
from isochron.schemas.run.manifest import StackDeclaration
from isochron.spack_envs import installed
from isochron.spack_envs.families import family_of_package, load_family

ROOT = shipped("spack_envs")


def available_stacks(root: Path = ROOT) -> list[str]:
    """Return the names of all declared stacks, sorted."""
    return sorted(path.parent.name for path in root.glob("*/stack.yaml"))


def load_declaration(stack: str, root: Path = ROOT) -> StackDeclaration:
    """Return the declaration of a stack, given its name or a spec such as `mpich@4.0.3`. Raises FileError."""
    if is_installed_elsewhere(stack):
        return installed.declaration(stack)
    spec = parse_spec(stack)
    if spec is not None:
        return load_family(spec.library).declaration(stack, spec.library, spec.version)
    of_spack = spack_spec_of(stack)
    if of_spack is not None:
        name = family_of_package(of_spack.package)
        family, words = load_family(name), f"{of_spack.version} {of_spack.requirement}".strip()
        return family.declaration(stack, name, of_spack.version, f"{family.mpi_library} {words} from Spack")
    names = available_stacks(root)
    if stack not in names:
        guess = suggest(stack, names)
        raise FileError(f"unknown stack '{stack}'{guess}; the stacks are {', '.join(names)}")
    path = root / stack / "stack.yaml"
    document = read_yaml(path, "make it readable")
    if isinstance(document, dict) and "family" in document:
        alias = StackAlias.of_document(document, path)
        family = load_family(alias.family)
        declaration = family.declaration(alias.stack, alias.family, alias.version, alias.description)
    else:
        declaration = StackDeclaration.of_document(document, path)
    if declaration.stack != stack:
        raise FileError(f"{path}: stack: '{declaration.stack}', but the folder is named '{stack}'; use one name")
    return declaration


def declaration_in(campaign: Campaign, stack: str) -> StackDeclaration:
    """Return the declaration of one of a campaign's stacks; a variant has that of its stack, under its name."""
    return load_declaration(campaign.declared(stack)).model_copy(update={"stack": stack})


def family_in(campaign: Campaign, stack: str) -> Family:
    """Return the family of one of a campaign's stacks. Raises FileError."""
    return load_family(declaration_in(campaign, stack).family)


def wheels_lock(stack: str, root: Path = ROOT) -> Path:
    """Return the pinned wheels of a stack, for the wheels source."""
    return root / stack / "wheels.lock"
