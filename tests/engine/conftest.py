# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of the engine's tests: an MPI stack, the engine built with it, and a way to run it."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.support import Finished, Mpi, build_engine, registry_stack


@pytest.fixture(scope="session")
def mpi() -> Mpi:
    """The MPI stack of the tests."""
    return registry_stack("openmpi-5.0")


@pytest.fixture(scope="session")
def engine(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The engine, built with that stack."""
    return build_engine(mpi.cc, tmp_path_factory.mktemp("engine"), mpi.env)


@pytest.fixture
def run_engine(mpi: Mpi, engine: Path, tmp_path: Path) -> Callable[..., Finished]:
    """Runs the engine with the words given, in an empty folder: run_engine(*words, processes=2)."""

    def once(*words: str | Path, processes: int = 2) -> Finished:
        command = mpi.launch(processes, [engine, *words])
        done = subprocess.run(
            command, cwd=tmp_path, env=mpi.env, capture_output=True, text=True, timeout=120, check=False
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    def run(*words: str | Path, processes: int = 2) -> Finished:
        done = once(*words, processes=processes)
        return once(*words, processes=processes) if done.never_started else done

    return run


@pytest.fixture(scope="session")
def simulated_engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The engine, built for the simulator."""
    if shutil.which("smpicc") is None or shutil.which("smpirun") is None:
        pytest.skip("SimGrid (smpicc, smpirun) is not here")
    return build_engine("smpicc", tmp_path_factory.mktemp("smpi"), dict(os.environ))
