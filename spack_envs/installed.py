# SPDX-License-Identifier: BSD-3-Clause
"""Stacks that are installed on this machine: the library below a folder, of an environment module, or in an image."""

import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from isochron.common.files import FileError
from isochron.common.hashing import sha256
from isochron.schemas.input.spec import image_of, modules_of, prefix_of
from isochron.schemas.run.manifest import Environment, StackDeclaration, Toolchain
from isochron.spack_envs import containers, modules
from isochron.spack_envs.families import load_family
from isochron.spack_envs.prefixes import Library, find
from isochron.spack_envs.toolchain import compiler, filled

#: Where installed libraries usually are.
USUAL = ("/opt/*", "/opt/*/*", "/usr/local", "/usr/lib64/*", "/usr/lib/*-linux-gnu/*")


class Installed(NamedTuple):
    """An installed library: folder, what it is, compiler, and of modules their environment and all that are loaded."""

    prefix: Path
    library: Library
    cc: Path
    environment: Environment
    loaded: str = ""


@cache
def look(stack: str) -> Installed:
    """Return the library that a stack names. Raises FileError."""
    asked = modules_of(stack)
    if not asked:
        prefix = prefix_of(stack) or Path()
        return Installed(prefix, find(prefix), compiler(prefix), Environment())
    state = modules.load(asked)
    library = find(state.prefix, state.environment, state.cc)
    modules.check_promise(asked, state.loaded, library.recognised)
    return Installed(state.prefix, library, state.cc, state.environment, ":".join(state.loaded))


def declaration(stack: str) -> StackDeclaration:
    """Return the declaration of an installed library: of its family, in its version. Raises FileError."""
    if image_of(stack) is not None:
        return containers.declaration(stack)
    installed = look(stack)
    family, version = installed.library.recognised
    described = load_family(family)
    where = modules_of(stack) or installed.prefix
    declared = described.declaration(stack, family, version, f"{described.mpi_library} {version} in {where}")
    environment, changes = declared.environment, installed.environment
    names = {*environment.prepend, *changes.prepend}
    prepend = {name: [*environment.prepend.get(name, []), *changes.prepend.get(name, [])] for name in sorted(names)}
    both = Environment(
        unset=[*environment.unset, *changes.unset], set={**environment.set, **changes.set}, prepend=prepend
    )
    return declared.model_copy(update={"library_file": installed.library.name, "environment": both})


def usual_prefixes() -> list[Path]:
    """Return the folders of this machine that usually have MPI libraries, and have a `bin/mpicc`."""
    places = [Path(place) for pattern in USUAL for place in sorted(Path("/").glob(pattern.lstrip("/")))]
    return [place for place in places if compiler(place).is_file()]


def problem(stack: str) -> str:
    """Return why an installed stack cannot be measured; empty if it can."""
    try:
        if image_of(stack) is not None:
            containers.look(stack)
        else:
            look(stack)
    except FileError as error:
        return str(error)
    return ""


def check_launchers(declarations: Iterable[StackDeclaration]) -> None:
    """Raise FileError if an installed library lacks the launcher of its family."""
    for declared in declarations:
        if image_of(declared.stack) is not None:
            containers.check_launcher(declared.stack)
        if not (modules_of(declared.stack) or prefix_of(declared.stack)):
            continue
        prefix = look(declared.stack).prefix
        launcher = Path(declared.launcher.argv[0].replace("{prefix}", str(prefix)))
        if launcher.is_relative_to(prefix) and not os.access(launcher, os.X_OK):
            raise FileError(
                f"stacks: {prefix} has no {launcher.relative_to(prefix)}, with which {declared.mpi_library} starts "
                "processes; give the folder of a complete MPI library"
            )


def resolve(declared: StackDeclaration) -> Toolchain:
    """Return the toolchain of an installed stack, with file and hash of its library. Raises FileError."""
    installed = look(declared.stack)
    file = installed.library.file
    provenance = {"prefix": str(installed.prefix), "library": str(file), "library_sha256": sha256(file)}
    if installed.loaded:
        provenance["modules"] = installed.loaded
    return filled(declared, installed.prefix, "module" if installed.loaded else "prefix", provenance, installed.cc)
