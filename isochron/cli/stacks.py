# SPDX-License-Identifier: BSD-3-Clause
"""`isochron stacks`: what can be named in `stacks` here."""

import argparse

from isochron.cli.common import Row, Verbs, add_format, add_verb, print_rows
from isochron.common.exit_codes import Exit
from isochron.common.files import FileError
from isochron.common.terminal import Terminal, complain
from isochron.schemas.input.spec import is_installed_elsewhere
from isochron.schemas.run.family import Family
from isochron.spack_envs import installed, modules, spack_offer, wheel_index
from isochron.spack_envs.declarations import available_stacks, load_declaration, wheels_lock
from isochron.spack_envs.families import families, load_family
from isochron.spack_envs.spack_stack import find_spack

EXAMPLE = """\
  isochron stacks                      names and versions, and where they come from
  isochron stacks mpich openmpi        of these libraries only
  isochron stacks mpich --format csv"""

COLUMNS = ["stack", "library", "source"]


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "stacks", EXAMPLE, call)
    verb.add_argument("library", nargs="*", metavar="LIBRARY", help=f"one of {', '.join(families())} (default: all)")
    add_format(verb)


def call(arguments: argparse.Namespace) -> int:
    """Print a line for each stack; exit with 1 if the package index cannot be reached, or Spack fails."""
    names = arguments.library or list(families())
    libraries = {name: load_family(name) for name in names}
    rows = [row for name in names for row in _declared(name)]
    if not arguments.library:
        rows += _declared("")
    problems = []
    for name, library in libraries.items():
        known = wheel_index.known(name)
        try:
            versions = wheel_index.versions(name) if library.wheels else []
        except FileError as error:
            problems.append(str(error))
            versions = known[::-1]
        rows += [_of_index(name, library, version, known) for version in versions]
    try:
        rows += _of_spack(names)
    except FileError as error:
        problems.append(str(error))
    rows += _of_this_machine(names)
    print_rows(rows, COLUMNS, arguments.format, Terminal())
    for problem in problems:
        complain(problem)
    return Exit.FAILED if problems else Exit.DONE


def _declared(family: str) -> list[Row]:
    """Return the stacks of a family that have a name; with an empty one, those that are simulated."""
    stacks = [load_declaration(name) for name in available_stacks()]
    return [
        {
            "stack": stack.stack,
            "library": f"{stack.mpi_library} {stack.version}",
            "source": "SimGrid" if not family else "pinned wheels" if wheels_lock(stack.stack).is_file() else "Spack",
        }
        for stack in stacks
        if stack.family == family
    ]


def _of_index(name: str, library: Family, version: str, known: list[str]) -> Row:
    """Return the line of a version in the package index; `known`: those that were looked up before."""
    return {
        "stack": f"{name}@{version}",
        "library": f"{library.mpi_library} {version}",
        "source": "wheels of the package index" + (", looked up before" if version in known else ""),
    }


def _of_this_machine(names: list[str]) -> list[Row]:
    """Return the modules that are named as one of these libraries, and the libraries below the usual folders.

    A module of a hierarchy has those before it that must be loaded first.
    """
    rows: list[Row] = [
        {"stack": f"module:{module}", "library": load_family(family).mpi_library, "source": "module"}
        for module in [*modules.available(), *modules.hidden()]
        for family in modules.named_in(module.rpartition(" ")[2])[:1]
        if family in names
    ]
    for prefix in installed.usual_prefixes():
        stack = f"prefix:{prefix}"
        if not is_installed_elsewhere(stack) or installed.problem(stack):
            continue
        declared = installed.declaration(stack)
        if declared.family in names:
            rows.append(
                {"stack": stack, "library": f"{declared.mpi_library} {declared.version}", "source": "installed library"}
            )
    return rows


def _of_spack(names: list[str]) -> list[Row]:
    """Return the versions of libraries that Spack, if there is one, has or builds. Raises FileError."""
    spack = find_spack(None)
    if spack is None or not spack.is_new_enough:
        return []
    packages = {library.spack: library.mpi_library for library in map(load_family, names)}
    return [
        {
            "stack": offer.stack,
            "library": f"{packages[offer.package]} {offer.version}",
            "source": f"Spack {spack.version}, {offer.how}",
        }
        for offer in spack_offer.offers(spack, packages)
    ]
