# SPDX-License-Identifier: BSD-3-Clause
"""The toolchain of a stack on this machine, and the environment in which it builds and launches.

A variable of one MPI library can change the behaviour of another, or even the library that is
loaded (with an LD_LIBRARY_PATH of Intel MPI, programs of MPICH load Intel's libmpi.so.12).
Therefore every stack starts from an environment without any of `STRAY_VARIABLES` and those of launchers.
"""

import shlex
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from isochron.schemas.launcher_kind import stray_variables
from isochron.schemas.run.manifest import Environment, StackDeclaration, Toolchain
from isochron.schemas.scheduler_kind import launcher_variables

#: Variables of the loader and of compilers.
LOADER_VARIABLES = ("LD_LIBRARY_PATH", "LD_PRELOAD", "LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH")
#: Patterns of these and of variables of MPI libraries, which could affect the launches of another library.
STRAY_VARIABLES = (
    *LOADER_VARIABLES,
    "MPI_*", "OMPI_*", "OPAL_*", "MPICH_*", "MPIR_*", "I_MPI_*", "FI_*", "UCX_*", "PSM2_*", "PSM3_*",
)  # fmt: skip


def all_stray_variables() -> list[str]:
    """Return `STRAY_VARIABLES` and those of all launchers."""
    return [*STRAY_VARIABLES, *stray_variables()]


def sanitised(environment: Environment) -> Environment:
    """Return the same environment, with all stray variables unset first."""
    stray = all_stray_variables()
    patterns = [name for name in environment.unset if name not in stray]
    return environment.model_copy(update={"unset": [*stray, *patterns]})


def applied(environment: Environment, base: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of `base` after unset, set and prepend, in this order.

    Of stray variables, those that the scheduler of the job sets for a launcher are kept.
    """
    stray, declared = _split(environment.unset)
    kept = {name for job, names in launcher_variables().items() if base.get(job) for name in names}
    result = {
        name: value
        for name, value in base.items()
        if not any(fnmatchcase(name, pattern) for pattern in [*declared, *([] if name in kept else stray)])
    }
    result |= environment.set
    for name, folders in environment.prepend.items():
        rest = [result[name]] if result.get(name) else []
        result[name] = ":".join([*folders, *rest])
    return result


def _split(patterns: list[str]) -> tuple[list[str], list[str]]:
    """Return the stray variables among patterns to unset, and those that the stack declares."""
    every = all_stray_variables()
    return [name for name in patterns if name in every], [name for name in patterns if name not in every]


def shell_lines(environment: Environment) -> list[str]:
    """Return the changes of the environment as lines of bash."""
    lines = []
    if environment.unset:
        stray, declared = _split(environment.unset)
        cases = [f'{"|".join(declared)}) unset "$stray" ;;'] if declared else []
        if stray:
            jobs = launcher_variables().items()
            cases += [f'{"|".join(names)}) [ -n "${{{job}-}}" ] || unset "$stray" ;;' for job, names in jobs]
            cases.append(f'{"|".join(stray)}) unset "$stray" ;;')
        lines.append(f'for stray in $(compgen -e); do case "$stray" in {" ".join(cases)} esac; done')
    lines += [f"export {name}={shlex.quote(value)}" for name, value in environment.set.items()]
    lines += [
        f'export {name}={shlex.quote(":".join(folders))}"${{{name}:+:${name}}}"'
        for name, folders in environment.prepend.items()
    ]
    return lines


def compiler(prefix: Path) -> Path:
    """Return the C compiler wrapper of an MPI library."""
    return prefix / "bin" / "mpicc"


def filled(
    declaration: StackDeclaration,
    prefix: Path,
    stack_source: Literal["wheels", "spack", "prefix", "module", "container"],
    provenance: dict[str, str],
    cc: Path | None = None,
) -> Toolchain:
    """Return the declaration with `{prefix}` filled in; `cc`: the compiler where it is not the library's `mpicc`.

    Folders of the prefix to prepend that are not there are left out, except in an image, where nobody can look.
    """

    def fill(text: str) -> str:
        return text.replace("{prefix}", str(prefix))

    def folders(names: list[str]) -> list[str]:
        kept = [
            name for name in names if "{prefix}" not in name or stack_source == "container" or Path(fill(name)).is_dir()
        ]
        return [fill(name) for name in kept]

    launcher, environment = declaration.launcher, declaration.environment
    extra, placed = launcher.oversubscribe, launcher.placed
    return Toolchain(
        declaration=declaration,
        stack_source=stack_source,
        prefix=str(prefix),
        cc=str(cc or compiler(prefix)),
        launcher=launcher.model_copy(
            update={
                "argv": [fill(word) for word in launcher.argv],
                "placed": None if placed is None else [fill(word) for word in placed],
                "oversubscribe": None if extra is None else [fill(word) for word in extra],
            }
        ),
        environment=sanitised(
            Environment(
                unset=environment.unset,
                set={name: fill(value) for name, value in environment.set.items()},
                prepend={name: there for name, paths in environment.prepend.items() if (there := folders(paths))},
            )
        ),
        provenance=provenance,
    )
