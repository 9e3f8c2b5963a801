# SPDX-License-Identifier: BSD-3-Clause
"""The Spack source: finding and calling Spack, and the toolchain of a stack that it installed."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from isochron.common.cache import user_cache
from isochron.common.children import captured
from isochron.common.files import FileError
from isochron.schemas.input.site import SpackSite
from isochron.schemas.input.spec import name_of
from isochron.schemas.input.tools import ToolName
from isochron.schemas.run.manifest import Environment, StackDeclaration, Toolchain
from isochron.spack_envs import spack_environment
from isochron.spack_envs.spack_environment import Lock, document, engine_sources, write_environment
from isochron.spack_envs.toolchain import all_stray_variables, applied, compiler, filled

#: Oldest supported Spack: the first with compilers as packages and repositories of API 2.
OLDEST = (1, 0)

#: Columns of lines that are not wrapped.
UNWRAPPED = "10000"

#: Maximum seconds of a query; Spack may be on a slow file system.
PATIENCE = 300


@dataclass(frozen=True)
class Spack:
    """A Spack installation that runs."""

    command: Path
    version: str

    @property
    def is_new_enough(self) -> bool:
        """True if it is at least `OLDEST`."""
        return tuple(int(number) for number in re.findall(r"\d+", self.version)[:2]) >= OLDEST


def locate(configured: str | None, base: Mapping[str, str]) -> Path | None:
    """Return Spack's command: the configured one, `$SPACK_ROOT/bin/spack`, or that on the PATH."""
    if configured is not None:
        return Path(configured)
    if base.get("SPACK_ROOT") and (Path(base["SPACK_ROOT"]) / "bin" / "spack").is_file():
        return Path(base["SPACK_ROOT"]) / "bin" / "spack"
    command = shutil.which("spack", path=base.get("PATH", ""))
    return Path(command) if command else None


def find_spack(configured: str | None, base: Mapping[str, str] = os.environ) -> Spack | None:
    """Return Spack and its version; None if there is none. Raises FileError if it does not run."""
    command = locate(configured, base)
    if command is None:
        return None
    output = call(command, ["--version"], base)
    version = re.match(r"\d+\.\d+\S*", output)
    if version is None:
        raise FileError(
            f"{command} --version: printed '{output.strip()}', which is not a version; check that this is Spack"
        )
    return Spack(command.absolute(), version[0])


def environment(command: Path, base: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of Spack: its folder first on PATH, without this virtual environment's Python.

    Its lines are as wide as that of a build which it quotes.
    """
    venv_folder = str(Path(sys.executable).parent) if sys.prefix != sys.base_prefix else None
    folders = [folder for folder in base.get("PATH", os.defpath).split(os.pathsep) if folder != venv_folder]
    clean = applied(Environment(unset=[*all_stray_variables(), "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"]), base)
    return clean | {"COLUMNS": UNWRAPPED, "PATH": os.pathsep.join([str(command.absolute().parent), *folders])}


def call(command: Path, arguments: list[str], base: Mapping[str, str] = os.environ) -> str:
    """Call Spack and return its output. Raises FileError if it fails."""
    command_line = [str(command), *arguments]
    try:
        done = captured(command_line, env=environment(command, base), timeout=PATIENCE)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FileError(f"{' '.join(command_line)}: {error}; give the path of `spack` in site.spack.command") from error
    if done.returncode != 0:
        message = " ".join((done.stderr or done.stdout).split())
        raise FileError(f"{' '.join(command_line)} ended with code {done.returncode}: {message or 'no output'}")
    return done.stdout


#: Spack's packages of third-party benchmarks.
TOOL_PACKAGES: dict[ToolName, str] = {"imb": "intel-mpi-benchmarks", "osu": "osu-micro-benchmarks"}


def default_cache() -> Path:
    """Return `isochron/spack` in the user's cache folder. Raises FileError if there is none."""
    return user_cache("spack")


def prepare(
    declaration: StackDeclaration,
    site: SpackSite,
    *,
    sources: Path,
    environment: Path,
    saved: Path,
    tools: Sequence[ToolName] = (),
    further: Sequence[str] = (),
) -> None:
    """Write the environment, with the lock of an earlier run of this site if it asks for the same.

    `tools`: third-party benchmarks to build with it; `further`: other specs.
    """
    engine = engine_sources(sources, default_cache() / name_of(declaration.stack))
    content = document(declaration, site, engine, [*(TOOL_PACKAGES[tool] for tool in tools), *further])
    write_environment(environment, declaration.stack, content)
    spack_environment.reuse_lock(environment, saved)


def resolve(declaration: StackDeclaration, spack: Spack, environment: Path) -> Toolchain:
    """Return the toolchain of an installed environment. Raises FileError."""
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
    """Return the engine that Spack installed. Raises FileError."""
    engine = Lock.load(environment / "spack.lock").engine()
    return Path(_location(spack, environment, engine)) / "bin" / "isochron-engine"


def installed(spack: Spack, environment: Path, package: str) -> Path:
    """Return the folder of a package that an installed environment names beside the engine. Raises FileError."""
    return Path(_location(spack, environment, Lock.load(environment / "spack.lock").named(package)))


def installed_tool(spack: Spack, environment: Path, tool: ToolName) -> Path:
    """Return the folder into which Spack installed a third-party benchmark. Raises FileError."""
    lock = Lock.load(environment / "spack.lock")
    package = TOOL_PACKAGES[tool]
    if package not in lock.roots:
        raise FileError(f"{lock.path}: roots: has no {package}; remove the file and run again")
    return Path(_location(spack, environment, lock.roots[package]))


def _location(spack: Spack, environment: Path, dag_hash: str) -> str:
    return call(spack.command, ["-e", str(environment), "location", "--install-dir", f"/{dag_hash}"]).strip()


def _home(stack: str, installed: Path) -> Path:
    """Return the folder with bin/mpicc, which is below the prefix in a oneAPI tree."""
    for folder in (installed, *sorted(installed.glob("mpi/[0-9]*"), reverse=True)):
        if compiler(folder).is_file():
            return folder
    raise FileError(f"stack {stack}: {installed} has no bin/mpicc; give the folder of a complete MPI library")
