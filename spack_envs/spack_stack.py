# SPDX-License-Identifier: BSD-3-Clause
"""The Spack route: a stack's environment in the run's folder, and the toolchain once Spack has installed it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from isochron.common.cache import user_cache
from isochron.common.files import FileError
from isochron.schemas.input.launches.tools import ToolName
from isochron.schemas.input.spack_site import SpackSite
from isochron.schemas.run.manifest import StackDeclaration, Toolchain
from isochron.spack_envs import spack_lock
from isochron.spack_envs.spack_command import Spack, call
from isochron.spack_envs.spack_environment import document, engine_sources, write_environment
from isochron.spack_envs.spack_lock import Lock
from isochron.spack_envs.toolchain import compiler, filled

#: Spack's packages of other benchmarks.
TOOL_PACKAGES: dict[ToolName, str] = {"imb": "intel-mpi-benchmarks", "osu": "osu-micro-benchmarks"}


def default_cache() -> Path:
    """`isochron/spack` in the user's cache folder. Raises FileError where there is none."""
    return user_cache("spack")


def prepare(
    declaration: StackDeclaration,
    site: SpackSite,
    *,
    sources: Path,
    environment: Path,
    kept: Path,
    tools: Sequence[ToolName] = (),
    further: Sequence[str] = (),
) -> None:
    """Write the environment, with the lock of an earlier run of this site if it asks for the same.

    `tools`: benchmarks of others to be built with it; `further`: other specs.
    """
    engine = engine_sources(sources, default_cache() / declaration.stack)
    content = document(declaration, site, engine, [*(TOOL_PACKAGES[tool] for tool in tools), *further])
    write_environment(environment, declaration.stack, content)
    spack_lock.use_again(environment, kept)


def resolve(declaration: StackDeclaration, spack: Spack, environment: Path) -> Toolchain:
    """The toolchain of an installed environment. Raises FileError."""
    lock = Lock.load(environment / "spack.lock")
    mpi, engine = lock.library(), lock.engine()
    external = lock.external(mpi)
    installed = Path(external or _location(spack, environment, mpi))
    provenance = {
        "spack": spack.version,
        "spec": lock.spec(mpi),
        "version": str(lock.nodes[mpi]["version"]),
        "dag_hash": mpi,
        "engine_spec": lock.spec(engine),
        "engine_dag_hash": engine,
        "lock_sha256": lock.sha256,
        "installed": "external" if external else "spack",
    }
    return filled(declaration, _home(declaration.stack, installed), "spack", provenance)


def built_engine(spack: Spack, environment: Path) -> Path:
    """The engine that Spack installed. Raises FileError."""
    engine = Lock.load(environment / "spack.lock").engine()
    return Path(_location(spack, environment, engine)) / "bin" / "isochron-engine"


def installed(spack: Spack, environment: Path, package: str) -> Path:
    """The folder of a package that an installed environment names beside the engine. Raises FileError."""
    return Path(_location(spack, environment, Lock.load(environment / "spack.lock").named(package)))


def installed_tool(spack: Spack, environment: Path, tool: ToolName) -> Path:
    """The folder into which Spack installed another benchmark. Raises FileError."""
    lock = Lock.load(environment / "spack.lock")
    package = TOOL_PACKAGES[tool]
    if package not in lock.roots:
        raise FileError(f"{lock.path}: roots: has no {package}; remove the file and run again")
    return Path(_location(spack, environment, lock.roots[package]))


def _location(spack: Spack, environment: Path, dag_hash: str) -> str:
    return call(spack.command, ["-e", str(environment), "location", "--install-dir", f"/{dag_hash}"]).strip()


def _home(stack: str, installed: Path) -> Path:
    """The folder with bin/mpicc: a oneAPI tree has it further down."""
    for folder in (installed, *sorted(installed.glob("mpi/[0-9]*"), reverse=True)):
        if compiler(folder).is_file():
            return folder
    raise FileError(f"stack {stack}: {installed} has no bin/mpicc; give the folder of a complete MPI library")
