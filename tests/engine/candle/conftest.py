# SPDX-License-Identifier: BSD-3-Clause
"""The candle, built with the machine's compiler, and a way to start its processes without a launcher."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.engine.candle.processes import Processes, build_candle
from tests.engine.support import Mpi
from tests.engine.turns.residents import Residents
from tests.shared import Shared


@pytest.fixture(scope="session")
def candle(shared: Shared) -> Path:
    """The program."""
    return shared("candle", build_candle) / "isochron-candle"


@pytest.fixture
def processes(candle: Path, tmp_path: Path) -> Iterator[Processes]:
    """Starts processes of the candle in an empty folder; whatever is left of them is killed."""
    started = Processes(candle, tmp_path)
    yield started
    started.kill()


@pytest.fixture
def run_candle(candle: Path, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """One process with the variables of a launcher, or without any."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI", "SLURM_"))}

    def run(*words: str | Path, **launcher: str) -> subprocess.CompletedProcess[str]:
        command, env = [candle, *words], {**environment, **launcher}
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def residents(mpi: Mpi, engine: Path, tmp_path: Path) -> Residents:
    """Starts engines that take turns, with a candle if a test adds one."""
    return Residents(mpi, engine, tmp_path)
