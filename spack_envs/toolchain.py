# SPDX-License-Identifier: BSD-3-Clause
"""A declaration with this machine's folders filled in: what every route to a real MPI library ends with."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from isochron.schemas.run.manifest import Environment, Launcher, StackDeclaration, Toolchain
from isochron.spack_envs.environment import sanitised


def compiler(prefix: Path) -> Path:
    """The C compiler wrapper of an MPI library."""
    return prefix / "bin" / "mpicc"


def filled(
    declaration: StackDeclaration, prefix: Path, stack_source: Literal["wheels", "spack"], provenance: dict[str, str]
) -> Toolchain:
    """The declaration with `{prefix}` filled in."""

    def fill(text: str) -> str:
        return text.replace("{prefix}", str(prefix))

    launcher, environment = declaration.launcher, declaration.environment
    extra, placed = launcher.oversubscribe, launcher.placed
    return Toolchain(
        declaration=declaration,
        stack_source=stack_source,
        prefix=str(prefix),
        cc=str(compiler(prefix)),
        launcher=Launcher(
            argv=[fill(word) for word in launcher.argv],
            placed=None if placed is None else [fill(word) for word in placed],
            pmi=launcher.pmi,
            oversubscribe=None if extra is None else [fill(word) for word in extra],
        ),
        environment=sanitised(
            Environment(
                unset=environment.unset,
                set={name: fill(value) for name, value in environment.set.items()},
                prepend={name: [fill(path) for path in paths] for name, paths in environment.prepend.items()},
            )
        ),
        provenance=provenance,
    )
