# SPDX-License-Identifier: BSD-3-Clause
"""What the engine's tests share: an MPI stack, building the engine, reading what it wrote."""

import json
import os
import shutil
import subprocess
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from isochron.common.hashing import sha256
from isochron.reframe_checks.launch.launchers import launcher_commands
from isochron.reframe_checks.stack.engine_cache import held, key_parts, now
from isochron.reframe_checks.stack.inspection import linked
from isochron.schemas.run.manifest import Environment, Launcher, Toolchain
from isochron.schemas.run.plan import Point
from isochron.spack_envs.declarations import available_stacks, load_declaration, wheels_lock
from isochron.spack_envs.simulated import programs, with_library
from isochron.spack_envs.toolchain import applied, sanitised
from isochron.spack_envs.wheels import resolve
from tests.home import at_home

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "reframe_checks" / "engine"
#: Every stack that has wheels: the libraries that the tests can have.
LIBRARIES = tuple(stack for stack in available_stacks() if wheels_lock(stack).is_file())
#: The same as parameters: MPICH 4.3 has the features of MPICH 5.0, and `make test` leaves it out.
LIBRARIES_BY_FEATURES = tuple(
    pytest.param(name, marks=[pytest.mark.slow] if name == "mpich-4.3" else []) for name in LIBRARIES
)


@dataclass(frozen=True)
class Mpi:
    """An MPI stack: how to compile and how to launch on this machine."""

    name: str
    env: dict[str, str]
    toolchain: Toolchain

    @property
    def cc(self) -> str:
        return self.toolchain.compiler

    @property
    def launcher(self) -> Launcher:
        return self.toolchain.launcher

    def launch(self, processes: int, argv: Sequence[str | Path]) -> list[str]:
        """The command that runs argv on that many processes of this machine."""
        point = Point(processes=processes, processes_per_node=processes, placement="packed")
        oversubscribed = processes > len(os.sched_getaffinity(0))
        return [
            *launcher_commands(self.launcher, point, self.name, oversubscribed=oversubscribed)["stack"],
            *map(str, argv),
        ]


@dataclass(frozen=True)
class Finished:
    """A finished run of the engine."""

    code: int
    out: str
    err: str

    @property
    def never_started(self) -> bool:
        """Whether Open MPI's own daemon gave up before the engine, as it does now and then on a crowded machine."""
        return "listener thread failed to start" in self.err and not self.complaints

    @property
    def complaints(self) -> list[str]:
        """The lines of the engine itself on standard error; the launcher may add its own."""
        return [line for line in self.err.splitlines() if line.startswith("isochron-engine:")]


def wheels_stack(name: str) -> Mpi:
    """A stack of the project by the wheels route; later sessions find it in the user's cache."""
    toolchain = resolve(load_declaration(name))
    environment = {**applied(toolchain.environment, os.environ), **at_home()}
    environment["PATH"] = f"{toolchain.prefix}/bin{os.pathsep}{environment['PATH']}"
    return Mpi(name=name, env=environment, toolchain=toolchain)


def simulator() -> Mpi:
    """The SimGrid that simulated stacks use, as a stack; skips where there is none."""
    found = programs()
    if found is None:
        pytest.skip("SimGrid (smpicc, smpirun) is not here")
    prefix = found.compiler.resolve().parent.parent
    declaration = load_declaration("smpi-default")
    toolchain = Toolchain(
        declaration=declaration,
        stack_source="simulated",
        prefix=str(prefix),
        cc=str(found.compiler),
        launcher=declaration.launcher,
        environment=sanitised(with_library(Environment(), prefix)),
        provenance={},
    )
    environment = applied(toolchain.environment, os.environ)
    environment["PATH"] = f"{prefix}/bin{os.pathsep}{environment['PATH']}"
    return Mpi(name="smpi", env=environment, toolchain=toolchain)


def build_engine(mpi: Mpi, folder: Path, *variables: str) -> Path:
    """The engine, warnings being errors, in a folder; variables are make's.

    It is built once: by the first test or campaign of any session that asks for it, and again when a source, the
    compiler or a flag has changed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    engine = folder / "isochron-engine"
    with held(key_parts(mpi.toolchain, ENGINE, variables)) as entry:
        if entry is not None and entry.load() is not None:
            shutil.copy2(entry.engine, engine)
            return engine
        of_stack = [f"{name}={value}" for name, value in mpi.toolchain.make_variables.items()]
        command = ["make", "-C", str(ENGINE), "-j2", f"CC={mpi.cc}", f"BUILD={folder}", *of_stack, *variables]
        result = subprocess.run(command, env=mpi.env, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout + result.stderr
        if entry is not None:
            libraries = () if variables else linked(engine, mpi.toolchain)
            entry.store(engine, {path: sha256(Path(path)) for path in libraries}, now())
    return engine


def is_crowded() -> bool:
    """Whether more than three processes want each core: a thread that always works then has little of one."""
    return os.getloadavg()[0] > 3 * len(os.sched_getaffinity(0))


def needs(program: str) -> pytest.MarkDecorator:
    """Skips, visibly, where a program is not installed."""
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not here")


needs_simgrid = pytest.mark.skipif(programs() is None, reason="SimGrid (smpicc, smpirun) is not here")


def read_records(path: Path) -> list[dict[str, Any]]:
    """The records of an output file, whose footer must count and seal them."""
    lines = path.read_bytes().splitlines(keepends=True)
    records = [json.loads(line, parse_constant=pytest.fail) for line in lines]
    footer = records[-1]
    assert footer["record"] == "footer"
    assert footer["records"] == len(records) - 1
    assert int(footer["file_crc32"], 16) == zlib.crc32(b"".join(lines).rpartition(b',"file_crc32"')[0])
    return records


def rows_of(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The measurement records."""
    return [record for record in records if record["record"] == "measurement"]
